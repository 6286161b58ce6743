import { describe, expect, test } from '@jest/globals'
import { layered, nodeHeight, nodeWidth, tilesAround, visibleIn } from '../../portal/graph/geometry.ts'
import { casesOf, fc } from '../support/properties.ts'

const graphs = fc.integer({ min: 0, max: 60 }).chain((count) => {
  const ids = Array.from({ length: count }, (_, index) => `n${index}`)
  const pair = fc.tuple(fc.nat(Math.max(0, count - 1)), fc.nat(Math.max(0, count - 1)))
  // From smaller to greater numbers: without cycles, as in every environment.
  const edge = pair.map(([a, b]) => [`n${Math.min(a, b)}`, `n${Math.max(a, b)}`] as const)
  return fc.record({ ids: fc.constant(ids), edges: fc.array(edge, { maxLength: 120 }) })
})

describe('the layout of any graph', () => {
  test('places every node once, inside the drawing, no two over each other, and dependencies to the right', () => {
    fc.assert(
      fc.property(graphs, (input) => {
        const layout = layered(input)
        const at = new Map(layout.nodes.map((node) => [node.id, node]))
        expect([...at.keys()].sort()).toEqual([...input.ids].sort())
        for (const [from, to] of input.edges)
          if (from !== to) expect((at.get(from)?.x ?? 0) < (at.get(to)?.x ?? 0)).toBe(true)
        for (const { x, y } of layout.nodes) {
          expect(x - nodeWidth / 2 >= 0 && x + nodeWidth / 2 <= layout.width).toBe(true)
          expect(y - nodeHeight / 2 >= 0 && y + nodeHeight / 2 <= layout.height).toBe(true)
        }
        expect(new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(input.ids.length)
      }),
      { numRuns: casesOf(200) },
    )
  })

  test('of a thousand resources of one layer is as wide as a screen, not one column', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`)
    const { width, height } = layered({ ids, edges: [] })
    expect(width / height).toBeGreaterThan(1)
    expect(width / height).toBeLessThan(3)
  })

  test('draws at least what a viewport shows', () => {
    const place = fc.double({ min: -5000, max: 5000, noNaN: true })
    const size = fc.double({ min: 200, max: 5000, noNaN: true })
    const view = fc.record({ x: place, y: place, width: size, height: size })
    fc.assert(
      fc.property(graphs, view, (input, viewport) => {
        const layout = layered(input)
        const drawn = new Set(visibleIn(layout, tilesAround(viewport)).nodes.map(({ id }) => id))
        for (const { id } of visibleIn(layout, viewport).nodes) expect(drawn.has(id)).toBe(true)
      }),
      { numRuns: casesOf(200) },
    )
  })
})
