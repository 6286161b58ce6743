/** A node with its dependencies. */
export interface Sortable<T> {
  readonly text: string
  readonly edges: ReadonlySet<T>
}

/**
 * The nodes with dependencies before dependents, in an order that depends on the graph only; and its cycles, each as the
 * names along it, the first one repeated at the end.
 */
export function sortTopologically<T extends Sortable<T>>(
  nodes: readonly T[],
): { order: T[]; cycles: string[][] } {
  const rank = new Map([...nodes].sort(byText).map((node, i) => [node, i]))
  const sortedEdges = ({ edges }: T): T[] =>
    [...edges].sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))
  const state = new Map<T, 'open' | 'done'>()
  const inCycle = new Set<T>()
  const order: T[] = []
  const cycles: string[][] = []
  for (const root of rank.keys()) {
    if (state.has(root)) continue
    const path: { node: T; rest: Iterator<T> }[] = []
    const enter = (node: T): void => {
      // Most nodes of a large graph depend on nothing.
      if (node.edges.size === 0) {
        state.set(node, 'done')
        order.push(node)
        return
      }
      state.set(node, 'open')
      path.push({ node, rest: sortedEdges(node).values() })
    }
    enter(root)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.next()
      if (next.done) {
        state.set(top.node, 'done')
        order.push(top.node)
        path.pop()
      } else if (!state.has(next.value)) enter(next.value)
      else if (state.get(next.value) === 'open') {
        const cycle = path.slice(path.findIndex(({ node }) => node === next.value)).map(({ node }) => node)
        if (cycle.some((node) => !inCycle.has(node))) cycles.push(namesAlong(cycle))
        for (const node of cycle) inCycle.add(node)
      }
    }
  }
  return { order, cycles }
}

function byText(left: { readonly text: string }, right: { readonly text: string }): number {
  if (left.text === right.text) return 0
  return left.text < right.text ? -1 : 1
}

function namesAlong(cycle: readonly { readonly text: string }[]): string[] {
  const names = cycle.map(({ text }) => text)
  const first = names.indexOf([...names].sort()[0] ?? '')
  const turned = [...names.slice(first), ...names.slice(0, first)]
  return [...turned, turned[0] ?? '']
}
