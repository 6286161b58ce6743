/** A node with its place; x and y are its centre. */
export interface PlacedNode {
  readonly id: string
  readonly x: number
  readonly y: number
}

/** An edge as its bends. */
export interface PlacedEdge {
  readonly from: string
  readonly to: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

/** A graph with places. */
export interface Layout {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  readonly width: number
  readonly height: number
}

/** The part of the drawing that is visible. */
export interface Viewport {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const nodeWidth = 190
export const nodeHeight = 58

const maxLetters = 21

/** A name that fits into a node: begin and end, by which names differ most. */
export function shortened(name: string): string {
  if (name.length <= maxLetters) return name
  const half = (maxLetters - 1) / 2
  return `${name.slice(0, half)}…${name.slice(-half)}`
}

/** What to lay out. */
export interface GraphInput {
  readonly ids: readonly string[]
  /** Pairs of node and the node that it depends on. */
  readonly edges: readonly (readonly [from: string, to: string])[]
}

const gapX = 90
const gapY = 24

/** So many rows fill a wide screen; a layer with more nodes takes several columns. */
function rowsFor(count: number): number {
  const columnsPerRow = (9 * (nodeWidth + gapX)) / (16 * (nodeHeight + gapY))
  return Math.max(12, Math.ceil(Math.sqrt(count * columnsPerRow)))
}

/** Layers by the longest way, each ordered by the places of its neighbours: fast for large graphs. */
export function layered({ ids, edges }: GraphInput): Layout {
  const known = new Set(ids)
  const inside = edges.filter(([from, to]) => known.has(from) && known.has(to) && from !== to)
  const sources = Map.groupBy(inside, ([, to]) => to)
  const ranks = ranksOf(ids, sources)
  const layers = [...Map.groupBy(ids, (id) => ranks.get(id) ?? 0)].sort(([a], [b]) => a - b)
  const rows = rowsFor(ids.length)
  const places = new Map<string, PlacedNode>()
  let columns = 0
  for (const [, layer] of layers) {
    for (const [index, id] of orderedBySources(layer, sources, places).entries()) {
      const column = columns + Math.floor(index / rows)
      const x = column * (nodeWidth + gapX) + nodeWidth / 2
      places.set(id, { id, x, y: (index % rows) * (nodeHeight + gapY) + nodeHeight / 2 })
    }
    columns += Math.ceil(layer.length / rows)
  }
  const tallest = Math.max(0, ...layers.map(([, layer]) => Math.min(layer.length, rows)))
  return {
    nodes: [...places.values()],
    edges: inside.flatMap((edge) => straight(edge, places)),
    width: columns * (nodeWidth + gapX) - gapX,
    height: tallest * (nodeHeight + gapY) - gapY,
  }
}

/** The nodes of a layer in the order of the nodes that depend on them. */
function orderedBySources(
  layer: readonly string[],
  sources: ReadonlyMap<string, readonly (readonly [string, string])[]>,
  places: ReadonlyMap<string, PlacedNode>,
): readonly string[] {
  const weight = (id: string) => {
    const found = (sources.get(id) ?? []).flatMap(([from]) => places.get(from) ?? [])
    if (found.length === 0) return Number.POSITIVE_INFINITY
    // Columns first: those of a layer follow one another.
    return found.reduce((sum, { x, y }) => sum + x * 1000 + y, 0) / found.length
  }
  return layer
    .map((id) => ({ id, at: weight(id) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ id }) => id)
}

function straight(
  [from, to]: readonly [string, string],
  places: ReadonlyMap<string, PlacedNode>,
): PlacedEdge[] {
  const [start, end] = [places.get(from), places.get(to)]
  if (!start || !end) return []
  const points = [
    { x: start.x + nodeWidth / 2, y: start.y },
    { x: end.x - nodeWidth / 2, y: end.y },
  ]
  return [{ from, to, points }]
}

/** Length of the longest way to each node; a cycle, which no environment has, does not end it. */
function ranksOf(
  ids: readonly string[],
  sources: ReadonlyMap<string, readonly (readonly [string, string])[]>,
): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>()
  const open = new Set<string>()
  const rankOf = (id: string): number => {
    const known = ranks.get(id)
    if (known !== undefined) return known
    if (open.has(id)) return 0
    open.add(id)
    const rank = Math.max(-1, ...(sources.get(id) ?? []).map(([from]) => rankOf(from))) + 1
    open.delete(id)
    ranks.set(id, rank)
    return rank
  }
  for (const id of ids) rankOf(id)
  return ranks
}

/** Nodes and edges that a viewport shows. */
export function visibleIn({ nodes, edges }: Layout, view: Viewport): Pick<Layout, 'nodes' | 'edges'> {
  const isInside = ({ x, y }: { readonly x: number; readonly y: number }) =>
    x > view.x - nodeWidth &&
    x < view.x + view.width + nodeWidth &&
    y > view.y - nodeHeight &&
    y < view.y + view.height + nodeHeight
  return { nodes: nodes.filter(isInside), edges: edges.filter(({ points }) => points.some(isInside)) }
}

/** The tiles that a viewport touches: they stay the same while it moves a little, and so does what is drawn. */
export function tilesAround({ x, y, width, height }: Viewport): Viewport {
  const [left, top] = [Math.floor(x / width), Math.floor(y / height)]
  return { x: left * width, y: top * height, width: 2 * width, height: 2 * height }
}

/** The nearest node in a direction; undefined at the border. */
export function nextNode(
  nodes: readonly PlacedNode[],
  from: PlacedNode,
  key: string,
): PlacedNode | undefined {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key]
  if (!step) return undefined
  const [dx = 0, dy = 0] = step
  let best: { readonly node: PlacedNode; readonly cost: number } | undefined
  for (const node of nodes) {
    const along = (node.x - from.x) * dx + (node.y - from.y) * dy
    const across = Math.abs((node.x - from.x) * dy) + Math.abs((node.y - from.y) * dx)
    if (along <= 1) continue
    const cost = along + across * 2
    if (!best || cost < best.cost) best = { node, cost }
  }
  return best?.node
}

/** Zooms around a point of the drawing. */
export function zoomed(
  view: Viewport,
  factor: number,
  center: { readonly x: number; readonly y: number },
): Viewport {
  const width = Math.min(Math.max(view.width * factor, 200), 100_000)
  const scale = width / view.width
  return {
    x: center.x - (center.x - view.x) * scale,
    y: center.y - (center.y - view.y) * scale,
    width,
    height: view.height * scale,
  }
}
