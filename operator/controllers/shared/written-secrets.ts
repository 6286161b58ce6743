import type { ActiveResource } from '../../api/active-resource.ts'
import { readSecretMetadata } from '../../kube/cache/secret-metadata.ts'
import type { KubeClient } from '../../kube/client/client.ts'

/** A Secret that the last provision of a resource wrote. */
interface WrittenSecret {
  readonly namespace: string
  readonly name: string
  /** Its resource version then; unknown in a status of an earlier version of the operator. */
  readonly resourceVersion: string | undefined
}

/** Whether the last provision of a resource wrote Secrets: that of the outputs, or objects. */
export function hasWrittenSecrets(resource: ActiveResource): boolean {
  return writtenSecrets(resource).length > 0
}

/**
 * Whether another client deleted or changed a Secret that the last provision of a resource wrote. Secrets are not watched, so
 * this reads their metadata.
 */
export async function hasLostSecrets(resource: ActiveResource, client: KubeClient): Promise<boolean> {
  for (const { namespace, name, resourceVersion } of writtenSecrets(resource)) {
    const secret = await readSecretMetadata(client, namespace, name)
    if (!secret || secret.metadata.deletionTimestamp) return true
    if (resourceVersion !== undefined && secret.metadata.resourceVersion !== resourceVersion) return true
  }
  return false
}

function writtenSecrets({ metadata, status = {} }: ActiveResource): WrittenSecret[] {
  const { outputsSecretName, outputsSecretVersion, objects = [] } = status
  const applied = objects
    .filter(({ kind, uid }) => kind === 'Secret' && uid !== '')
    .map(({ namespace = '', name, resourceVersion }) => ({ namespace, name, resourceVersion }))
  if (outputsSecretName === undefined) return applied
  const { namespace } = metadata
  return [...applied, { namespace, name: outputsSecretName, resourceVersion: outputsSecretVersion }]
}
