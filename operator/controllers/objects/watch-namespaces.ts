import type { ResourceContext } from '../../api/active-resource.ts'
import { annotations, labels, manager } from '../../api/names.ts'
import { createCache } from '../../kube/cache/cache.ts'
import { startReflector } from '../../kube/cache/reflector.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { namespaceResource } from '../../kube/client/resource.ts'
import type { Watch } from '../../kube/loop/controller.ts'
import type { Log } from '../../log.ts'
import { isNamespaceOf } from './environment-namespace.ts'

/** The namespaces that the operator made for environments; as a watch, enqueues an environment when its namespace is gone. */
export interface EnvironmentNamespaces extends Watch {
  /** Whether the operator made the namespace for this environment, and it is not terminating. Milliseconds late. */
  isOpen(context: ResourceContext, name: string): boolean
  stop(): void
}

export function watchEnvironmentNamespaces(client: KubeClient, log: Log): EnvironmentNamespaces {
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
    isOpen(context, name) {
      const namespace = cache.get('', name)
      return (
        namespace !== undefined &&
        namespace.metadata.deletionTimestamp === undefined &&
        isNamespaceOf(namespace, context)
      )
    },
    stop: () => reflector.stop(),
  }
}
