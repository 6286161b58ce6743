import { setTimeout } from 'node:timers/promises'
import { ActiveResource } from '../../api/active-resource.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import { type KeyedMutex, withLock } from '../../domain/base/keyed-mutex.ts'
import type { Change } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped, secretsNeededBy } from '../../kube/cache/kinds-in-store.ts'
import { readSecretMetadata, setSecretFinalizer } from '../../kube/cache/secret-metadata.ts'
import { hasFinalizer } from '../../kube/client/resource.ts'
import { SecretNeeds } from './secret-needs.ts'

/** Keeps Secrets readable, by our finalizer, while a resource needs them to be updated or deprovisioned. */
export interface SecretFinalizers {
  /**
   * Adds the finalizer to Secrets that the resource needs from now on, in addition to those of its spec and status. Calls
   * `announce` before it changes a Secret. Returns those that it cannot keep, because they are deleted.
   */
  addFinalizers(
    resource: ActiveResource,
    names: readonly string[],
    announce?: () => Promise<void>,
  ): Promise<readonly string[]>
  /** Removes the finalizer from Secrets that the resource no longer needs, unless another resource needs them. */
  removeFinalizers(resource: ActiveResource, names: readonly string[]): Promise<void>
  /** The same for all Secrets of a resource that ends, also those that a status does not name after a crash. */
  releaseAll(resource: ActiveResource): Promise<void>
}

interface Options {
  /** Waits until the cache has the resources of a namespace as they are now. */
  readonly awaitResources: (namespace: string) => Promise<void>
  /** Milliseconds for which a Secret that had our finalizer is not read again. */
  readonly trustMs?: number
  readonly retryMs?: number
}

const maxRaces = 10

/** The finalizers of all resources. Only the leading process creates one. */
export function createSecretFinalizers(cluster: Cluster, options: Options): SecretFinalizers {
  return new Finalizers(cluster, options)
}

class Finalizers implements SecretFinalizers {
  readonly #cluster: Cluster
  readonly #trustMs: number
  readonly #retryMs: number
  readonly #awaitResources: Options['awaitResources']
  /** Namespaces whose resources the cache has had as they were since this process leads. */
  readonly #known = new Set<string>()
  readonly #needs = new SecretNeeds()
  readonly #locks: KeyedMutex = new Map()
  /** When a Secret last had our finalizer, by `namespace/name`. */
  readonly #lastSeen = new Map<string, number>()

