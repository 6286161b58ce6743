import type { ActiveResource } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem, Stalled, Waiting } from '../base/errors.ts'
import { isObject, ownValue, pointerSteps } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { TooLarge } from '../base/size-limits.ts'
import {
  dependencyDepth,
  isSelector,
  modulePlaceholderRoots,
  paramsRoots,
  valuesRoot,
} from '../placeholder/link.ts'
import { type Expanded, expand, type Resolved } from '../placeholder/placeholder.ts'
import { formatPath } from '../placeholder/template.ts'
import { type Descriptor, formatDescriptor } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { workloadOf } from '../resource/identity.ts'
import { simpleTypeName, workloadType } from '../resource/types.ts'
import { defineProperty, mergeObjects } from '../schema/secret-outputs.ts'
import { resolveSecrets } from '../secret/secret-inputs.ts'
import { resolvedValue, valueKey } from './shared-values.ts'

type ResourceSpec = ActiveResource['spec']

/** The outputs and the spec of a referenced resource. */
export interface ResourceOutputs {
  readonly outputs: FreeForm
  readonly secretOutputs: FreeForm
  readonly spec: InputSources['spec']
}

/** A neighbour, as a driver sees it. */
export interface NeighbourValue {
  readonly guResId: string
  readonly descriptor: Descriptor
  readonly outputs: FreeForm
  readonly params: FreeForm
  /** Workload that owns the neighbour; absent for shared and implicit resources. */
  readonly workload?: string
}

/** The data that the inputs of a resource are resolved from. */
export interface InputSources {
  readonly spec: Pick<
    ResourceSpec,
    'context' | 'type' | 'class' | 'resourceId' | 'definition' | 'params' | 'values' | 'references'
  > & {
    readonly deploymentName?: string
  }
  readonly guResId: string
  /** The driver that receives the inputs. */
  readonly descriptor: Pick<DriverDescriptor, 'neighbours'>
  outputsOf(guResId: string): ResourceOutputs | undefined
  /** The content of the Secrets that the leaves of the secret inputs name. */
  readonly secrets: FreeForm
  /** The content of secret shared values, by key; none when absent. */
  readonly secretValues?: FreeForm
}

/** What the placeholders of a resource are looked up in. */
type LookupSources = Pick<InputSources, 'spec' | 'guResId' | 'outputsOf' | 'secretValues'>

/** The inputs of a driver call. */
export interface ResolvedInputs {
  readonly values: FreeForm
  readonly secrets: FreeForm
  readonly params: FreeForm
  /** JSON pointers to the texts of a module that contain secrets. */
  readonly secretParams?: readonly string[]
  readonly neighbours: Record<string, NeighbourValue[]>
}

/** Resolves all placeholders. A plain input that a secret is inserted into becomes a secret input. */
export function resolveInputs(sources: InputSources): ResolvedInputs {
  const { spec } = sources
  const lookup = (path: readonly string[]): Resolved => lookUp(path, sources)
  const { values: given = {}, secretRefs = {} } = spec.definition.driverInputs ?? {}
  const values = stalling('driver inputs', () => expand(given, lookup))
  const secrets = stalling('secret inputs', () => resolveSecrets(secretRefs, sources.secrets, lookup))
  const isModule = simpleTypeName(spec.type) === workloadType
  const params = stalling('params', () =>
    isModule
      ? expand(spec.params ?? {}, lookup, modulePlaceholderRoots, { keys: true })
      : expand(spec.params ?? {}, lookup, paramsRoots),
  )
  const [leak] = params.secretPointers
  if (leak !== undefined && !isModule) throw secretParameter(leak)
  return {
    ...moveSecrets(values, secrets),
    params: params.value,
    ...(leak === undefined ? {} : { secretParams: params.secretPointers }),
    neighbours: neighboursFor(sources),
  }
}

/** Turns a problem of `work` into Stalled: a retry cannot solve it. */
function stalling<T>(part: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooLarge) throw new Stalled('TooLarge', `${part}: ${error.message}`)
    if (error instanceof Problem) throw new Stalled('InvalidPlaceholder', error.message)
    throw error
  }
}

function neighboursFor({ spec, descriptor, outputsOf }: InputSources): Record<string, NeighbourValue[]> {
  return Object.fromEntries(
    Object.entries(descriptor.neighbours).map(([name, text]) => {
      const found = ownValue(spec.references ?? {}, text) ?? []
      return [name, found.map((guResId) => neighbour(guResId, known(guResId, text, outputsOf), outputsOf))]
    }),
  )
}

function neighbour(
  guResId: string,
  { outputs, spec }: ResourceOutputs,
  outputsOf: InputSources['outputsOf'],
): NeighbourValue {
  const { type, class: resourceClass, resourceId } = spec
  const workload = workloadOf(resourceId)
  return {
    guResId,
    descriptor: { type, class: resourceClass, resourceId },
    outputs,
    params: paramsOf({ guResId, spec, outputsOf }),
    ...(workload === undefined ? {} : { workload }),
  }
}

/** The params of a neighbour, with its placeholders resolved. */
function paramsOf(sources: LookupSources): FreeForm {
  const { spec } = sources
  const what = `params of ${formatDescriptor(spec)}`
  const { value, secretPointers } = stalling(what, () =>
    expand(spec.params ?? {}, (path) => lookUp(path, sources), paramsRoots),
  )
  const [leak] = secretPointers
  if (leak !== undefined) throw secretParameter(leak)
  return value
}

function secretParameter(pointer: string): Stalled {
  return new Stalled('SecretParameter', `param '${pointer}' names a secret output: params are never secret`)
}

