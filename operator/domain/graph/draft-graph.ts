import type { ResourceContext } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import type { ValueSource } from '../../api/shared-value.ts'
import { compareText } from '../base/json.ts'
import type { CompiledDefinition } from '../definition/compile-references.ts'
import type { WonMatch } from '../definition/match-types.ts'
import type { Selector } from '../placeholder/link.ts'
import { type Descriptor, formatDescriptor, inherit, type Reference } from '../resource/descriptor.ts'
import { guResId } from '../resource/identity.ts'

/** Params of a resource, and who gives them. */
export interface ParamSource {
  readonly by: string
  readonly params: FreeForm
}

/** A node of a graph that is being built. */
export interface Draft {
  readonly text: string
  readonly descriptor: Descriptor
  readonly guResId: string
  /** Direct dependencies. */
  readonly edges: Set<Draft>
  readonly dependents: Set<Draft>
  readonly references: Map<string, readonly Draft[]>
  readonly paramSources: ParamSource[]
  params: FreeForm | undefined
  /** Shared values that the params name. */
  values: Readonly<Record<string, ValueSource>>
  match: WonMatch | undefined
  compiled: CompiledDefinition | undefined
}

/** The growing graph. Nodes and edges are never removed, so the result does not depend on their order. */
export class DraftGraph {
  readonly #context: ResourceContext
  readonly #nodes = new Map<string, Draft>()
  readonly #queue: Draft[] = []
  /** Co-provisioned resources that all dependents of a resource depend on too. */
  readonly #copies = new Map<Draft, Set<Draft>>()
  readonly #uncopied = new Set<Draft>()
  readonly #selections = new Map<Draft, Map<string, Selector>>()

  constructor(context: ResourceContext) {
    this.#context = context
  }

  get nodes(): readonly Draft[] {
    return [...this.#nodes.values()]
  }

  get size(): number {
    return this.#nodes.size
  }

  find(descriptor: Descriptor): Draft | undefined {
    return this.#nodes.get(formatDescriptor(descriptor))
  }

  /** The node of this descriptor, created if necessary. */
  node(descriptor: Descriptor): Draft {
    const text = formatDescriptor(descriptor)
    const found = this.#nodes.get(text)
    if (found) return found
    const draft: Draft = {
      text,
      descriptor,
      guResId: guResId(this.#context, descriptor),
      edges: new Set(),
      dependents: new Set(),
      references: new Map(),
      paramSources: [],
      params: undefined,
      values: {},
      match: undefined,
      compiled: undefined,
    }
    this.#nodes.set(text, draft)
    this.#queue.push(draft)
    return draft
  }

  /** The nodes that are not expanded yet, including nodes that are added during the iteration. */
  *unexpanded(): Generator<Draft> {
    for (let draft = this.#queue.pop(); draft; draft = this.#queue.pop()) yield draft
  }

  /** Makes `from` depend on `to`. */
  connect(from: Draft, to: Draft): void {
    if (from.edges.has(to)) return
    from.edges.add(to)
    to.dependents.add(from)
    if (this.#copies.has(to)) this.#uncopied.add(to)
  }

  /** Requests that all dependents of `original` depend on `copy` too; `connectCopies` adds the edges. */
  copyDependents(original: Draft, copy: Draft): void {
    const copies = this.#copies.get(original) ?? new Set()
    this.#copies.set(original, copies.add(copy))
    this.#uncopied.add(original)
  }

  /** Adds the edges that `copyDependents` requested, until nothing changes. */
  connectCopies(): void {
    for (const original of this.#uncopied) {
      this.#uncopied.delete(original)
      for (const dependent of original.dependents) {
        for (const copy of this.#copies.get(original) ?? [])
          if (copy !== dependent) this.connect(dependent, copy)
      }
    }
  }

  /** The selectors of the nodes that have any, by their texts. */
  get selections(): ReadonlyMap<Draft, ReadonlyMap<string, Selector>> {
    return this.#selections
  }

  addSelection(from: Draft, text: string, selector: Selector): void {
    const selections = this.#selections.get(from) ?? new Map()
    this.#selections.set(from, selections.set(text, selector))
  }

  /** The nodes that a selector of `from` selects, in a stable order, without `from` itself. */
  select({ anchor, direction, of }: Selector, from: Draft, alternatives: Alternatives = sameType): Draft[] {
    const start = alternatives(anchor.type)
      .map((type) => this.find(inherit({ ...anchor, type }, from.descriptor)))
      .find((found) => found !== undefined)
    if (!start) return []
    const types = alternatives(of.type)
    const pool = direction === '>' ? start.edges : start.dependents
    return [...pool].filter((each) => each !== from && fits(each, of, types)).sort(byText)
  }
}

/** The types that a type in a reference can mean. */
export type Alternatives = (type: string) => readonly string[]

const sameType: Alternatives = (type) => [type]

function fits({ descriptor }: Draft, of: Reference, types: readonly string[]): boolean {
  if (!types.includes(descriptor.type)) return false
  if (of.class !== undefined && of.class !== descriptor.class) return false
  return of.resourceId === undefined || of.resourceId === descriptor.resourceId
}

function byText(left: Draft, right: Draft): number {
  return compareText(left.text, right.text)
}
