import { DeploymentSet } from '../../api/deployment-set.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { newObject } from '../../api/kind.ts'
import { fieldManager } from '../../api/names.ts'
import type { Change } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { isSetInUse, recordedSetNames, setNamesOf } from '../../kube/cache/kinds-in-store.ts'
import { onOrganization } from '../../kube/cache/store.ts'
import { isAlreadyExists, isGone, isNamespaceTerminating, isNotFound } from '../../kube/client/api-error.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { createQueue, type WorkQueue } from '../../kube/loop/queue.ts'
import { startResync } from '../../kube/loop/resync.ts'
import type { Log } from '../../log.ts'

const retryMs = 5000
const standbyMs = 1000
const workers = 4

interface Options {
  readonly log: Log
  readonly isActive: () => boolean
  /** How long a set is kept after its last use: the cache may not have the deployment that refers to it yet. */
  readonly settleMs: number
  readonly resyncMs: number
}

/**
 * Deletes deployment sets that nothing refers to, and restores deleted sets that an environment records. Sets that
 * another client created or applied are not deleted.
 */
export function startSetCleanup(cluster: Cluster, options: Options): { stop(): Promise<void> } {
  const cleanup = new SetCleanup(cluster, options)
  return cleanup.start()
}

class SetCleanup {
  readonly #cluster: Cluster
  readonly #options: Options
  readonly #queue: WorkQueue
  /** Deleted sets that an environment records, by key. */
  readonly #deleted = new Map<string, DeploymentSet>()
  /** When sets were last changed, or lost a reference, by key; in milliseconds of `performance.now`. */
  readonly #usedAt = new Map<string, number>()

  constructor(cluster: Cluster, options: Options) {
    this.#cluster = cluster
    this.#options = options
    this.#queue = createQueue(workers, (key) => this.#work(key))
  }

  start(): { stop(): Promise<void> } {
    const { store } = this.#cluster
    store.cacheOf(DeploymentSet).subscribe((change) => this.#onSet(change))
    store.cacheOf(EnvironmentDeployment).subscribe(({ before, after }) => {
      if (before && !after) this.#noteUses(before.metadata.namespace, setNamesOf(before))
    })
    store.cacheOf(Environment).subscribe((change) => this.#onEnvironment(change))
    // Without the label of its organization, no set is restored.
    onOrganization(store, (namespace) => {
      for (const [key, { metadata }] of this.#deleted)
        if (metadata.namespace === namespace) this.#queue.add(key)
    })
    const sets = store.cacheOf(DeploymentSet)
    for (const each of sets.all()) this.#check(keyOf(each))
    const resync = startResync(sets, this.#options.resyncMs, (key) => this.#check(key))
    return {
      stop: async () => {
        resync.stop()
        await this.#queue.stop()
      },
    }
  }

  #onSet({ before, after }: Change<DeploymentSet>): void {
    if (after) {
      this.#deleted.delete(keyOf(after))
      this.#noteUse(keyOf(after))
    } else if (before) this.#usedAt.delete(keyOf(before))
    if (after || !before || !this.#isRecorded(before.metadata.namespace, before.metadata.name)) return
    this.#deleted.set(keyOf(before), before)
    this.#queue.add(keyOf(before))
  }

  #onEnvironment({ before, after }: Change<Environment>): void {
    if (!before || before.status === after?.status) return
    const still = after ? recordedSetNames(after) : []
    const former = recordedSetNames(before).filter((name) => !still.includes(name))
    this.#noteUses(before.metadata.namespace, former)
  }

  #noteUses(namespace: string, names: readonly string[]): void {
    const { store } = this.#cluster
    for (const name of names)
      if (store.get(DeploymentSet, namespace, name)) this.#noteUse(`${namespace}/${name}`)
  }

  #noteUse(key: string): void {
    this.#usedAt.set(key, performance.now())
    this.#check(key)
  }

  #check(key: string): void {
    this.#queue.addAfter(key, this.#options.settleMs)
  }

  async #work(key: string): Promise<void> {
    const { store } = this.#cluster
    const { isActive, log } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    if (!store.isOrganization(namespace)) return
    if (!isActive()) {
      // The process that leads may have ended before it restored the set.
      if (this.#deleted.has(key)) this.#queue.addAfter(key, standbyMs)
      return
    }
    try {
      const set = store.get(DeploymentSet, namespace, name)
      if (set) await this.#removeUnused(set)
      else await this.#restore(key)
    } catch (error) {
      if (isNotFound(error) || isNamespaceTerminating(error)) return
      log.warn('could not clean up a deployment set', { key, error })
      this.#queue.addAfter(key, retryMs)
    }
  }

  async #removeUnused(set: DeploymentSet): Promise<void> {
    const { namespace, name } = set.metadata
    if (isSetInUse(this.#cluster.store, set)) return
    const usedAt = this.#usedAt.get(keyOf(set)) ?? -Infinity
    const wait = usedAt + this.#options.settleMs - performance.now()
    if (wait > 0) {
      this.#queue.addAfter(keyOf(set), wait)
      return
    }
    const current = await this.#cluster.read(DeploymentSet, namespace, name)
    // A newer version, which the cache does not have yet, was used again.
    if (current?.metadata.resourceVersion !== set.metadata.resourceVersion) return
    if (isSetInUse(this.#cluster.store, set)) return
    if (!isOnlyOurs(current)) return
    try {
      await this.#cluster.removeUnchanged(DeploymentSet, current)
    } catch (error) {
      // The change of a set checks it again.
      if (!isGone(error)) throw error
    }
  }

  async #restore(key: string): Promise<void> {
    const set = this.#deleted.get(key)
    this.#deleted.delete(key)
    if (!set) return
    const { namespace, name } = set.metadata
    if (!this.#isRecorded(namespace, name)) return
    try {
      await this.#cluster.create(DeploymentSet, newObject(DeploymentSet, { namespace, name }, set.spec))
    } catch (error) {
      if (isAlreadyExists(error)) return
      this.#deleted.set(key, set)
      throw error
    }
  }

  #isRecorded(namespace: string, name: string): boolean {
    return this.#cluster.store.cacheOf(Environment).anyByIndex('set', `${namespace}/${name}`)
  }
}

/** Whether no other client has written the object; needs an object with `managedFields`, which caches leave out. */
function isOnlyOurs({ metadata }: DeploymentSet): boolean {
  const { managedFields = [] } = metadata
  return managedFields.length > 0 && managedFields.every(({ manager }) => manager === fieldManager)
}
