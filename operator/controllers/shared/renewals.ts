import { ActiveResource } from '../../api/active-resource.ts'
import { environmentKeyOf, scoped } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'

/** A run that provisions resources again, and the keys of those that it has not provisioned yet. */
export interface Renewal {
  readonly runUid: string
  readonly pending: Set<string>
}

/**
 * The resources that deployments of mode `full` provision again although nothing changed, dependencies first. Kept in
 * memory, since a mark on each resource would cost two writes: after a restart, an unfinished deployment starts again with
 * all of its resources.
 */
export class Renewals {
  readonly #store: Store
  /** By key of the environment, in which one deployment runs at a time. */
  readonly #running = new Map<string, Renewal>()
  readonly #resourceHandlers: ((key: string) => void)[] = []
  readonly #endHandlers: ((environmentKey: string) => void)[] = []

  constructor(store: Store) {
    this.#store = store
    store.cacheOf(ActiveResource).subscribe(({ before, after }) => {
      if (before && !after) this.#remove(before)
    })
  }

  /** Marks the resources, which `enqueue` reconciles. An earlier run in the environment ends. */
  start(environmentKey: string, runUid: string, resources: readonly ActiveResource[]): void {
    this.#running.set(environmentKey, { runUid, pending: new Set(resources.map(keyOf)) })
  }

  /** Enqueues the marked resources that wait for no other one. */
  enqueue(environmentKey: string): void {
    for (const key of this.#running.get(environmentKey)?.pending ?? []) this.#enqueueIfFree(key)
  }

  /** Ends the run: its other resources are not provisioned again. */
  end(environmentKey: string, runUid: string): void {
    if (this.#running.get(environmentKey)?.runUid === runUid) this.#running.delete(environmentKey)
  }

  /** The run that provisions the resource again now; undefined while one of its dependencies waits to be provisioned. */
  of(resource: ActiveResource): Renewal | undefined {
    const run = this.#running.get(environmentKeyOf(resource))
    if (!run?.pending.has(keyOf(resource))) return undefined
    const isBlocked = resource.spec.dependsOn?.some((name) => run.pending.has(scoped(resource, name)))
    return isBlocked ? undefined : run
  }

  /** Whether a run has still to provision the resource again. */
  isPending(resource: ActiveResource): boolean {
    return this.#running.get(environmentKeyOf(resource))?.pending.has(keyOf(resource)) ?? false
  }

  /** How many resources of the environment a run has still to provision again. */
  pendingIn(environmentKey: string): number {
    return this.#running.get(environmentKey)?.pending.size ?? 0
  }

  /** The run has provisioned the resource, and its status is written. */
  complete(resource: ActiveResource, run: Renewal): void {
    if (this.#running.get(environmentKeyOf(resource)) === run) this.#remove(resource)
  }

  /** Calls the handler with the key of each resource to reconcile. */
  onEnqueue(handler: (key: string) => void): void {
    this.#resourceHandlers.push(handler)
  }

  /** Calls the handler with the key of an environment when a run has provisioned its last resource. */
  onEnd(handler: (environmentKey: string) => void): void {
    this.#endHandlers.push(handler)
  }

  #remove(resource: ActiveResource): void {
    const environmentKey = environmentKeyOf(resource)
    const run = this.#running.get(environmentKey)
    if (!run?.pending.delete(keyOf(resource))) return
    for (const each of this.#store.byIndex(ActiveResource, 'dependsOn', keyOf(resource)))
      this.#enqueueIfFree(keyOf(each))
    if (run.pending.size === 0) for (const handler of this.#endHandlers) handler(environmentKey)
  }

  #enqueueIfFree(key: string): void {
    const resource = this.#store.get(ActiveResource, ...namespacedName(key))
    if (resource && this.of(resource)) for (const handler of this.#resourceHandlers) handler(key)
  }
}
