import { hash } from 'node:crypto'
import type { ActiveResource, ProvisionedInstance } from '../../../api/active-resource.ts'
import type { KubeObject } from '../../../api/kind.ts'
import { apiVersion, finalizer } from '../../../api/names.ts'
import { Stalled, Waiting } from '../../../domain/base/errors.ts'
import { canonicalJson } from '../../../domain/base/json.ts'
import { driverName } from '../../../domain/definition/definition.ts'
import type { Cookie } from '../../../drivers/driver.ts'
import type { Cluster } from '../../../kube/cache/cluster.ts'
import { readSecretMetadata, removeSecret, setSecretFinalizer } from '../../../kube/cache/secret-metadata.ts'
import { isGone } from '../../../kube/client/api-error.ts'
import { readObject } from '../../../kube/client/read-object.ts'
import { hasFinalizer, isOwnedBy, secretResource } from '../../../kube/client/resource.ts'
import type { Objects } from '../../../kube/objects/objects.ts'
import type { ResourceTools } from '../resource-tools.ts'

const key = 'cookie'
const maxRaces = 10
const remainsSeconds = 2

/** Name of the Secret for the cookie of a driver: one for each instance of a resource. */
export function cookieSecretName(
  guResId: string,
  driverName: string,
  { identity = {} }: Pick<ProvisionedInstance, 'identity'>,
): string {
  const digest = hash('sha256', canonicalJson([driverName, identity]))
  return `${guResId}-cookie-${digest.slice(0, 8)}`
}

/**
 * Opens the cookie in the Secret of that name. The Secret has our finalizer: without the cookie a driver may
 * not find its instance. The status of the resource must name the Secret before the cookie is written. A call that continues after
 * `signal` writes none: the next call may have written a newer one, and the resource may be gone.
 */
export function openCookie(
  { metadata }: ActiveResource,
  name: string,
  { cluster: { client }, objects }: { readonly cluster: Cluster; readonly objects: Objects },
  signal?: AbortSignal,
): Cookie {
  const { namespace, name: guResId, uid } = metadata
  const isOwn = (secret: KubeObject) => isOwnedBy(secret, { metadata })
  return {
    async read() {
      const secret = await readObject(client, secretResource, namespace, name)
      if (!secret || !isOwn(secret)) return undefined
      const data = (secret.data ?? {}) as Record<string, string> // a Secret
      return data[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString()
    },
    async write(text) {
      if (text === undefined) {
        const existing = await readSecretMetadata(client, namespace, name)
        if (existing && isOwn(existing)) await deleteSecret(client, namespace, name)
        return
      }
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name,
          namespace,
          finalizers: [finalizer],
          ownerReferences: [{ apiVersion, kind: 'ActiveResource', name: guResId, uid }],
        },
        data: { [key]: Buffer.from(text).toString('base64') },
      }
      for (let races = 0; races < maxRaces; races += 1) {
        const existing = await readSecretMetadata(client, namespace, name)
        if (existing && !isOwn(existing)) {
          // Our finalizer, which this resource may have added, would keep it.
          if (isOfEarlier(existing, guResId)) await deleteSecret(client, namespace, name)
          refuseForeign(existing, guResId)
        }
        signal?.throwIfAborted()
        if (await writeOver(existing, secret, { client, objects })) return
      }
      throw new Error(`the Secret '${name}' changes too often to write the cookie`)
    },
  }
}

/** The Secret of the cookie of an instance, if the status names it, as it does before the Secret exists. */
export function recordedCookieName(
  { metadata, status }: ActiveResource,
  instance: ProvisionedInstance,
  { vendors }: Pick<ResourceTools, 'vendors'>,
): string | undefined {
  const name = cookieSecretName(metadata.name, driverName(instance.driverType, vendors), instance)
  return status?.secretNames?.includes(name) ? name : undefined
}

/** The cookie of an instance; undefined without one. */
export function existingCookie(
  resource: ActiveResource,
  instance: ProvisionedInstance,
  tools: Pick<ResourceTools, 'vendors' | 'cluster' | 'objects'>,
): Cookie | undefined {
  const name = recordedCookieName(resource, instance, tools)
  return name === undefined ? undefined : openCookie(resource, name, tools)
}

/**
 * Writes the Secret in place of the one that was read; false when that has changed since. A request that arrives late, after its
 * process ended, changes nothing: the next process may have written a newer cookie. A new Secret gets its finalizer when it is
 * there, so that one that is created late ends with its owner.
 */
async function writeOver(
  existing: KubeObject | undefined,
  secret: KubeObject,
  { client, objects }: { readonly client: Cluster['client']; readonly objects: Objects },
): Promise<boolean> {
  if (!existing) {
    const created = await objects.create({ ...secret, metadata: { ...secret.metadata, finalizers: [] } })
    return created !== undefined && setSecretFinalizer(client, created, true)
  }
  const { uid, resourceVersion } = existing.metadata
  try {
    await objects.apply({ ...secret, metadata: { ...secret.metadata, uid, resourceVersion } })
    return true
  } catch (error) {
    if (!isGone(error)) throw error
    return false
  }
}

/** Throws Stalled for a Secret of another owner; Waiting for one that the garbage collector deletes. */
function refuseForeign({ metadata }: KubeObject, guResId: string): never {
  if (isOfEarlier({ metadata }, guResId))
    throw new Waiting(
      'SecretRemains',
      `waiting for the Secret '${metadata.name}' to be deleted`,
      remainsSeconds,
    )
  throw new Stalled('Conflict', `the Secret '${metadata.name}' exists and does not belong to this resource`)
}

function isOfEarlier({ metadata }: Pick<KubeObject, 'metadata'>, guResId: string): boolean {
  return metadata.ownerReferences?.some((each) => each.name === guResId) ?? false
}

async function deleteSecret(client: Cluster['client'], namespace: string, name: string): Promise<void> {
  for (let races = 0; races < maxRaces; races += 1) {
    const secret = await readSecretMetadata(client, namespace, name)
    if (!secret) return
    if (!secret.metadata.deletionTimestamp) await removeSecret(client, secret)
    else if (!hasFinalizer(secret) || (await setSecretFinalizer(client, secret, false))) return
  }
  throw new Error(`the Secret '${name}' changes too often to be deleted`)
}
