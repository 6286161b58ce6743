import type { Tone } from '../components/tones.ts'
import { type Layout, nodeHeight, nodeWidth, shortened } from './geometry.ts'

/** A node as it is drawn. */
export interface GraphItem {
  readonly id: string
  readonly title: string
  readonly subtitle: string
  readonly tone: Tone
  readonly state: string
}

interface DrawingProps {
  readonly shown: Pick<Layout, 'nodes' | 'edges'>
  readonly items: ReadonlyMap<string, GraphItem>
  readonly selected: string | undefined
  /** The node that the tab key reaches. */
  readonly entry: string | undefined
  /** Whether texts are large enough to be read. */
  readonly isDetailed: boolean
  readonly onSelect: (id: string) => void
}

/** Edges and nodes; without texts and arrows where they are too small to be seen. */
export function Drawing({ shown, items, selected, entry, isDetailed, onSelect }: DrawingProps) {
  return (
    <>
      <Edges edges={shown.edges} selected={selected} isDetailed={isDetailed} />
      {shown.nodes.map(({ id, x, y }) => {
        const item = items.get(id)
        if (!item) return null
        return (
          <Node
            key={id}
            item={item}
            x={x}
            y={y}
            isSelected={id === selected}
            isEntry={id === entry}
            isDetailed={isDetailed}
            onSelect={onSelect}
          />
        )
      })}
    </>
  )
}

interface EdgesProps {
  readonly edges: Layout['edges']
  readonly selected: string | undefined
  readonly isDetailed: boolean
}

/** Edges with arrows; without details, all of them as two lines, which is fast. */
function Edges({ edges, selected, isDetailed }: EdgesProps) {
  const isChosen = ({ from, to }: Layout['edges'][number]) => from === selected || to === selected
  if (!isDetailed) {
    const line = (drawn: Layout['edges']) => drawn.map(({ points }) => lineThrough(points)).join('')
    return (
      <>
        <path class="edge" d={line(edges.filter((each) => !isChosen(each)))} />
        <path class="edge edge-selected" d={line(edges.filter(isChosen))} />
      </>
    )
  }
  return edges.map((each) => (
    <path
      key={`${each.from} ${each.to}`}
      class={isChosen(each) ? 'edge edge-selected' : 'edge'}
      d={lineThrough(each.points)}
      marker-end="url(#arrow)"
    />
  ))
}

interface NodeProps {
  readonly item: GraphItem
  readonly x: number
  readonly y: number
  readonly isSelected: boolean
  /** Whether the tab key reaches this node. */
  readonly isEntry: boolean
  readonly isDetailed: boolean
  readonly onSelect: (id: string) => void
}

function Node({ item, x, y, isSelected, isEntry, isDetailed, onSelect }: NodeProps) {
  const { id, title, subtitle, tone, state } = item
  return (
    <g
      class={`node node-${tone}${isSelected ? ' node-selected' : ''}`}
      transform={`translate(${x - nodeWidth / 2} ${y - nodeHeight / 2})`}
      role="button"
      aria-pressed={isSelected}
      aria-label={`${title} ${subtitle} · ${state}`}
      tabindex={isEntry ? 0 : -1}
      data-node={id}
      onClick={() => onSelect(id)}
    >
      {isDetailed ? (
        <>
          <title>{title}</title>
          <rect width={nodeWidth} height={nodeHeight} rx="9" />
          <rect class="node-edge" width="6" height={nodeHeight} rx="3" />
          <svg class="node-texts" x="18" width={nodeWidth - 26} height={nodeHeight}>
            <text y="25">{`${shortened(title)} `}</text>
            <text class="node-subtitle" y="44">
              {`${subtitle} · ${state}`}
            </text>
          </svg>
        </>
      ) : (
        <rect class="node-whole" width={nodeWidth} height={nodeHeight} />
      )}
    </g>
  )
}

function lineThrough(points: readonly { readonly x: number; readonly y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}
