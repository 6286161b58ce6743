import { kinds } from '../../api/kinds.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { hasFinalizer } from '../../kube/client/resource.ts'
import type { SecretBindings } from '../../kube/client/secret-bindings.ts'
import { createQueue } from '../../kube/loop/queue.ts'
import type { Log } from '../../log.ts'

const retryMs = 5000

/**
 * Keeps the rights to Secrets in the namespaces of organizations: from the label on until the label is removed, or until
 * the last object with our finalizer is gone from a terminating namespace.
 */
export async function startOrganizationRights(
  { store }: Cluster,
  bindings: SecretBindings,
  log: Log,
  isActive: () => boolean,
): Promise<{ stop(): Promise<void> }> {
  const queue = createQueue(4, async (name) => {
    if (!isActive()) return
    try {
      if (!store.isOrganization(name)) await bindings.unbind(name)
      else if (!isTerminating(name)) await bindings.bindOrganization(name)
      else if (!isNeeded(name)) await bindings.unbind(name)
    } catch (error) {
      log.warn('could not change the rights in an organization', { organization: name, error })
      queue.addAfter(name, retryMs)
    }
  })

  function isTerminating(name: string): boolean {
    return store.namespaces.get('', name)?.metadata.deletionTimestamp !== undefined
  }
  function isNeeded(name: string): boolean {
    return kinds.some((kind) => store.list(kind, name).some(hasFinalizer))
  }

  store.namespaces.subscribe(({ before, after }) => {
    const changed = after ?? before
    if (changed) queue.add(changed.metadata.name)
  })
  for (const kind of kinds)
    store.cacheOf(kind).subscribe(({ before, after }) => {
      if (before && !after && isTerminating(before.metadata.namespace)) queue.add(before.metadata.namespace)
    })
  // A label may have been removed while no operator ran.
  for (const name of await bindings.bound()) queue.add(name)
  for (const { id } of store.organizations()) queue.add(id)
  return { stop: () => queue.stop() }
}
