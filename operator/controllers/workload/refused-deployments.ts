import { hasReason, ReconcileError } from '../../domain/base/errors.ts'
import { explainRejection } from '../../kube/client/explain-rejection.ts'
import { keyOf } from '../../kube/client/resource.ts'

type Keyed = Parameters<typeof keyOf>[0]

/** Why the cluster does not let the operator create a deployment of Workloads, by the key of the environment. */
export class RefusedDeployments {
  readonly #errors = new Map<string, Error>()
  readonly #listeners: ((environmentKey: string) => void)[] = []

  get(environmentKey: string): Error | undefined {
    return this.#errors.get(environmentKey)
  }

  /** Calls the listener when the answer for an environment changes. */
  subscribe(listener: (environmentKey: string) => void): void {
    this.#listeners.push(listener)
  }

  note(environment: Keyed, error: unknown): void {
    const explained = explainRejection(error, 'create', { kind: 'EnvironmentDeployment' })
    const text = explained instanceof Error ? explained.message : String(explained)
    this.#set(keyOf(environment), hasReason(explained) ? explained : new ReconcileError('Failed', text))
  }

  forget(environmentKey: string): void {
    this.#set(environmentKey, undefined)
  }

  #set(key: string, error: Error | undefined): void {
    const isSame = this.#errors.get(key)?.message === error?.message
    if (error) this.#errors.set(key, error)
    else this.#errors.delete(key)
    if (!isSame) for (const listener of this.#listeners) listener(key)
  }
}
