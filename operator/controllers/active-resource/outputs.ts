import type { ActiveResource } from '../../api/active-resource.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import type { ResourceTypeInfo } from '../../domain/resource/type-info.ts'
import { type SeparatedOutputs, separateSecrets } from '../../domain/schema/secret-outputs.ts'
import { partsOf, schemaProblems } from '../../domain/schema/user-schema.ts'
import type { Outputs } from '../../drivers/driver.ts'
import type { ReconcileContext } from '../../kube/loop/controller.ts'
import type { Objects } from '../../kube/objects.ts'
import { outputsSecret } from '../shared/secrets.ts'
import { factsOf } from './provisioned-instances.ts'

type Status = NonNullable<ActiveResource['status']>

const maxOutputsBytes = 512 * 1024
const remainsSeconds = 2

/**
 * The outputs, with everything that is secret among the secret ones: by the type, by the driver's answer, or since it
 * was secret before. Stalled when a status cannot hold them, or when they are not what a custom type promises.
 */
export function sortOutputs(
  outputs: Outputs,
  types: readonly ResourceTypeInfo[],
  type: string,
  secretPaths: readonly string[] = [],
): SeparatedOutputs {
  const empty = Object.entries({ ...outputs.values, ...outputs.secrets }).find(([, value]) =>
    holdsNull(value),
  )
  if (empty) throw new Stalled('InvalidOutputs', `output '${empty[0]}' is null, or holds a null`)
  const custom = customTypeOf(type, types)
  const sorted = separateSecrets(outputs, custom?.outputsSchema, secretPaths)
  if (custom) refuseUnfit(outputs, custom)
  const bytes = Buffer.byteLength(JSON.stringify([sorted.values, sorted.secretPaths]))
  if (bytes > maxOutputsBytes)
    throw new Stalled('OutputsTooLarge', `the outputs are ${bytes} bytes, more than ${maxOutputsBytes}`)
  return sorted
}

/**
 * The type, unless it is built in; Waiting when it is not there. It says what is secret, so nothing may be provisioned
 * without it.
 */
export function customTypeOf(type: string, types: readonly ResourceTypeInfo[]): ResourceTypeInfo | undefined {
  if (!type.includes('/')) return undefined
  const custom = types.find((each) => each.type === type)
  if (!custom) throw new Waiting('TypeNotFound', `waiting for the resource type '${type}'`)
  return custom
}

/** Judges outputs as the type sorts them today: what was secret before does not make them unfit. */
function refuseUnfit(outputs: Outputs, { type, outputsSchema }: ResourceTypeInfo): void {
  const judged = separateSecrets(outputs, outputsSchema)
  const parts = partsOf(outputsSchema)
  for (const part of ['values', 'secrets'] as const) {
    const schema = parts[part]
    const [fault] = schema ? schemaProblems(schema, judged[part]) : []
    if (fault) {
      const message = `output '${part}${fault.pointer.replaceAll('/', '.')}' does not fit the type '${type}': ${fault.message}`
      throw new Stalled('InvalidOutputs', message)
    }
  }
}

/** The facts of a status, without the plain outputs at these paths; they are remembered as secret. */
export function hiding<T extends Pick<Status, 'outputs'>>(
  facts: T,
  secretPaths: readonly string[],
): T & Status {
  if (secretPaths.length === 0) return facts
  const { values: outputs } = separateSecrets({ values: facts.outputs ?? {}, secrets: {} }, {}, secretPaths)
  return { ...facts, ...(facts.outputs ? { outputs } : {}), secretOutputPaths: [...secretPaths] }
}

/**
 * The resource without the plain outputs that its type calls secret by now. They come back as secret ones when it is
 * provisioned again, for which it forgets its hash.
 */
export async function withoutExposedOutputs(
  resource: ActiveResource,
  types: readonly ResourceTypeInfo[],
  { report }: Pick<ReconcileContext<typeof ActiveResource>, 'report'>,
): Promise<ActiveResource> {
  const { spec, status } = resource
  const type = spec.type.includes('/') ? types.find((each) => each.type === spec.type) : undefined
  if (!type || !status?.outputs) return resource
  const { outputs, secretOutputPaths } = status
  const sorted = separateSecrets({ values: outputs, secrets: {} }, type.outputsSchema, secretOutputPaths)
  if (sameJson(sorted.values, outputs)) return resource
  const { inputsHash: _, ...facts } = hiding(factsOf(resource), sorted.secretPaths)
  await report(facts, `the type '${type.type}' calls some of its outputs secret by now`)
  return { ...resource, status: facts }
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === undefined
  return Object.values(value).some(holdsNull)
}

/** Writes the Secret of the outputs, or takes it away when there are none any more. */
export async function keepSecretOutputs(
  resource: ActiveResource,
  secrets: FreeForm,
  objects: Objects,
): Promise<string | undefined> {
  const secret = outputsSecret(resource, secrets)
  const { name, namespace = '' } = secret.metadata
  const isKnown = resource.status?.outputsSecretName === name
  const isWanted = Object.keys(secrets).length > 0
  if (!isKnown && !isWanted) return undefined
  if (!isKnown || !isWanted) await makeRoom(resource, { name, namespace, isWanted }, objects)
  if (!isWanted) return undefined
  await objects.apply(secret)
  return name
}

/** Takes away what an earlier resource of the same name left, and its own when that is not wanted any more. */
async function makeRoom(
  { metadata: { name: guResId, uid } }: ActiveResource,
  {
    name,
    namespace,
    isWanted,
  }: { readonly name: string; readonly namespace: string; readonly isWanted: boolean },
  objects: Objects,
): Promise<void> {
  const reference = { apiVersion: 'v1', kind: 'Secret', name, namespace }
  const existing = await objects.read(reference)
  const owners = existing?.metadata.ownerReferences ?? []
  const isOwn = owners.some((each) => each.uid === uid)
  if (!existing || (isOwn && isWanted)) return
  if (!owners.some((each) => each.name === guResId)) {
    const message = `the Secret '${name}' exists and is not of this resource: it is left as it is`
    throw new Stalled('Conflict', message)
  }
  // Garbage collection would come to it some time; the resource is wanted now.
  await objects.remove(reference, existing.metadata.uid ?? '')
  if (isWanted && (await objects.read(reference)))
    throw new Waiting('SecretRemains', `waiting for the Secret '${name}' to go`, remainsSeconds)
}
