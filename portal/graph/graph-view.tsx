import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Drawing, type GraphItem } from './drawing.tsx'
import { type Layout, nextNode, tilesAround, type Viewport, visibleIn, zoomed } from './geometry.ts'

interface Props {
  readonly layout: Layout
  readonly items: ReadonlyMap<string, GraphItem>
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
}

const margin = 30
/** In a wider view, texts are too small to be read. */
const readableWidth = 3200

function wholeOf({ width, height }: Layout): Viewport {
  const [wide, high] = [Math.max(width, 500) + 2 * margin, Math.max(height, 300) + 2 * margin]
  return { x: (width - wide) / 2, y: (height - high) / 2, width: wide, height: high }
}

/** A graph that can be moved, zoomed, and used by keyboard: arrows move between nodes, Enter opens one. */
export function GraphView({ layout, items, selected, onSelect }: Props) {
  const svg = useRef<SVGSVGElement>(null)
  const [view, setView] = useState(() => wholeOf(layout))
  const [focused, setFocused] = useState<string | undefined>(undefined)
  useEffect(() => setView(wholeOf(layout)), [layout.width, layout.height])
  const tiles = tilesAround(view)
  const shown = useMemo(() => visibleIn(layout, tiles), [layout, tiles.x, tiles.y, tiles.width, tiles.height])
  const entry = focused ?? selected ?? layout.nodes[0]?.id
  const isDetailed = view.width < readableWidth
  // What is drawn stays while the view moves.
  const drawing = useMemo(
    () => <Drawing {...{ shown, items, selected, entry, isDetailed, onSelect }} />,
    [shown, items, selected, entry, isDetailed],
  )
  useEffect(() => {
    if (focused) svg.current?.querySelector<SVGElement>(`[data-node="${CSS.escape(focused)}"]`)?.focus()
  }, [focused])
  const zoom = (factor: number) =>
    setView((now) => zoomed(now, factor, { x: now.x + now.width / 2, y: now.y + now.height / 2 }))
  const onKeyDown = (event: KeyboardEvent) => {
    const from = layout.nodes.find(({ id }) => id === nodeAt(event.target))
    const next = from && nextNode(layout.nodes, from, event.key)
    if (next) {
      setFocused(next.id)
      setView((now) => showing(now, next))
    } else if ((event.key === 'Enter' || event.key === ' ') && from) onSelect(from.id)
    else if (event.key === '+') zoom(0.8)
    else if (event.key === '-') zoom(1.25)
    else return
    event.preventDefault()
  }
  return (
    <div class="graph">
      <div class="graph-tools">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(0.8)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1.25)}>
          −
        </button>
        <button type="button" onClick={() => setView(wholeOf(layout))}>
          Show all
        </button>
      </div>
      <svg
        ref={svg}
        role="group"
        aria-label="Resource graph. Arrow keys move between resources, Enter shows one."
        viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => startDrag(event, svg.current, view, setView)}
      >
        <Arrow />
        {drawing}
      </svg>
    </div>
  )
}

function nodeAt(target: EventTarget | null): string | undefined {
  return target instanceof Element
    ? (target.closest('[data-node]')?.getAttribute('data-node') ?? undefined)
    : undefined
}

function Arrow() {
  return (
    <defs>
      <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path class="arrow" d="M0 0L8 4L0 8z" />
      </marker>
    </defs>
  )
}

/** Moves the view if a place is outside. */
function showing(view: Viewport, { x, y }: { readonly x: number; readonly y: number }): Viewport {
  const isInside = x > view.x && x < view.x + view.width && y > view.y && y < view.y + view.height
  return isInside ? view : { ...view, x: x - view.width / 2, y: y - view.height / 2 }
}

function startDrag(
  start: PointerEvent,
  svg: SVGSVGElement | null,
  view: Viewport,
  setView: (view: Viewport) => void,
): void {
  if (!svg || start.button !== 0 || (start.target instanceof Element && start.target.closest('.node'))) return
  const scale = view.width / svg.clientWidth
  const move = ({ clientX, clientY }: PointerEvent) =>
    setView({
      ...view,
      x: view.x - (clientX - start.clientX) * scale,
      y: view.y - (clientY - start.clientY) * scale,
    })
  const end = () => {
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', end)
  }
  addEventListener('pointermove', move)
  addEventListener('pointerup', end)
}
