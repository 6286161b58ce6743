import { createHash } from 'node:crypto'
import type { ResourceContext } from '../api/active-resource.ts'
import type { Criterion, ResourceDefinition } from '../api/resource-definition.ts'
import { defaultClass } from './descriptor.ts'
import { canonicalJson, compareText } from './json.ts'

/** What a definition is looked for. */
export interface MatchRequest {
  readonly type: string
  readonly class: string
  readonly resourceId: string
  readonly context: ResourceContext
}

/** A definition that did not win, and why. */
export interface Candidate {
  readonly definitionName: string
  readonly criterion: Criterion | undefined
  readonly reason: string
}

/** The definition that won. */
export interface WonMatch {
  readonly definition: ResourceDefinition
  /** The criterion that decided, in its normal form. */
  readonly criterion: Criterion
  readonly rank: number
  readonly explanation: string
  /** The definitions that fit as well, and lost. */
  readonly candidates: readonly Candidate[]
}

/** No definition fits; these came nearest. */
export interface NoMatch {
  readonly definition: undefined
  readonly explanation: string
  readonly candidates: readonly Candidate[]
  /** How many candidates there are beside those listed. */
  readonly more: number
}

export type Match = WonMatch | NoMatch

/** Finds the definition for a resource. */
export interface Matcher {
  match(request: MatchRequest): Match
  /** Whether there is any definition of the type, whatever its criteria. */
  hasDefinitionOf(type: string): boolean
}

interface Holder {
  readonly definition: ResourceDefinition
  readonly criterion: Criterion
  readonly rank: number
}

/** Criteria of one type and class: by rank, which says which keys are given, then by the values of those keys. */
type Bucket = Map<number, Map<string, Holder>>

const maxCandidates = 5
const rankedKeys = ['envType', 'appId', 'envId', 'resId'] as const
const spelling = { envType: 'env_type', appId: 'app_id', envId: 'env_id', resId: 'res_id', class: 'class' } as const
type Key = keyof typeof spelling

/** The criterion with its class present and without keys that say nothing. */
export function normalizeCriterion(criterion: Criterion): Criterion {
  const normal: Criterion = { class: given(criterion.class) ?? defaultClass }
  for (const key of rankedKeys) {
    const value = given(criterion[key])
    if (value !== undefined) normal[key] = value
  }
  return normal
}

function given(value: string | undefined): string | undefined {
  return value === '*' || value === '' ? undefined : (value ?? undefined)
}

/** Id of a criterion: equal content, equal id. */
export function criterionId(criterion: Criterion): string {
  return createHash('sha256').update(canonicalJson(normalizeCriterion(criterion))).digest('hex').slice(0, 32)
}

/** How specific a criterion is; the more specific one wins. */
export function criterionRank(criterion: Criterion): number {
  return rankedKeys.reduce((rank, key, i) => (given(criterion[key]) === undefined ? rank : rank + 2 ** i), 0)
}

/** The criterion as REST spells it, for texts. */
export function formatCriterion(criterion: Criterion): string {
  const normal = normalizeCriterion(criterion)
  const parts = keysOf(normal).map((key) => `${spelling[key]}: ${normal[key]}`)
  return `{${parts.join(', ')}}`
}

function keysOf(normal: Criterion): Key[] {
  const keys: Key[] = rankedKeys.filter((key) => normal[key] !== undefined)
  return normal.class === defaultClass ? keys : [...keys, 'class']
}

/** Finds definitions; those in `defaults` count only where none of the others fits. */
export function createMatcher(
  definitions: readonly ResourceDefinition[],
  options: { readonly defaults?: readonly ResourceDefinition[] } = {},
): Matcher {
  const tiers = [definitions, options.defaults ?? []].map(indexOf)
  return {
    match(request) {
      for (const tier of tiers) {
        const bucket = tier.get(request.type)?.buckets.get(request.class)
        const holder = bucket && fitting(bucket, request).next().value
        if (bucket && holder) return won(holder, bucket, request)
      }
      return lost(request, tiers.flatMap((tier) => tier.get(request.type)?.definitions ?? []))
    },
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
      const key = holderKey(rank, criterion.envType, criterion.appId, criterion.envId, criterion.resId)
      if (!holders.has(key)) holders.set(key, { definition, criterion, rank })
    }
  }
  for (const type of types.values()) {
    for (const [name, bucket] of type.buckets) type.buckets.set(name, new Map([...bucket].sort(([a], [b]) => b - a)))
  }
  return types
}

