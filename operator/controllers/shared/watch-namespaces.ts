import { annotations, labels, manager } from '../../api/names.ts'
import { createCache } from '../../kube/cache/cache.ts'
import { startReflector } from '../../kube/cache/reflector.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { namespaceResource } from '../../kube/client/resource.ts'
import type { Watch } from '../../kube/loop/controller.ts'
import type { Log } from '../../log.ts'

/** Enqueues an environment when its namespace is gone. */
export function watchEnvironmentNamespaces(client: KubeClient, log: Log): Watch & { stop(): void } {
  const cache = createCache({}, (error) => log.error('a change handler failed', { error }))
  const reflector = startReflector(client, namespaceResource, cache, log, {
    labelSelector: `${labels.managedBy}=${manager}`,
    metadataOnly: true,
  })
  return {
    subscribe(enqueue) {
      cache.subscribe(({ before, after }) => {
        // The annotation is the key of the environment.
        const environment = before?.metadata.annotations?.[annotations.environment]
        if (!after && environment !== undefined) enqueue([environment])
      })
    },
    stop: () => reflector.stop(),
  }
}
