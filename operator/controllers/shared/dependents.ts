import { ActiveResource } from '../../api/active-resource.ts'
import { namesNamespace } from '../../domain/resource/identity.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf } from '../../kube/client/resource.ts'

/**
 * Names of the resources that a resource depends on: those of its spec, and the one that names the namespace of its objects. A
 * definition adds or removes the latter for the whole environment, so most specs do not have it.
 */
export function dependenciesOf(resource: ActiveResource, store: Store): readonly string[] {
  const { dependsOn = [] } = resource.spec
  const name = namespaceResourceOf(resource, store)?.metadata.name
  return name === undefined || dependsOn.includes(name) ? dependsOn : [...dependsOn, name]
}

/** The resources that depend on a resource. */
export function dependentsOf(resource: ActiveResource, store: Store): readonly ActiveResource[] {
  if (!namesNamespace(resource.spec) || resource.spec.unusedSince)
    return store.byIndex(ActiveResource, 'dependsOn', keyOf(resource))
  const needed = withNeeded(resource, store)
  return store
    .byIndex(ActiveResource, 'environment', environmentKeyOf(resource))
    .filter(({ metadata }) => !needed.has(metadata.name))
}

/**
 * The `k8s-namespace` resource that names the namespace for the objects of a resource. Undefined if the environment uses none, and for
 * that resource and those that it depends on: their objects are in the namespace that the operator makes.
 */
export function namespaceResourceOf(resource: ActiveResource, store: Store): ActiveResource | undefined {
  const key = environmentKeyOf(resource)
  const [found] = store.byIndex(ActiveResource, 'namespaceOfEnvironment', key)
  if (!found || found.spec.unusedSince) return undefined
  return withNeeded(found, store).has(resource.metadata.name) ? undefined : found
}

/** Names of a resource and of all that it depends on, directly or through others. */
export function withNeeded({ metadata }: ActiveResource, store: Store): Set<string> {
  const names = new Set([metadata.name])
  for (const name of names)
    for (const each of store.get(ActiveResource, metadata.namespace, name)?.spec.dependsOn ?? [])
      names.add(each)
  return names
}
