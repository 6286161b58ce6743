import type { ResourceContext } from '../../api/active-resource.ts'
import type { StoredObject } from '../../api/kind.ts'
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
  /** Calls the handler with each of them that is gone, and with those that drivers made. */
  onGone(handler: (namespace: StoredObject) => void): void
  stop(): void
}

export function watchEnvironmentNamespaces(client: KubeClient, log: Log): EnvironmentNamespaces {
  const cache = createCache({}, (error) => log.error('a change handler failed', { error }))
  const reflector = startReflector(client, namespaceResource, cache, log, {
    labelSelector: `${labels.managedBy}=${manager}`,
    metadataOnly: true,
  })
  function onGone(handler: (namespace: StoredObject) => void): void {
    cache.subscribe(({ before, after }) => {
      if (before && !after) handler(before)
    })
  }

  return {
    subscribe(enqueue) {
      onGone(({ metadata }) => {
        // The annotation is the key of the environment.
        const environment = metadata.annotations?.[annotations.environment]
        if (environment !== undefined) enqueue([environment])
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
    onGone,
    stop: () => reflector.stop(),
  }
}
