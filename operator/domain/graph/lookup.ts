import type { ActiveResource } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled, Waiting } from '../base/errors.ts'
import { isObject, ownValue } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { dependencyDepth, isSelector, valuesRoot } from '../placeholder/link.ts'
import type { Resolved } from '../placeholder/placeholder.ts'
import { formatPath } from '../placeholder/template.ts'
import { formatDescriptor } from '../resource/descriptor.ts'
import { mergeObjects } from '../schema/secret-outputs.ts'
import { resolvedValue, valueKey } from './shared-values.ts'

type ResourceSpec = ActiveResource['spec']

/** The outputs and the spec of a referenced resource. */
export interface ResourceOutputs {
  readonly outputs: FreeForm
  readonly secretOutputs: FreeForm
  readonly spec: LookupSources['spec']
}

/** What the placeholders of a resource are looked up in. */
export interface LookupSources {
  readonly spec: Pick<
    ResourceSpec,
    'context' | 'type' | 'class' | 'resourceId' | 'definition' | 'params' | 'values' | 'references'
  > & {
    readonly deploymentName?: string
  }
  readonly guResId: string
  outputsOf(guResId: string): ResourceOutputs | undefined
  /** The content of secret shared values, by key; none when absent. */
  readonly secretValues?: FreeForm
}

/**
 * The value of a placeholder, and whether it is secret. Throws Waiting while a resource that it names has no outputs,
 * and Stalled for an unknown path.
 */
export function lookUp(path: readonly string[], sources: LookupSources): Resolved {
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
function plainInputsOf({ definition }: LookupSources['spec']): FreeForm {
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

/** The outputs of a resource; throws Waiting while it has none. */
export function known(guResId: string, text: string, outputsOf: LookupSources['outputsOf']): ResourceOutputs {
  const found = outputsOf(guResId)
  if (!found) throw new Waiting('DependencyNotReady', `waiting for '${text}'`)
  return found
}
