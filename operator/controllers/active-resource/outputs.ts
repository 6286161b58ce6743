import type { ActiveResource } from '../../api/active-resource.ts'
import type { StoredObject } from '../../api/kind.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { findCustomType, type ResourceTypeInfo } from '../../domain/resource/type-info.ts'
import { leafPaths, type SeparatedOutputs, separateSecrets } from '../../domain/schema/secret-outputs.ts'
import { partedProblems } from '../../domain/schema/user-schema.ts'
import type { Outputs } from '../../drivers/driver.ts'
import { isOwnedBy } from '../../kube/client/resource.ts'
import type { WorkContext } from '../../kube/loop/controller.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import { referenceTo } from '../objects/applied-object.ts'
import { observedOf } from '../objects/observed.ts'
import type { NewResources } from '../shared/new-resources.ts'
import { contentOf, outputKey, outputsSecret } from '../shared/secrets.ts'

type Status = NonNullable<ActiveResource['status']>

const maxOutputsBytes = 512 * 1024
const remainsSeconds = 2
const secretKey = /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/

/**
 * Moves to the secret outputs those that the type declares secret, the driver returns as secret, or were secret before.
 * Throws Stalled for outputs that a status cannot hold or that, unless this is a repair, do not fit the schema of a custom type.
 */
export function sortOutputs(
  outputs: Outputs,
  types: readonly ResourceTypeInfo[],
  type: string,
  { secretPaths, isRepair }: { readonly secretPaths?: readonly string[]; readonly isRepair?: boolean } = {},
): SeparatedOutputs {
  const empty = Object.entries({ ...outputs.values, ...outputs.secrets }).find(([, value]) =>
    holdsNull(value),
  )
  if (empty)
    throw new Stalled('InvalidOutputs', `output '${empty[0]}' is, or contains, a null or too large a number`)
  const custom = customTypeOf(type, types)
  const sorted = separateSecrets(outputs, custom?.outputsSchema, secretPaths)
  if (custom && !isRepair) refuseUnfit(outputs, custom)
  refuseUnfitNames(sorted.secrets)
  const bytes = Buffer.byteLength(JSON.stringify([sorted.values, sorted.secretPaths]))
  if (bytes > maxOutputsBytes)
    throw new Stalled('OutputsTooLarge', `the outputs are ${bytes} bytes, more than ${maxOutputsBytes}`)
  return sorted
}

/**
 * Returns the custom type of that name; undefined for a built-in one. Throws Waiting while the type does not exist: it
 * declares which outputs are secret.
 */
export function customTypeOf(type: string, types: readonly ResourceTypeInfo[]): ResourceTypeInfo | undefined {
  const custom = findCustomType(type, types)
  if (!custom && type.includes('/'))
    throw new Waiting('TypeNotFound', `waiting for the resource type '${type}'`)
  return custom
}

/** Throws Stalled for outputs that do not fit the type; outputs that were secret before count as the type declares them. */
function refuseUnfit(outputs: Outputs, { type, outputsSchema }: ResourceTypeInfo): void {
  const [problem] = partedProblems(outputsSchema, separateSecrets(outputs, outputsSchema))
  if (!problem) return
  const { place, message } = problem
  const fits = place === '' ? 'the outputs do not fit' : `output '${place}' does not fit`
  throw new Stalled('InvalidOutputs', `${fits} the type '${type}': ${message}`)
}

/** The cluster does not say which key of a Secret it refuses, lest it shows content. */
function refuseUnfitNames(secrets: FreeForm): void {
  const unfit = Object.entries(secrets).find(([name, value]) => !secretKey.test(outputKey(name, value)))
  if (unfit === undefined) return
  const message = `secret output '${unfit[0]}' has a name that is no key of a Secret: at most 253 letters, digits, '-', '_' and '.'`
  throw new Stalled('InvalidOutputs', message)
}

/** Removes the plain outputs at these paths from a status, and records the paths as secret. */
export function withSecretOutputs<T extends Pick<Status, 'outputs'>>(
  status: T,
  secretPaths: readonly string[],
): T & Status {
  if (secretPaths.length === 0) return status
  const { values: outputs } = separateSecrets({ values: status.outputs ?? {}, secrets: {} }, {}, secretPaths)
  return { ...status, outputs: status.outputs && outputs, secretOutputPaths: [...secretPaths] }
}

/**
 * Removes from the status the plain outputs that the type declares secret by now, and the hash: the next provision writes
 * them as secret outputs.
 */
