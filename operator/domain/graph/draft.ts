import type { ResourceContext } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import type { ValueSource } from '../../api/shared-value.ts'
import { compareText } from '../base/json.ts'
import type { CompiledDefinition } from '../definition/compile.ts'
import type { WonMatch } from '../definition/match.ts'
import type { Selector } from '../placeholder/link.ts'
import { type Descriptor, formatDescriptor, inherit, type Reference } from '../resource/descriptor.ts'
import { guResId } from '../resource/identity.ts'

/** Parameters that somebody gave to a resource. */
export interface ParamSource {
  readonly by: string
  readonly params: FreeForm
}

/** A node of a graph that is being built. */
export interface Draft {
  readonly text: string
  readonly descriptor: Descriptor
  readonly guResId: string
  /** What it depends on. */
  readonly edges: Set<Draft>
  readonly dependents: Set<Draft>
  /** Co-provisioned resources on which everything depends that depends on this one. */
  readonly copies: Set<Draft>
  readonly selections: Map<string, Selector>
  readonly references: Map<string, readonly Draft[]>
  readonly paramSources: ParamSource[]
  params: FreeForm | undefined
  /** Shared values that the params name. */
  values: Readonly<Record<string, ValueSource>>
  match: WonMatch | undefined
  compiled: CompiledDefinition | undefined
  /** There for its edges alone: nothing provisions it. */
  virtual: boolean
}

/**
 * Nodes and edges while they grow; nothing is ever taken away, so that the order in which they come does not
 * matter.
 */
export class DraftGraph {
  readonly #context: ResourceContext
  readonly #nodes = new Map<string, Draft>()
  readonly #queue: Draft[] = []
  readonly #uncopied = new Set<Draft>()

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

  /** The node of this descriptor, a new one when there is none yet. */
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
      copies: new Set(),
      selections: new Map(),
      references: new Map(),
      paramSources: [],
      params: undefined,
      values: {},
      match: undefined,
      compiled: undefined,
      virtual: false,
    }
    this.#nodes.set(text, draft)
    this.#queue.push(draft)
    return draft
  }

  /** The nodes that are not expanded yet, those included that are added meanwhile. */
  *unexpanded(): Generator<Draft> {
    for (let draft = this.#queue.pop(); draft; draft = this.#queue.pop()) yield draft
  }

  /** Makes `from` depend on `to`. */
  connect(from: Draft, to: Draft): void {
    if (from.edges.has(to)) return
    from.edges.add(to)
    to.dependents.add(from)
    if (to.copies.size > 0) this.#uncopied.add(to)
  }

  /** Makes everything that depends on `original` depend on `copy` as well. */
  copyDependents(original: Draft, copy: Draft): void {
    original.copies.add(copy)
    this.#uncopied.add(original)
  }

  /** Carries out what `copyDependents` asked for, until nothing changes. */
  connectCopies(): void {
    for (const original of this.#uncopied) {
      this.#uncopied.delete(original)
      for (const dependent of original.dependents) {
        for (const copy of original.copies)
          if (copy !== dependent && copy !== original) this.connect(dependent, copy)
      }
    }
  }

  /** What a selector in the mouth of `from` selects, in a stable order; never `from` itself. */
  select({ anchor, direction, of }: Selector, from: Draft, alternatives: Alternatives = sameType): Draft[] {
    const start = alternatives(anchor.type)
      .map((type) => this.find(inherit({ ...anchor, type }, from.descriptor)))
      .find((found) => found !== undefined)
    if (!start) return []
    const types = alternatives(of.type)
    const pool = direction === '>' ? start.edges : start.dependents
    return [...pool].filter((each) => each !== from && !each.virtual && fits(each, of, types)).sort(byText)
  }
}

/** The types that a type in a reference may stand for. */
export type Alternatives = (type: string) => readonly string[]

const sameType: Alternatives = (type) => [type]

function fits({ descriptor }: Draft, of: Reference, types: readonly string[]): boolean {
  if (!types.includes(descriptor.type)) return false
  if (of.class !== undefined && of.class !== descriptor.class) return false
  return of.resourceId === undefined || of.resourceId === descriptor.resourceId
}

/** Stable order of nodes. */
function byText(left: Draft, right: Draft): number {
  return compareText(left.text, right.text)
}
