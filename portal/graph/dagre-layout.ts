import { Graph, layout } from '@dagrejs/dagre'
import { type GraphInput, type Layout, layered, nodeHeight, nodeWidth } from './geometry.ts'

/** Above this number, crossings do not matter and time does. */
const largest = 250

/** Places the nodes of a graph from left to right. */
export function layoutOf(input: GraphInput): Layout {
  if (input.ids.length > largest) return layered(input)
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 70 })
  graph.setDefaultEdgeLabel(() => ({}))
  const known = new Set(input.ids)
  for (const id of input.ids) graph.setNode(id, { width: nodeWidth, height: nodeHeight })
  for (const [from, to] of input.edges) if (known.has(from) && known.has(to)) graph.setEdge(from, to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    nodes: input.ids.map((id) => {
      const { x, y } = graph.node(id)
      return { id, x: x ?? 0, y: y ?? 0 }
    }),
    edges: graph.edges().map(({ v, w }) => ({ from: v, to: w, points: graph.edge({ v, w }).points ?? [] })),
    width,
    height,
  }
}