/** Those that take part, the oldest first: it keeps a criterion that a younger one has too. */
function inOrderOfAge(definitions: readonly ResourceDefinition[]): ResourceDefinition[] {
  return definitions
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort(
      ({ metadata: a }, { metadata: b }) =>
        compareText(a.creationTimestamp ?? '~', b.creationTimestamp ?? '~') || compareText(a.name, b.name),
    )
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

function holderKey(
  rank: number,
  envType: string | undefined,
  appId: string | undefined,
  envId: string | undefined,
  resId: string | undefined,
): string {
  return `${rank & 1 ? envType : ''}\0${rank & 2 ? appId : ''}\0${rank & 4 ? envId : ''}\0${rank & 8 ? resId : ''}`
}

function* fitting(bucket: Bucket, { context, resourceId }: MatchRequest): Generator<Holder, undefined> {
  const { environmentType, applicationId, environmentId } = context
  for (const [rank, holders] of bucket) {
    const holder = holders.get(holderKey(rank, environmentType, applicationId, environmentId, resourceId))
    if (holder) yield holder
  }
  return undefined
}

// Texts are made when they are asked for: most matches are never looked at by a person.
function won(holder: Holder, bucket: Bucket, request: MatchRequest): WonMatch {
  const { definition, criterion, rank } = holder
  const beaten = (): Holder[] => [...fitting(bucket, request)].filter((each) => each !== holder).slice(0, maxCandidates)
  return {
    definition,
    criterion,
    rank,
    get explanation() {
      const own = `criterion ${formatCriterion(criterion)} of '${definition.metadata.name}' (rank ${rank})`
      const [second] = beaten()
      if (!second) return `${own} is the only one that fits`
      return `${own} beat '${second.definition.metadata.name}' ${formatCriterion(second.criterion)} (rank ${second.rank})`
    },
    get candidates() {
      return beaten().map((each) => ({
        definitionName: each.definition.metadata.name,
        criterion: each.criterion,
        reason: `${formatCriterion(each.criterion)} has rank ${each.rank}, below ${rank}`,
      }))
    },
  }
}

function lost(request: MatchRequest, definitions: readonly ResourceDefinition[]): NoMatch {
  const nearest: (Candidate & { distance: number })[] = []
  let count = 0
  const consider = (definition: ResourceDefinition, criterion: Criterion | undefined): void => {
    count++
    const lacking = criterion ? lackingKeys(criterion, request) : []
    const distance = criterion ? lacking.length : 6
    if (nearest.length === maxCandidates && distance >= (nearest.at(-1)?.distance ?? 0)) return
    const definitionName = definition.metadata.name
    const reason = criterion ? lacking.map((key) => lack(key, criterion, request)).join(', ') : 'has no criteria'
    nearest.push({ definitionName, criterion, distance, reason })
    nearest.sort((a, b) => a.distance - b.distance || compareText(a.definitionName, b.definitionName))
    nearest.length = Math.min(nearest.length, maxCandidates)
  }
  for (const definition of [...definitions].sort((a, b) => compareText(a.metadata.name, b.metadata.name))) {
    const criteria = definition.spec.criteria ?? []
    if (criteria.length === 0) consider(definition, undefined)
    for (const criterion of criteria) consider(definition, normalizeCriterion(criterion))
  }
  const candidates = nearest.map(({ definitionName, criterion, reason }) => ({ definitionName, criterion, reason }))
  const more = count - candidates.length
  return { definition: undefined, candidates, more, explanation: explainLoss(request, candidates, more) }
}

function explainLoss({ type }: MatchRequest, candidates: readonly Candidate[], more: number): string {
  if (candidates.length === 0) return `there is no definition of type '${type}'`
  const each = candidates.map(({ definitionName, reason }) => `'${definitionName}' ${reason}`)
  return `no definition of type '${type}' fits: ${each.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function lackingKeys(criterion: Criterion, request: MatchRequest): Key[] {
  const keys: Key[] = rankedKeys.filter((key) => criterion[key] !== undefined && criterion[key] !== actual(key, request))
  return criterion.class === request.class ? keys : [...keys, 'class']
}

function lack(key: Key, criterion: Criterion, request: MatchRequest): string {
  return `needs ${spelling[key]} '${criterion[key]}' (is '${actual(key, request)}')`
}

function actual(key: Key, { context, resourceId, class: resourceClass }: MatchRequest): string {
  const values: Record<Key, string> = {
    envType: context.environmentType,
    appId: context.applicationId,
    envId: context.environmentId,
    resId: resourceId,
    class: resourceClass,
  }
  return values[key]
}

/** A criterion that an older definition of the type has already. */
export interface DuplicateCriterion {
  readonly definitionName: string
  readonly criterion: Criterion
  readonly holder: string
}

/** The criteria that lose to an equal one of an older definition of the same type. */
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
