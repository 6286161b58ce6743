import type { FreeForm } from '../../api/schema.ts'
import { Problem, Stalled } from '../base/errors.ts'
import { isObject, ownValue, pointerSteps } from '../base/json.ts'
import { TooLarge } from '../base/size-limits.ts'
import { modulePlaceholderRoots, paramsRoots } from '../placeholder/link.ts'
import { type Expanded, expand, type Resolved } from '../placeholder/placeholder.ts'
import { type Descriptor, formatDescriptor } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { workloadOf } from '../resource/identity.ts'
import { simpleTypeName, workloadType } from '../resource/types.ts'
import { defineProperty } from '../schema/secret-outputs.ts'
import { resolveSecrets } from '../secret/secret-inputs.ts'
import { known, type LookupSources, lookUp, type ResourceOutputs } from './lookup.ts'

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
export interface InputSources extends LookupSources {
  /** The driver that receives the inputs. */
  readonly descriptor: Pick<DriverDescriptor, 'neighbours'>
  /** The content of the Secrets that the leaves of the secret inputs name. */
  readonly secrets: FreeForm
}

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
