import { kinds } from '../../api/kinds.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { hasFinalizer } from '../../kube/client/resource.ts'
import type { SecretBindings } from '../../kube/client/secret-bindings.ts'
import type { Log } from '../../log.ts'
import { createOrganizationQueue, isTerminating } from './organization-queue.ts'

/**
 * Keeps the rights to Secrets in the namespaces of organizations: from the label on until the label is removed; in a terminating
 * namespace, until the last object with our finalizer is gone.
 */
export async function startOrganizationRights(
  { store }: Cluster,
  bindings: SecretBindings,
  log: Log,
  isActive: () => boolean,
): Promise<{ stop(): Promise<void> }> {
  const failure = 'could not change the rights in an organization'
  /** Terminating namespaces without the label that keep their rights. */
  const kept = new Set<string>()
  const queue = createOrganizationQueue({ log, isActive, failure }, async (name) => {
    kept.delete(name)
    if (isTerminating(store, name)) {
      // Also without the label: a terminating namespace takes no new RoleBinding when the label comes back.
      if (!isNeeded(name)) await bindings.unbind(name)
    } else if (store.isOrganization(name)) await bindings.bindOrganization(name)
    else if (await isKept(name)) kept.add(name)
    else await bindings.unbind(name)
  })

  /** Whether a namespace that the cache does not have, because it has lost its label, terminates and needs the rights. */
  async function isKept(name: string): Promise<boolean> {
    return isNeeded(name) && (await bindings.isTerminating(name))
  }

  function isNeeded(name: string): boolean {
    return kinds.some((kind) => store.cacheOf(kind).anyIn(name, hasFinalizer))
  }

  store.namespaces.subscribe(({ before, after }) => {
    const changed = after ?? before
    if (changed) queue.add(changed.metadata.name)
  })
  for (const kind of kinds)
    store.cacheOf(kind).subscribe(({ before, after }) => {
      const namespace = before?.metadata.namespace
      if (namespace === undefined || after) return
      if (isTerminating(store, namespace) || kept.has(namespace)) queue.add(namespace)
    })
  // A label may have been removed while no operator ran.
  for (const name of await bindings.bound()) queue.add(name)
  for (const { id } of store.organizations()) queue.add(id)
  return { stop: () => queue.stop() }
}
