import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { Observed } from '../../kube/loop/status.ts'

type DeploymentStatus = Observed<typeof EnvironmentDeployment>

/** All deployments to the environment of a deployment, that one included. Without the environment, none waits for another. */
export function deploymentsBeside(
  store: Store,
  deployment: EnvironmentDeployment,
): readonly EnvironmentDeployment[] {
  const { metadata, spec } = deployment
  if (!store.get(Environment, metadata.namespace, spec.environmentName)) return [deployment]
  return store.byIndex(EnvironmentDeployment, 'environment', environmentKeyOf(deployment))
}

/** A deployment that has begun, or that had ended before. */
export interface Start {
  readonly status: DeploymentStatus
  /** Names of the resources that the plan needs. */
  readonly needs: readonly string[]
}

/** Deployments whose resources this process has written, so that only their progress matters. */
export class RunningDeployments {
  readonly #starts = new Map<string, Start & { readonly uid?: string }>()
  /** Key of the deployment that runs, by the key of its environment. */
  readonly #byEnvironment = new Map<string, string>()

  startOf(deployment: EnvironmentDeployment): Start | undefined {
    const known = this.#starts.get(keyOf(deployment))
    return known?.uid === deployment.metadata.uid ? known : undefined
  }

  /** Key of the deployment that runs in an environment; empty without one. */
  keysIn(environmentKey: string): string[] {
    const key = this.#byEnvironment.get(environmentKey)
    return key === undefined ? [] : [key]
  }

  add(deployment: EnvironmentDeployment, start: Start): void {
    this.#starts.set(keyOf(deployment), { ...start, uid: deployment.metadata.uid })
    this.#byEnvironment.set(environmentKeyOf(deployment), keyOf(deployment))
  }

  remove(deployment: EnvironmentDeployment): void {
    const environmentKey = environmentKeyOf(deployment)
    this.#starts.delete(keyOf(deployment))
    if (this.#byEnvironment.get(environmentKey) === keyOf(deployment))
      this.#byEnvironment.delete(environmentKey)
  }
}

/** Deployments that have read what they deploy, and have not started: a change of what they read may let them start. */
export class WaitingDeployments {
  readonly #keys = new Map<string, Set<string>>()

  add(deployment: EnvironmentDeployment): void {
    const { namespace } = deployment.metadata
    this.#keys.set(namespace, (this.#keys.get(namespace) ?? new Set()).add(keyOf(deployment)))
  }

  remove(deployment: EnvironmentDeployment): void {
    const { namespace } = deployment.metadata
    const keys = this.#keys.get(namespace)
    keys?.delete(keyOf(deployment))
    if (keys?.size === 0) this.#keys.delete(namespace)
  }

  keysIn(namespace: string): string[] {
    return [...(this.#keys.get(namespace) ?? [])]
  }
}
