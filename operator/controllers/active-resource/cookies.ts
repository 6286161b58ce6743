import { createHash } from 'node:crypto'
import type { ActiveResource, ProvisionedInstance } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { apiVersion, finalizer } from '../../api/names.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { canonicalJson } from '../../domain/resource/identity.ts'
import type { Cookie } from '../../drivers/driver.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { readObject } from '../../kube/cache/cluster.ts'
import { readSecretMetadata, removeSecret, setSecretFinalizer } from '../../kube/cache/secret-metadata.ts'
import { hasFinalizer, secretResource } from '../../kube/client/resource.ts'
import type { Objects } from '../../kube/objects.ts'

const key = 'cookie'
const maxRaces = 10
const remainsSeconds = 2

/** The Secret in which a driver's cookie for a resource is kept: one for each thing that stands. */
export function cookieSecretName(
  guResId: string,
  driverName: string,
  { identity = {} }: Pick<ProvisionedInstance, 'identity'>,
): string {
  const hash = createHash('sha256')
    .update(canonicalJson([driverName, identity]))
    .digest('hex')
  return `${guResId}-cookie-${hash.slice(0, 8)}`
}

/**
 * The cookie of a resource in the Secret of that name. It carries our finalizer from the first moment, because without
 * it a driver may not find what it made; whoever writes it has the name in the status of the resource before.
 */
export function openCookie(
  { metadata }: ActiveResource,
  name: string,
  { cluster: { client }, objects }: { readonly cluster: Cluster; readonly objects: Objects },
): Cookie {
  const { namespace = '', name: guResId, uid = '' } = metadata
  const isOwn = (secret: KubeObject) => secret.metadata.ownerReferences?.some((each) => each.uid === uid)
  return {
    async read() {
      const secret = await readObject(client, secretResource, namespace, name)
      if (!secret || !isOwn(secret)) return undefined
      const data = (secret.data ?? {}) as Record<string, string> // a Secret
      return data[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString()
    },
    async write(text) {
      const existing = await readSecretMetadata(client, namespace, name)
      if (text === undefined) {
        if (existing && isOwn(existing)) await forget(client, namespace, name)
        return
      }
      if (existing && !isOwn(existing)) refuseForeign(existing, guResId)
      await objects.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name,
          namespace,
          finalizers: [finalizer],
          ownerReferences: [{ apiVersion, kind: 'ActiveResource', name: guResId, uid }],
        },
        data: { [key]: Buffer.from(text).toString('base64') },
      })
    },
  }
}

/** What has the name already stays as it is; what an earlier resource of the same name left goes by itself. */
function refuseForeign({ metadata }: KubeObject, guResId: string): never {
  const isOfEarlier = metadata.ownerReferences?.some((each) => each.name === guResId)
  if (isOfEarlier)
    throw new Waiting('SecretRemains', `waiting for the Secret '${metadata.name}' to go`, remainsSeconds)
  throw new Stalled(
    'Conflict',
    `the Secret '${metadata.name}' exists and is not of this resource: it is left as it is`,
  )
}

async function forget(client: Cluster['client'], namespace: string, name: string): Promise<void> {
  for (let races = 0; races < maxRaces; races += 1) {
    const secret = await readSecretMetadata(client, namespace, name)
    if (!secret) return
    if (!secret.metadata.deletionTimestamp) await removeSecret(client, secret)
    else if (!hasFinalizer(secret) || (await setSecretFinalizer(client, secret, false))) return
  }
  throw new Error(`the Secret '${name}' changes too often to be removed`)
}
