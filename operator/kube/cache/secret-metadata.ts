import type { StoredObject } from '../../api/kind.ts'
import { finalizer } from '../../api/names.ts'
import { isGone, isNotFound } from '../client/api-error.ts'
import type { KubeClient } from '../client/client.ts'
import { explainRejection } from '../client/explain-rejection.ts'
import { pathOf, secretResource } from '../client/resource.ts'
import { metadataAccept } from './watch-protocol.ts'

const namePattern = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** Whether a name, which may come from a user, is valid for a Secret. */
export function isSecretName(name: string): boolean {
  return namePattern.test(name)
}

/** Reads a Secret without its content; undefined when it does not exist. */
export async function readSecretMetadata(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<StoredObject | undefined> {
  // An empty name would list all Secrets.
  if (!isSecretName(name)) return undefined
  try {
    const path = pathOf(secretResource, namespace, name)
    return (await client.request('GET', path, { accept: metadataAccept })) as StoredObject // what the API server serves
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Adds or removes our finalizer; false when the Secret changed or was deleted since it was read. */
export async function setSecretFinalizer(
  client: KubeClient,
  secret: StoredObject,
  isPresent: boolean,
): Promise<boolean> {
  const { namespace, name, uid, resourceVersion } = secret.metadata
  const others = (secret.metadata.finalizers ?? []).filter((each) => each !== finalizer)
  const finalizers = isPresent ? [...others, finalizer] : others
  try {
    await client.request('PATCH', pathOf(secretResource, namespace, name), {
      body: { metadata: { uid, resourceVersion, finalizers } },
      contentType: 'application/merge-patch+json',
      accept: metadataAccept,
    })
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw explainRejection(error, 'change', { kind: secretResource.kind, namespace, name })
  }
}

/** Deletes the Secret with this uid; a Secret that is gone already is a success. */
export async function removeSecret(client: KubeClient, { metadata }: StoredObject): Promise<void> {
  const { namespace, name, uid } = metadata
  try {
    await client.request('DELETE', pathOf(secretResource, namespace, name), {
      body: { preconditions: { uid } },
    })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}
