import { hash } from 'node:crypto'
import type { FreeForm } from '../../api/schema.ts'
import type { SharedValue, ValueSource } from '../../api/shared-value.ts'
import { Problem } from '../base/errors.ts'
import { compareText, ownValue } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import type { ObjectProblem } from '../base/object-problem.ts'
import { maxExpandedLength } from '../base/size-limits.ts'
import { fullBudget, type WorkBudget } from '../base/work-budget.ts'
import { valuesRoot } from '../placeholder/link.ts'
import { type FoundPlaceholder, findPlaceholders, type Resolved } from '../placeholder/placeholder.ts'
import { formatPath } from '../placeholder/template.ts'
import { problemOfStore } from '../secret/secret-stores.ts'
import type { Draft } from './draft-graph.ts'
import type { Report } from './needs.ts'

/** A shared value in a plan. A value in a secret store cannot be deployed before the store is known. */
export type PlannedValue = ValueSource & Pick<SharedValue['spec'], 'storeReference'>

/** The shared values that an environment can read, by key. */
export type SharedValues = ReadonlyMap<string, PlannedValue>

type Place = Pick<SharedValue['spec'], 'applicationName' | 'environmentId' | 'key'>

/** The application, environment and key of a value as one text. Two objects with the same identity conflict. */
export function valueIdentity({ applicationName, environmentId = '', key }: Place): string {
  return [applicationName, environmentId, key].join(' ')
}

/** Object name of a value that is created over REST. */
export function valueObjectName(place: Place): string {
  return hash('sha256', valueIdentity(place)).slice(0, 40)
}

/** The effective values of one application: of conflicting objects the oldest, then the first by name. */
export function effectiveValues(values: readonly SharedValue[]): SharedValue[] {
  const held = new Map<string, SharedValue>()
  for (const each of values) {
    if (each.metadata.deletionTimestamp) continue
    const place = valueIdentity(each.spec)
    const known = held.get(place)
    if (!known || isOlder(each, known)) held.set(place, each)
  }
  return [...held.values()].sort((left, right) => compareText(left.spec.key, right.spec.key))
}

function isOlder({ metadata: left }: SharedValue, { metadata: right }: SharedValue): boolean {
  const byAge = compareText(left.creationTimestamp, right.creationTimestamp)
  return (byAge || compareText(left.name, right.name)) < 0
}

/** The values of an application that an environment can read. Its own values override those of the application. */
export function valuesOfEnvironment(values: readonly SharedValue[], environmentId: string): SharedValue[] {
  const seen = effectiveValues(values).filter(
    ({ spec }) => spec.environmentId === undefined || spec.environmentId === environmentId,
  )
  const own = new Set(seen.filter(({ spec }) => spec.environmentId !== undefined).map(({ spec }) => spec.key))
  return seen.filter(({ spec }) => spec.environmentId !== undefined || !own.has(spec.key))
}

/** The values that placeholders in an environment can name. */
export function sharedValuesFor(values: readonly SharedValue[], environmentId: string): SharedValues {
  return new Map(valuesOfEnvironment(values, environmentId).map(({ spec }) => [spec.key, sourceOf(spec)]))
}

function sourceOf({ value, secret, storeReference }: SharedValue['spec']): PlannedValue {
  if (storeReference) return { storeReference }
  return secret ? { secret: { secret: secret.secret, key: secret.key } } : { value: value ?? '' }
}

/** The key that a placeholder names. Keys can contain dots; values have no parts. */
export function valueKey(path: readonly string[]): string {
  return path.slice(1).join('.')
}

/** The problem of a placeholder without a deployable value; undefined when it has one. */
export function problemOfValue(
  path: readonly string[],
  values: SharedValues,
  budget: WorkBudget = fullBudget(),
): ObjectProblem | undefined {
  const key = valueKey(path)
  const where = `'\${${formatPath(path)}}'`
  const found = values.get(key)
  if (found)
    return found.storeReference && problemOfStore(found.storeReference, `${where}: shared value '${key}'`)
  const hint = didYouMean(key, values.keys(), budget)
  return { reason: 'UnknownValue', message: `${where}: shared value '${key}' does not exist${hint}` }
}

/** Assigns the values that the params name. Params of a dependency are not secret, so secret values are reported. */
export function assignSharedValues(
  draft: Draft,
  values: SharedValues,
  isModule: boolean,
  report: Report,
): void {
  if (!draft.params || values.size === 0) return
  const named = new Map<string, ValueSource>()
  const lengths = new Map<string, number>()
  for (const { path, at } of placeholdersIn(draft.params, isModule)) {
    const key = valueKey(path)
    const source = values.get(key)
    if (!source || source.storeReference) continue // already reported
    named.set(key, source)
    // The length of secret values is unknown here. They count when they are inserted.
    lengths.set(key, (lengths.get(key) ?? 0) + (source.value?.length ?? 0))
    if (isModule || !source.secret) continue
    const message = `'\${${formatPath(path)}}' at '${at}' of the params is secret: params are never secret`
    report(draft.text, 'SecretParameter', message)
  }
  refuseTooLong(draft, lengths, report)
  draft.values = Object.fromEntries([...named].sort(([left], [right]) => compareText(left, right)))
}

function refuseTooLong(draft: Draft, lengths: ReadonlyMap<string, number>, report: Report): void {
  const total = [...lengths.values()].reduce((sum, each) => sum + each, 0)
  if (total <= maxExpandedLength) return
  const [[key, most] = ['', 0]] = [...lengths].sort(
    ([left, a], [right, b]) => b - a || compareText(left, right),
  )
  const message = `the shared values in the params have ${total} characters in total, more than ${maxExpandedLength}; '${key}' contributes ${most}, counting each use`
  report(draft.text, 'TooLarge', message)
}

function placeholdersIn(params: FreeForm, keys: boolean): FoundPlaceholder[] {
  try {
    return findPlaceholders(params, { keys, roots: [valuesRoot] })
  } catch (error) {
    // Malformed placeholders are already reported.
    if (error instanceof Problem) return []
    throw error
  }
}

/** The value of a placeholder; undefined when the deployment assigned none. */
export function resolvedValue(
  path: readonly string[],
  values: Readonly<Record<string, ValueSource>>,
  secrets: FreeForm,
): Resolved | undefined {
  const key = valueKey(path)
  const source = ownValue(values, key)
  if (!source) return undefined
  if (!source.secret) return { value: source.value ?? '', secret: false }
  return Object.hasOwn(secrets, key) ? { value: secrets[key], secret: true } : undefined
}

/** References to the secret shared values, by key. */
export function valueSecretRefs(values: Readonly<Record<string, ValueSource>> = {}): FreeForm {
  const entries = Object.entries(values).flatMap(([key, { secret }]) => (secret ? [[key, secret]] : []))
  return Object.fromEntries(entries)
}
