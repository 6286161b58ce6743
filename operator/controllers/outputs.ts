import type { ActiveResource } from '../api/active-resource.ts'
import type { FreeForm } from '../api/schema.ts'
import { Stalled, Waiting } from '../domain/errors.ts'
import { withSecretsApart } from '../domain/output-names.ts'
import type { ResourceTypeInfo } from '../domain/types.ts'
import { faultsAgainst, partsOf } from '../domain/user-schema.ts'
import type { Outputs } from '../drivers/driver.ts'
import type { Objects } from '../kube/objects.ts'
import { outputsSecret } from './secrets.ts'

const maxOutputsBytes = 512 * 1024
const remainsSeconds = 2

/**
 * The outputs, those that the type calls secret among the secret ones. Stalled when a status cannot hold them, or when
 * they are not what a custom type promises.
 */
export function sortOutputs(outputs: Outputs, types: readonly ResourceTypeInfo[], type: string): Outputs {
  const empty = Object.entries({ ...outputs.values, ...outputs.secrets }).find(([, value]) =>
    holdsNull(value),
  )
  if (empty) throw new Stalled('InvalidOutputs', `output '${empty[0]}' is null, or holds a null`)
  const custom = type.includes('/') ? types.find((each) => each.type === type) : undefined
  const sorted = custom ? sortByType(outputs, custom) : outputs
  const bytes = Buffer.byteLength(JSON.stringify(sorted.values))
  if (bytes > maxOutputsBytes)
    throw new Stalled('OutputsTooLarge', `the outputs are ${bytes} bytes, more than ${maxOutputsBytes}`)
  return sorted
}

function sortByType(outputs: Outputs, { type, outputsSchema }: ResourceTypeInfo) {
  const sorted = withSecretsApart(outputs, outputsSchema)
  const parts = partsOf(outputsSchema)
  for (const part of ['values', 'secrets'] as const) {
    const schema = parts[part]
    const [fault] = schema ? faultsAgainst(schema, sorted[part]) : []
    if (fault) {
      const message = `output '${part}${fault.pointer.replaceAll('/', '.')}' does not fit the type '${type}': ${fault.message}`
      throw new Stalled('InvalidOutputs', message)
    }
  }
  return sorted
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
