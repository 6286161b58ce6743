import type { Criterion, ResourceDefinition } from '../../api/resource-definition.ts'
import { canonicalJson, compareText } from '../base/json.ts'
import { fullBudget } from '../base/work-budget.ts'
import { defaultClass } from '../resource/descriptor.ts'
import { criterionRank, formatCriterion, normalizeCriterion, rankedKeys } from './criterion.ts'
import { comparedValue, type Match, type MatchRequest, type NoMatch, type WonMatch } from './match-types.ts'
import {
  criterionEntriesOf,
  type ExplanationCache,
  explainNoMatch,
  type NoMatchDetails,
  type RankedCandidate,
  rankCandidates,
} from './near-misses.ts'
import type { CriterionEntry } from './nearest-criteria.ts'

/** Finds the definition for a resource. */
export interface Matcher {
  /** Pass `explanations` to share their work across the requests of one context. */
  match(request: MatchRequest, explanations?: ExplanationCache): Match
  /** Every criterion of the type that was not chosen, and why, the nearest first. Slow. */
  candidatesFor(request: MatchRequest): readonly RankedCandidate[]
  /** Whether a definition of the type exists, with any criteria. */
  hasDefinitionOf(type: string): boolean
}

interface Holder {
  readonly definition: ResourceDefinition
  readonly criterion: Criterion
  readonly rank: number
}

/** Criteria of one type and class by rank, which encodes the given keys, then by the values of those keys. */
type Bucket = Map<number, Map<string, Holder>>

/** Creates a matcher. The definitions in `defaults` apply only where none of the others matches. */
export function createMatcher(
  definitions: readonly ResourceDefinition[],
  options: { readonly defaults?: readonly ResourceDefinition[] } = {},
): Matcher {
  const tiers = [definitions, options.defaults ?? []].map(indexOf)
  const entries = new Map<string, readonly CriterionEntry[]>()
  const entriesOf = (type: string): readonly CriterionEntry[] => {
    const all = tiers.flatMap((tier) => tier.get(type)?.definitions ?? [])
    // Unknown types are not cached, so that requests cannot fill the memory.
    return all.length === 0 ? criterionEntriesOf(all) : entryOf(entries, type, () => criterionEntriesOf(all))
  }
  const match = (request: MatchRequest, explanations?: ExplanationCache): Match => {
    for (const tier of tiers) {
      const bucket = tier.get(request.type)?.buckets.get(request.class)
      const holder = bucket && bestOf(bucket, request)
      if (bucket && holder) return new Won(holder, bucket, request)
    }
    return noMatch(() =>
      explainNoMatch(
        request,
        entriesOf(request.type),
        explanations ?? { budget: fullBudget(), known: new Map() },
      ),
    )
  }
  return {
    match,
    candidatesFor: (request) =>
      rankCandidates(
        request,
        match(request),
        tiers.map((tier) => tier.get(request.type)?.definitions ?? []),
      ),
    hasDefinitionOf: (type) => tiers.some((tier) => tier.has(type)),
  }
}

interface TypeIndex {
  readonly definitions: ResourceDefinition[]
  readonly buckets: Map<string, Bucket>
}

function indexOf(definitions: readonly ResourceDefinition[]): Map<string, TypeIndex> {
  const types = new Map<string, TypeIndex>()
  for (const definition of inOrderOfAge(definitions)) {
    const type = entryOf(types, definition.spec.type, () => ({ definitions: [], buckets: new Map() }))
    type.definitions.push(definition)
    for (const criterion of (definition.spec.criteria ?? []).map(normalizeCriterion)) {
      const rank = criterionRank(criterion)
      const bucket = entryOf(type.buckets, criterion.class ?? defaultClass, (): Bucket => new Map())
      const holders = entryOf(bucket, rank, () => new Map<string, Holder>())
      const values = rankedKeys.map((each) => criterion[each])
      const key = holderKey(rank, values)
      if (!holders.has(key)) holders.set(key, { definition, criterion, rank })
    }
  }
  for (const type of types.values()) {
    for (const [name, bucket] of type.buckets)
      type.buckets.set(name, new Map([...bucket].sort(([a], [b]) => b - a)))
  }
  return types
}

