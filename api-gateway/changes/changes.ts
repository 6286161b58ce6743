import { ActiveResource } from '../../operator/api/active-resource.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { stateOfDeployment } from '../../operator/domain/deployment/deployment.ts'
import type { Store } from '../../operator/kube/cache/store.ts'
import { conditionOf } from '../../operator/kube/loop/outcome.ts'

/** What changed in an environment: never a value, so that a reader needs no more than the role to see the environment. */
export interface EnvironmentChange {
  readonly kind: 'environment' | 'deployment' | 'resource'
  readonly id: string
  readonly state: string
}

type Listener = (change: EnvironmentChange) => void

/** Changes of environments, from the caches of the process. */
export interface Changes {
  /** Calls the listener for each change of an environment, given by organization and object name; returns how to end it. */
  subscribe(organization: string, environmentName: string, listener: Listener): () => void
}

/** Follows the caches of environments, deployments and active resources. */
export function createChanges(store: Store): Changes {
  const listeners = new Map<string, Set<Listener>>()
  const publish = (namespace: string | undefined, environmentName: string, change: EnvironmentChange) => {
    for (const listener of listeners.get(`${namespace}/${environmentName}`) ?? []) listener(change)
  }
  store.cacheOf(Environment).subscribe(({ before, after }) => {
    const object = after ?? before
    if (!object) return
    const { namespace, name } = object.metadata
    publish(namespace, name, { kind: 'environment', id: name, state: lifecycleOf(after, 'active') })
  })
  store.cacheOf(EnvironmentDeployment).subscribe(({ before, after }) => {
    const object = after ?? before
    if (!object) return
    const { namespace, name } = object.metadata
    const state = after ? stateOfDeployment(after) : 'deleted'
    publish(namespace, object.spec.environmentName, { kind: 'deployment', id: name, state })
  })
  store.cacheOf(ActiveResource).subscribe(({ before, after }) => {
    const object = after ?? before
    if (!object) return
    const { namespace, name } = object.metadata
    const ready = after && conditionOf(after, 'Ready')?.status === 'True' ? 'active' : 'pending'
    publish(namespace, object.spec.environmentName, {
      kind: 'resource',
      id: name,
      state: lifecycleOf(after, ready),
    })
  })

  return {
    subscribe(organization, environmentName, listener) {
      const key = `${organization}/${environmentName}`
      const known = listeners.get(key) ?? new Set()
      listeners.set(key, known.add(listener))
      return () => {
        known.delete(listener)
        if (known.size === 0 && listeners.get(key) === known) listeners.delete(key)
      }
    },
  }
}

function lifecycleOf(
  object: { readonly metadata: { readonly deletionTimestamp?: string } } | undefined,
  state: string,
): string {
  if (!object) return 'deleted'
  return object.metadata.deletionTimestamp ? 'deleting' : state
}
