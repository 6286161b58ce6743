import { expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { definition, module, set } from '../../support/builders.ts'
import { edges, graphOf, problems } from '../../support/graphs.ts'
import { casesOf } from '../../support/properties.ts'
import { createRandom, type Random } from '../../support/random.ts'

const types = ['workload', 's3', 'postgres', 'redis', 'config'] as const
type Type = (typeof types)[number]

/** A part of a reference; what is absent is as in the resource that refers. */
interface Part {
  readonly type: Type
  readonly class: string | undefined
  readonly id: string | undefined
}

/** What the only definition of a type asks for. */
interface Asks {
  readonly references: readonly Part[]
  readonly selectors: readonly { readonly anchor: Part; readonly sign: '<' | '>'; readonly of: Part }[]
  readonly provisions: readonly {
    readonly of: Part
    readonly isDependent: boolean
    readonly matchDependents: boolean
  }[]
}

const textOf = (part: Part): string =>
  `${part.type}${part.class ? `.${part.class}` : ''}${part.id ? `#${part.id}` : ''}`

/** A graph that only grows. A node is its descriptor. */
class NaiveGraph {
  readonly nodes = new Set<string>()
  readonly #edges = new Set<string>()

  get size(): number {
    return this.nodes.size + this.#edges.size
  }

  /** The edges as `dependent -> dependency`, sorted. */
  get texts(): string[] {
    return [...this.#edges].sort()
  }

  get edges(): [from: string, to: string][] {
    return [...this.#edges].map((text) => text.split(' -> ') as [string, string]) // as `connect` writes them
  }

  connect(from: string, to: string): void {
    this.nodes.add(from).add(to)
    this.#edges.add(`${from} -> ${to}`)
  }

  /** Adds what the definition of a node asks for, as far as it is there. */
  apply(node: string, { references, selectors, provisions }: Asks): void {
    for (const each of references) this.connect(node, inherited(each, node))
    for (const { anchor, sign, of } of selectors)
      for (const edge of this.edges) {
        const [start, end] = sign === '>' ? edge : edge.toReversed()
        if (end && end !== node && start === inherited(anchor, node) && fits(end, of)) this.connect(node, end)
      }
    for (const each of provisions) this.#provision(node, each)
  }

  #provision(node: string, { of, isDependent, matchDependents }: Asks['provisions'][number]): void {
    const made = inherited(of, node)
    this.nodes.add(made)
    if (made === node) return
    if (isDependent) this.connect(made, node)
    if (!matchDependents) return
    for (const [from, to] of this.edges) if (to === node && from !== made) this.connect(from, made)
  }
}

function inherited(part: Part, node: string): string {
  const [, ownClass = '', ownId = ''] = /\.([^#]+)#(.+)$/.exec(node) ?? []
  return `${part.type}.${part.class ?? ownClass}#${part.id ?? ownId}`
}

function fits(node: string, of: Part): boolean {
  return node.startsWith(`${of.type}.${of.class ?? ''}`) && node.endsWith(of.id ? `#${of.id}` : '')
}

/** The edges as the rules say: they add nodes and edges until none adds more. Shares no code with the graph. */
function naiveEdges({ modules, shared }: SetContent, asksOf: Readonly<Record<string, Asks>>): string[] {
  const graph = new NaiveGraph()
  for (const [id, { type }] of Object.entries(shared)) graph.nodes.add(`${String(type)}.default#shared.${id}`)
  for (const [id, { externals }] of Object.entries(modules)) {
    const workload = `workload.default#modules.${id}`
    graph.nodes.add(workload)
    for (const [name, { type }] of Object.entries(externals as Record<string, FreeForm>))
      graph.connect(workload, `${String(type)}.default#modules.${id}.externals.${name}`)
  }
  for (let size = -1; size !== graph.size; ) {
    size = graph.size
    for (const node of graph.nodes) graph.apply(node, asksOf[node.split('.')[0] ?? ''] as Asks) // of each type
  }
  return graph.texts
}

/** References point to later types, so that most graphs have few resources. */
function laterPart(random: Random, after: number): Part {
  const type = types[Math.min(types.length - 1, after + 1 + random.below(2))] ?? 'config'
  return partOf(random, type)
}

function partOf(random: Random, type: Type): Part {
  const ids: [string, ...string[]] = ['shared.a', 'modules.w', 'modules.w.externals.a', 'n']
  return {
    type,
    class: random.chance(0.2) ? 'x' : undefined,
    id: random.chance(0.4) ? random.pick(ids) : undefined,
  }
}

function randomAsks(random: Random, index: number): Asks {
  const some = <T>(chance: number, make: () => T): T[] =>
    [0, 1].flatMap(() => (random.chance(chance) ? [make()] : []))
  const any = () => partOf(random, random.pick(types))
  const provisions = some(0.3, () => ({
    of: laterPart(random, index),
    isDependent: random.chance(0.3),
    matchDependents: random.chance(0.5),
  }))
  return {
    references: index === types.length - 1 ? [] : some(0.4, () => laterPart(random, index)),
    selectors: some(0.3, () => ({ anchor: any(), sign: random.pick(['<', '>']), of: any() })),
    provisions: [...new Map(provisions.map((each) => [textOf(each.of), each])).values()],
  }
}

function randomSet(random: Random): SetContent {
  const needs = () =>
    Object.fromEntries(
      ['a', 'b'].flatMap((name) =>
        random.chance(0.6) ? [[name, { type: random.pick(['s3', 'postgres', 'redis']) }]] : [],
      ),
    )
  return set({ w: module(needs()), v: module(needs()) }, needs())
}

test('a graph has exactly the edges that the rules add one after the other', () => {
  for (let seed = 0; seed < casesOf(2000); seed++) {
    const random = createRandom(seed)
    const asks = Object.fromEntries(types.map((type, i) => [type, randomAsks(random, i)]))
    const definitions = Object.entries(asks).map(([type, { references, selectors, provisions }]) => {
      const texts = [
        ...references.map(textOf),
        ...selectors.map(({ anchor, sign, of }) => `${textOf(anchor)}${sign}${textOf(of)}`),
      ]
      return definition(type, type, {
        criteria: [{}, { class: 'x' }],
        driverInputs: { values: { list: texts.map((text) => `\${resources['${text}'].guresid}`) } },
        provision: Object.fromEntries(provisions.map(({ of, ...rest }) => [textOf(of), rest])),
      })
    })
    const content = randomSet(random)
    const graph = graphOf(content, ...definitions)
    expect(problems(graph).filter((each) => !each.startsWith('Cycle'))).toEqual([])
    expect([seed, edges(graph)]).toEqual([seed, naiveEdges(content, asks)])
  }
})