  constructor(cluster: Cluster, { awaitResources, trustMs = 300_000, retryMs = 5000 }: Options) {
    this.#awaitResources = awaitResources
    this.#cluster = cluster
    this.#trustMs = trustMs
    this.#retryMs = retryMs
    cluster.store.cacheOf(ActiveResource).subscribe((change) => this.#releaseAfter(change))
  }

  async addFinalizers(
    resource: ActiveResource,
    names: readonly string[],
    announce: () => Promise<void> = async () => {},
  ): Promise<readonly string[]> {
    const { namespace, name: guResId, uid } = resource.metadata
    const latest = this.#cluster.store.get(ActiveResource, namespace, guResId) ?? resource
    const needed = new Set([...names, ...secretsNeededBy(resource), ...secretsNeededBy(latest)])
    const abandoned = this.#neededNames(resource).filter((name) => !needed.has(name))
    for (const name of abandoned) this.#needs.set(uid, scoped(resource, name), undefined)
    if (abandoned.length > 0) void this.#removeUntilDone(namespace, abandoned)
    for (const name of names) this.#needs.set(uid, scoped(resource, name), 'needed')
    let announced: Promise<void> | undefined
    const announceOnce = () => {
      announced ??= announce()
      return announced
    }
    const add = (name: string) => this.#add(namespace, name, announceOnce)
    const areKept = await Promise.all(
      names.map((name) => withLock(this.#locks, scoped(resource, name), () => add(name))),
    )
    return names.filter((_, index) => !areKept[index])
  }

  async removeFinalizers(resource: ActiveResource, names: readonly string[]): Promise<void> {
    const { namespace, uid } = resource.metadata
    // Before any read: of two resources that release a Secret at the same time, the second sees the first.
    for (const name of names) this.#needs.set(uid, scoped(resource, name), 'released')
    await this.#removeAll(namespace, names)
  }

  async releaseAll(resource: ActiveResource): Promise<void> {
    const names = [...secretsNeededBy(resource), ...this.#unrecordedNames(resource)]
    await this.removeFinalizers(resource, [...new Set(names)])
  }

  /** Returns whether the Secret has the finalizer. */
  async #add(namespace: string, name: string, announce: () => Promise<void>): Promise<boolean> {
    const key = `${namespace}/${name}`
    if (performance.now() - (this.#lastSeen.get(key) ?? Number.NEGATIVE_INFINITY) < this.#trustMs) return true
    const { client } = this.#cluster
    for (let races = 0; races < maxRaces; races += 1) {
      const secret = await readSecretMetadata(client, namespace, name)
      // A terminating Secret accepts no new finalizer.
      if (!secret || (secret.metadata.deletionTimestamp && !hasFinalizer(secret))) return false
      if (!hasFinalizer(secret)) await announce()
      if (hasFinalizer(secret) || (await setSecretFinalizer(client, secret, true))) {
        this.#lastSeen.set(key, performance.now())
        return true
      }
    }
    throw new Error(`the Secret '${name}' changes too often to add the finalizer`)
  }

  async #remove(namespace: string, name: string): Promise<void> {
    const { client } = this.#cluster
    for (let races = 0; races < maxRaces; races += 1) {
      if (this.#needs.isNeeded(`${namespace}/${name}`)) return
      await this.#learnResources(namespace)
      if (this.#isNeeded(namespace, name)) return
      const secret = await readSecretMetadata(client, namespace, name)
      this.#lastSeen.delete(`${namespace}/${name}`)
      if (!secret || !hasFinalizer(secret)) return
      // Another resource may need the Secret since the read.
      if (this.#isNeeded(namespace, name) || (await setSecretFinalizer(client, secret, false))) return
    }
    throw new Error(`the Secret '${name}' changes too often to remove the finalizer`)
  }

  /**
   * A former process may have ended or made resources that need a Secret before the cache of this one shows it. What this one
   * ends and makes it knows.
   */
  async #learnResources(namespace: string): Promise<void> {
    if (this.#known.has(namespace)) return
    await this.#awaitResources(namespace)
    this.#known.add(namespace)
  }

  async #removeAll(namespace: string, names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map((name) => withLock(this.#locks, `${namespace}/${name}`, () => this.#remove(namespace, name))),
    )
  }

  /** Retries until it succeeds, for Secrets that no reconcile handles. */
  async #removeUntilDone(namespace: string, names: readonly string[]): Promise<void> {
    for (;;) {
      try {
        await this.#removeAll(namespace, names)
        return
      } catch {
        await setTimeout(this.#retryMs, undefined, { ref: false })
      }
    }
  }

  /** Whether a resource needs the Secret. The needs are newer than the status, which may name a released Secret. */
  #isNeeded(namespace: string, name: string): boolean {
    const key = `${namespace}/${name}`
    const isUnreleased = ({ metadata }: ActiveResource) => this.#needs.get(metadata.uid, key) !== 'released'
    const cache = this.#cluster.store.cacheOf(ActiveResource)
    return this.#needs.isNeeded(key) || cache.anyByIndex('secret', key, isUnreleased)
  }

  /** Releases Secrets that a resource no longer names, also when it did not release them itself. */
  #releaseAfter({ before, after }: Change<ActiveResource>): void {
    if (!before) return
    const { namespace, uid } = before.metadata
    const still = after ? secretsNeededBy(after) : []
    const former = [...secretsNeededBy(before), ...(after ? [] : this.#unrecordedNames(before))]
    const lost = former.filter((name) => !still.includes(name))
    const unreleased = lost.filter((name) => this.#needs.get(uid, `${namespace}/${name}`) !== 'released')
    for (const name of lost) this.#needs.set(uid, `${namespace}/${name}`, undefined)
    if (!after) this.#needs.delete(uid)
    if (unreleased.length > 0) void this.#removeUntilDone(namespace, unreleased)
  }

  /** Secrets that the status of a resource may not name: a process can end before it writes the status. */
  #unrecordedNames(resource: ActiveResource): string[] {
    const { accountName } = resource.spec.definition
    const { namespace } = resource.metadata
    const account = accountName && this.#cluster.store.get(ResourceAccount, namespace, accountName)
    const credentials = account ? account.spec.credentialsSecretName : undefined
    return [...this.#neededNames(resource), ...(credentials ? [credentials] : [])]
  }

  #neededNames({ metadata: { namespace, uid } }: ActiveResource): string[] {
    return this.#needs.keysOf(uid).map((key) => key.slice(namespace.length + 1))
  }
}