export async function hideSecretOutputs(
  resource: ActiveResource,
  types: readonly ResourceTypeInfo[],
  { report }: Pick<WorkContext<typeof ActiveResource>, 'report'>,
): Promise<ActiveResource> {
  const { spec, status } = resource
  const type = findCustomType(spec.type, types)
  if (!type || !status?.outputs) return resource
  const { outputs, secretOutputPaths } = status
  const sorted = separateSecrets({ values: outputs, secrets: {} }, type.outputsSchema, secretOutputPaths)
  if (sameJson(sorted.values, outputs)) return resource
  const { inputsHash: _, ...hidden } = withSecretOutputs(observedOf(resource), sorted.secretPaths)
  await report(hidden, `the type '${type.type}' now declares some of its outputs secret`)
  // Whether a deployment has changed the spec, which the written status does not say.
  return { ...resource, status: { ...hidden, observedGeneration: status.observedGeneration } }
}

/** Whether a value is stored as a null, or with one: so is a number such as 1e400, which JavaScript reads as infinite. */
function holdsNull(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return value === null || value === undefined
  return Object.values(value).some(holdsNull)
}

/**
 * JSON pointers to the outputs that were secret before. Until a status has outputs, the Secret is the record of them: an
 * earlier attempt may have ended between the two. A new resource has no earlier attempt.
 */
export async function formerSecretPaths(
  resource: ActiveResource,
  { objects, newResources }: { readonly objects: Objects; readonly newResources: NewResources },
): Promise<readonly string[]> {
  const { outputs, secretOutputPaths = [] } = resource.status ?? {}
  if ((await newResources.take(resource)) || outputs !== undefined) return secretOutputPaths
  const secret = await objects.read(referenceTo(outputsSecret(resource, {})))
  if (!secret || !isOwnedBy(secret, resource)) return secretOutputPaths
  return [...secretOutputPaths, ...leafPaths(contentOf(secret))]
}

/** Where the secret outputs are, as a status records it. */
export type OutputsSecret = Pick<Status, 'outputsSecretName' | 'outputsSecretVersion'>

/** Writes the Secret of the outputs, or deletes it when no output is secret. */
export async function writeOutputsSecret(
  resource: ActiveResource,
  secrets: FreeForm,
  objects: Objects,
): Promise<OutputsSecret> {
  const secret = outputsSecret(resource, secrets)
  const { name, namespace } = secret.metadata
  const isKnown = resource.status?.outputsSecretName === name
  const isWanted = Object.keys(secrets).length > 0
  if (!isKnown && !isWanted) return {}
  const created = isKnown ? undefined : await objects.create(secret)
  if (!created && (!isKnown || !isWanted))
    await removeStaleSecret(resource, { name, namespace, isWanted }, objects)
  if (!isWanted) return {}
  const { metadata } = created ?? (await replaceSecret(secret, objects))
  return { outputsSecretName: name, outputsSecretVersion: metadata.resourceVersion }
}

/**
 * Makes the Secret have these keys and no others. Changes nothing when it has: an apply would add an owner to what the create
 * request made.
 */
async function replaceSecret(
  secret: ReturnType<typeof outputsSecret>,
  objects: Objects,
): Promise<StoredObject> {
  const merged = await objects.merge(secret)
  const others = Object.keys(merged?.data ?? {}).filter((key) => !Object.hasOwn(secret.data, key))
  const nulls = Object.fromEntries(others.map((key) => [key, null]))
  const whole =
    others.length === 0 ? merged : await objects.merge({ ...secret, data: { ...secret.data, ...nulls } })
  return whole ?? objects.apply(secret)
}

/** Deletes the Secret of an earlier resource of the same name, and that of the resource itself when it is not wanted. */
async function removeStaleSecret(
  resource: ActiveResource,
  {
    name,
    namespace,
    isWanted,
  }: { readonly name: string; readonly namespace: string; readonly isWanted: boolean },
  objects: Objects,
): Promise<void> {
  const { name: guResId } = resource.metadata
  const reference = { apiVersion: 'v1', kind: 'Secret', name, namespace }
  const existing = await objects.read(reference)
  if (!existing || (isWanted && isOwnedBy(existing, resource))) return
  if (!existing.metadata.ownerReferences?.some((each) => each.name === guResId)) {
    const message = `the Secret '${name}' exists and does not belong to this resource`
    throw new Stalled('Conflict', message)
  }
  // Garbage collection may take too long.
  await objects.remove(reference, existing.metadata.uid)
  if (isWanted && (await objects.read(reference)))
    throw new Waiting('SecretRemains', `waiting for the Secret '${name}' to be deleted`, remainsSeconds)
}
