import type { KubeObject } from '../../api/kind.ts'
import { finalizer } from '../../api/names.ts'
import { ApiError, type KubeClient } from '../client/client.ts'
import { pathOf, secretResource } from '../client/resource.ts'
import { isGone } from './cluster.ts'
import { metadataAccept } from './reflector.ts'

const namePattern = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** Whether there can be a Secret of that name: what users write may be anything. */
export function isSecretName(name: string): boolean {
  return namePattern.test(name)
}

/** A Secret without its content; undefined when there is none of that name. */
export async function readSecretMetadata(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  // An empty name would ask for all Secrets.
  if (!isSecretName(name)) return undefined
  try {
    const path = pathOf(secretResource, namespace, name)
    return (await client.request('GET', path, { accept: metadataAccept })) as KubeObject // what the API server serves
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** Whether a Secret carries our finalizer. */
export function hasSecretFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

/** Puts our finalizer on the Secret, or takes it off; false when the Secret changed or went since it was read. */
export async function setSecretFinalizer(
  client: KubeClient,
  secret: KubeObject,
  held: boolean,
): Promise<boolean> {
  const { namespace, name, uid, resourceVersion } = secret.metadata
  const others = (secret.metadata.finalizers ?? []).filter((each) => each !== finalizer)
  const finalizers = held ? [...others, finalizer] : others
  try {
    await client.request('PATCH', pathOf(secretResource, namespace, name), {
      body: { metadata: { uid, resourceVersion, finalizers } },
      contentType: 'application/merge-patch+json',
      accept: metadataAccept,
    })
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

/** Deletes this very Secret; that it is gone already is success. */
export async function removeSecret(client: KubeClient, { metadata }: KubeObject): Promise<void> {
  const { namespace, name, uid } = metadata
  try {
    await client.request('DELETE', pathOf(secretResource, namespace, name), {
      body: { preconditions: { uid } },
    })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}