/** The definitions that are not being deleted, oldest first: of equal criteria, the older one applies. */
function inOrderOfAge(definitions: readonly ResourceDefinition[]): ResourceDefinition[] {
  return definitions
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort(
      ({ metadata: a }, { metadata: b }) =>
        compareText(a.creationTimestamp, b.creationTimestamp) || compareText(a.name, b.name),
    )
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** The values of the ranked keys that the rank encodes. */
function holderKey(rank: number, values: readonly (string | undefined)[]): string {
  let key = ''
  for (let index = 0; index < values.length; index++) key += rank & (1 << index) ? `\0${values[index]}` : '\0'
  return key
}

/** The fitting definition of the highest rank. Called for each node of a graph. */
function bestOf(bucket: Bucket, request: MatchRequest): Holder | undefined {
  const values = valuesOf(request)
  for (const [rank, holders] of bucket) {
    const holder = holders.get(holderKey(rank, values))
    if (holder) return holder
  }
  return undefined
}

/** All fitting definitions, the highest rank first. */
function fitting(bucket: Bucket, request: MatchRequest): Holder[] {
  const values = valuesOf(request)
  return [...bucket].flatMap(([rank, holders]) => holders.get(holderKey(rank, values)) ?? [])
}

function valuesOf(request: MatchRequest): (string | undefined)[] {
  return rankedKeys.map((key) => comparedValue[key](request))
}

/** A match whose explanation is computed on demand, because most matches are never shown. */
class Won implements WonMatch {
  readonly definition: ResourceDefinition
  readonly criterion: Criterion
  readonly rank: number
  readonly #holder: Holder
  readonly #bucket: Bucket
  readonly #request: MatchRequest

  constructor(holder: Holder, bucket: Bucket, request: MatchRequest) {
    this.definition = holder.definition
    this.criterion = holder.criterion
    this.rank = holder.rank
    this.#holder = holder
    this.#bucket = bucket
    this.#request = request
  }

  get explanation(): string {
    const own = `criterion ${formatCriterion(this.criterion)} of '${this.definition.metadata.name}' (rank ${this.rank})`
    const second = fitting(this.#bucket, this.#request).find((each) => each !== this.#holder)
    if (!second) return `${own} is the only match`
    return `${own} beat '${second.definition.metadata.name}' ${formatCriterion(second.criterion)} (rank ${second.rank})`
  }
}

/** The explanation is computed on demand. */
function noMatch(explain: () => NoMatchDetails): NoMatch {
  let known: NoMatchDetails | undefined
  const details = (): NoMatchDetails => (known ??= explain())
  return {
    definition: undefined,
    get explanation() {
      return details().explanation
    },
    get candidates() {
      return details().candidates
    },
    get more() {
      return details().more
    },
  }
}

/** A criterion that an older definition of the type has too. */
export interface DuplicateCriterion {
  readonly definitionName: string
  readonly criterion: Criterion
  readonly holder: string
}

/** The criteria that do not apply because an older definition of the type has an equal one. */
export function duplicateCriteria(definitions: readonly ResourceDefinition[]): DuplicateCriterion[] {
  const holders = new Map<string, string>()
  const duplicates: DuplicateCriterion[] = []
  for (const { metadata, spec } of inOrderOfAge(definitions)) {
    for (const criterion of spec.criteria ?? []) {
      const key = `${spec.type}\0${canonicalJson(normalizeCriterion(criterion))}`
      const holder = holders.get(key)
      if (holder === undefined) holders.set(key, metadata.name)
      else if (holder !== metadata.name) duplicates.push({ definitionName: metadata.name, criterion, holder })
    }
  }
  return duplicates
}
