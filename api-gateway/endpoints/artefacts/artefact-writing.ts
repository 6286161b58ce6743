import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { artefactVersionId } from '../../../operator/domain/image/artefact.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { isAlreadyExists } from '../../../operator/kube/client/api-error.ts'
import type { Caller } from '../../authenticate.ts'
import { find, newMetadata } from '../common/find.ts'

/** Registers a version; returns the existing one of the same content. */
export async function register(
  organization: string,
  spec: ArtefactVersion['spec'],
  caller: Caller,
  cluster: Cluster,
): Promise<ArtefactVersion> {
  const name = artefactVersionId(spec)
  const known = find(cluster.store, ArtefactVersion, organization, name)
  if (known) return known
  const wanted = newObject(ArtefactVersion, newMetadata(organization, name, caller), spec)
  try {
    return await cluster.create(ArtefactVersion, wanted)
  } catch (error) {
    const existing = isAlreadyExists(error)
      ? await cluster.read(ArtefactVersion, organization, name)
      : undefined
    if (existing) return existing
    throw error
  }
}
