import { ActiveResource } from '../../api/active-resource.ts'
import type { StoredObject } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'
import { inTurns } from '../../kube/loop/pace.ts'
import type { Objects } from '../../kube/objects.ts'
import { namespaceResourceOf } from '../shared/dependents.ts'
import { isSameKind, isWatchable, type ObjectKind } from './applied-object.ts'
import type { DriftDetector } from './drift.ts'

/** The resources whose objects may be missing. */
export interface KnownResources {
  /** The resource of a key, as `namespace/GUResID`. */
  find(key: string): ActiveResource | undefined
  all(): Iterable<ActiveResource>
  /** The resources of an environment, by its key. */
  inEnvironment(key: string): readonly ActiveResource[]
  /** The resource that names the namespace for the objects of a resource, if there is one. */
  namerFor(resource: ActiveResource): ActiveResource | undefined
}

export function resourcesIn(store: Store): KnownResources {
  return {
    find: (key) => store.get(ActiveResource, ...namespacedName(key)),
    all: () => store.cacheOf(ActiveResource).all(),
    inEnvironment: (key) => store.byIndex(ActiveResource, 'environment', key),
    namerFor: (resource) => namespaceResourceOf(resource, store),
  }
}

/** Finds the objects of a kind that a status records and the first list of its watch leaves out. */
export async function findMissing(
  kind: ObjectKind,
  { objects, drift, resources }: { objects: Objects; drift: DriftDetector; resources: KnownResources },
): Promise<void> {
  const cache = await objects.watch(kind)
  await inTurns(resources.all(), (resource) => {
    if (resource.metadata.deletionTimestamp) return
    for (const each of resource.status?.objects ?? [])
      if (isSameKind(each, kind) && cache.get(each.namespace ?? '', each.name)?.metadata.uid !== each.uid)
        drift.noteMissing(keyOf(resource), each)
  })
}

/** Finds the objects that ended with the namespace of an environment, and that no watch reports. */
export function findGoneWith(
  { metadata }: StoredObject,
  { drift, resources }: { drift: DriftDetector; resources: KnownResources },
): void {
  const environmentKey = environmentOf(metadata.annotations, resources)
  if (environmentKey === undefined) return
  for (const resource of resources.inEnvironment(environmentKey)) {
    if (resource.metadata.deletionTimestamp) continue
    for (const each of resource.status?.objects ?? [])
      if (!isWatchable(each) && each.namespace === metadata.name) drift.noteMissing(keyOf(resource), each)
  }
}

/** The key of the environment for which the operator, or a resource, made a namespace. */
function environmentOf(
  all: StoredObject['metadata']['annotations'],
  resources: KnownResources,
): string | undefined {
  const maker = resources.find(all?.[annotations.resource] ?? '')
  return all?.[annotations.environment] ?? (maker && environmentKeyOf(maker))
}