function known(guResId: string, text: string, outputsOf: InputSources['outputsOf']): ResourceOutputs {
  const found = outputsOf(guResId)
  if (!found) throw new Waiting('DependencyNotReady', `waiting for '${text}'`)
  return found
}

function lookUp(path: readonly string[], sources: LookupSources): Resolved {
  const [root, text = ''] = path
  if (root === 'context') return { value: contextValue(path, sources), secret: false }
  if (root === valuesRoot) {
    const resolved = resolvedValue(path, sources.spec.values ?? {}, sources.secretValues ?? {})
    if (!resolved) throw unknownPath(path, `the deployment has no shared value '${valueKey(path)}'`)
    return resolved
  }
  const depth = root === 'resources' ? 2 : dependencyDepth(path)
  if (depth === undefined) throw unknownPath(path, 'it names no dependency')
  const key = root === 'resources' ? text : formatPath(path.slice(0, depth))
  const found = ownValue(sources.spec.references ?? {}, key)
  if (!found) throw unknownPath(path, `the deployment has no '${key}'`)
  const tail = root === 'resources' ? path.slice(2) : ['outputs', ...path.slice(depth)]
  const each = found.map((guResId) => tailValue(guResId, known(guResId, key, sources.outputsOf), tail, path))
  if (!isSelector(key)) return each[0] ?? { value: undefined, secret: false }
  return { value: each.map(({ value }) => value), secret: each.some(({ secret }) => secret) }
}

function contextValue(path: readonly string[], { spec, guResId }: LookupSources): string {
  const { context, type, class: resourceClass, resourceId, deploymentName } = spec
  const values: Record<string, string | undefined> = {
    'org.id': context.organizationId,
    'app.id': context.applicationId,
    'env.id': context.environmentId,
    'env.type': context.environmentType,
    'res.id': resourceId,
    'res.type': type,
    'res.class': resourceClass,
    'res.guresid': guResId,
    'deploy.id': deploymentName,
  }
  const value = ownValue(values, path.slice(1).join('.'))
  if (value === undefined) throw unknownPath(path, `the context has ${Object.keys(values).join(', ')}`)
  return value
}

function tailValue(
  guResId: string,
  resource: ResourceOutputs,
  [tail, ...rest]: readonly string[],
  path: readonly string[],
): Resolved {
  const { outputs, secretOutputs, spec } = resource
  const { accountName } = spec.definition
  const values = plainInputsOf(spec)
  if (tail === 'guresid' && rest.length === 0) return { value: guResId, secret: false }
  if (tail === 'account' && rest.length === 0 && accountName !== undefined)
    return { value: accountName, secret: false }
  if (tail !== 'outputs' && tail !== 'values')
    throw unknownPath(path, `${formatDescriptor(spec)} has no '${tail ?? ''}'`)
  const [name] = rest
  if (name === undefined)
    return { value: mergeObjects(outputs, secretOutputs), secret: Object.keys(secretOutputs).length > 0 }
  const holders = [outputs, secretOutputs].filter((each) => Object.hasOwn(each, name))
  if (holders.length === 0 && tail === 'values' && Object.hasOwn(values, name)) holders.push(values)
  if (holders.length === 0) throw unknownPath(path, existing(resource, name))
  // An output that is partly secret counts as secret.
  const found = holders
    .map((holder) => ({ holder, value: valueAt(holder, rest) }))
    .filter(({ value }) => value !== undefined)
  if (found.length === 0)
    throw unknownPath(path, `output '${name}' of ${formatDescriptor(spec)} has no such part`)
  return {
    value: found.map(({ value }) => value).reduce(mergeObjects),
    secret: found.some(({ holder }) => holder === secretOutputs),
  }
}

/** Plain driver inputs of the definition of a resource. */
function plainInputsOf({ definition }: InputSources['spec']): FreeForm {
  return definition.driverInputs?.values ?? {}
}

function existing({ outputs, secretOutputs, spec }: ResourceOutputs, wrong: string): string {
  const names = [...Object.keys(outputs), ...Object.keys(secretOutputs)].sort()
  const list =
    names.length === 0 ? 'no outputs' : `the outputs ${names.map((each) => `'${each}'`).join(', ')}`
  return `${formatDescriptor(spec)} has ${list}${didYouMean(wrong, names)}`
}

function valueAt(start: unknown, path: readonly string[]): unknown {
  let value = start
  for (const step of path) {
    if (Array.isArray(value)) value = /^\d+$/.test(step) ? value[Number(step)] : undefined
    else value = isObject(value) ? ownValue(value, step) : undefined
  }
  return value
}

function unknownPath(path: readonly string[], why: string): Stalled {
  return new Stalled('UnknownOutput', `'\${${formatPath(path)}}' is unknown: ${why}`)
}

/** Moves values at secret pointers to the secrets, at the same paths. A pointer into an array moves the whole array. */
function moveSecrets(
  { value, secretPointers }: Expanded<FreeForm>,
  given: FreeForm,
): { values: FreeForm; secrets: FreeForm } {
  const values = structuredClone(value)
  const secrets = structuredClone(given)
  for (const pointer of secretPointers) {
    moveAlong(pointerSteps(pointer), values, secrets)
  }
  return { values, secrets }
}

function moveAlong([step = '', ...rest]: readonly string[], from: FreeForm, to: FreeForm): void {
  if (!Object.hasOwn(from, step)) return // already moved with its array
  const value = from[step]
  if (rest.length === 0 || !isObject(value)) {
    defineProperty(to, step, value)
    delete from[step]
    return
  }
  const present = ownValue(to, step)
  const below = isObject(present) ? present : {}
  defineProperty(to, step, below)
  moveAlong(rest, value, below)
}
