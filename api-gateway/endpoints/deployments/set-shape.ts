import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { freeForm, integer, map, object, string } from '../../../operator/api/schema.ts'
import { emptySet, emptySetId, type SetContent } from '../../../operator/domain/delta/delta.ts'
import type { Base } from '../../../operator/domain/deployment/deployment-base.ts'
import { setObjectName } from '../../../operator/domain/resource/identity.ts'
import { type Cluster, refreshNamed } from '../../../operator/kube/cache/cluster.ts'
import { isSetInUse } from '../../../operator/kube/cache/kinds-in-store.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { isGone } from '../../../operator/kube/client/api-error.ts'
import { saveSet } from '../../../operator/planning/save-set.ts'
import type { Caller } from '../../authenticate.ts'
import { canBeObjectName } from '../../request/parameters.ts'
import { named } from '../../response/shapes.ts'
import { newMetadata, refuseTooLarge, withoutApplication } from '../common/find.ts'

/** Deployment set in responses. */
export const setShape = named(
  'DeploymentSet',
  object(
    {
      id: string('Deployment set ID: a hash of the content.'),
      version: integer('Always 0.'),
      modules: map(freeForm('A module.'), 'Modules by workload ID.'),
      shared: map(freeForm('A dependency.'), 'Shared dependencies by ID.'),
    },
    {},
    'The workloads and shared dependencies of a deployment.',
  ),
)

/** Converts a deployment set for a response. */
export function toSet(id: string, { modules, shared }: SetContent) {
  return { id, version: 0, modules, shared }
}

/** ID of the set of a base, of the empty set without one. Undefined if it is not known. */
export function setIdOf(base: Base | undefined): string | undefined {
  if (!base) return emptySetId
  return base.setName === undefined ? undefined : withoutApplication(base.setName)
}

/** Returns the content of a set. The empty set always exists. */
export function findSet(
  store: Store,
  organization: string,
  application: string,
  id: string,
): SetContent | undefined {
  if (id === emptySetId) return emptySet
  return store.get(DeploymentSet, organization, setObjectName(application, id))?.spec
}

/**
 * Reads the sets with these object names that the cache lacks, because another gateway may have created them a moment
 * ago. The content of a set never changes, so the other sets are not read.
 */
export async function readMissingSets(
  cluster: Cluster,
  organization: string,
  names: readonly (string | undefined)[],
): Promise<void> {
  const missing = names.filter(
    (name): name is string =>
      name !== undefined &&
      withoutApplication(name) !== emptySetId &&
      canBeObjectName(name) &&
      !cluster.store.get(DeploymentSet, organization, name),
  )
  await Promise.all(
    Array.from(new Set(missing), (name) => refreshNamed(cluster, DeploymentSet, organization, name)),
  )
}

/**
 * Creates a deployment set, or marks the existing one, so that it is not cleaned up now; returns the name of its object.
 */
export function createSet(
  cluster: Cluster,
  organization: string,
  application: string,
  content: SetContent,
  caller: Caller,
): Promise<string> {
  return saveSet(cluster.store, organization, application, content, {
    create(name, spec) {
      refuseTooLarge(spec, 'the deployment set')
      return cluster.create(
        DeploymentSet,
        newObject(DeploymentSet, newMetadata(organization, name, caller), spec),
      )
    },
    async keep(set) {
      return isSetInUse(cluster.store, set) || markUsed(cluster, set)
    },
  })
}

/** Returns false for a set that is gone: the cache may be behind. */
async function markUsed(cluster: Cluster, set: DeploymentSet): Promise<boolean> {
  const mark = { [annotations.lastUsedAt]: new Date().toISOString() }
  try {
    await cluster.patch(DeploymentSet, set, { metadata: { uid: set.metadata.uid, annotations: mark } })
    return true
  } catch (error) {
    if (!isGone(error)) throw error
    return false
  }
}
