import { setTimeout } from 'node:timers/promises'
import { ActiveResource } from '../../api/active-resource.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import { type KeyedMutex, withLock } from '../../domain/base/keyed-mutex.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped, secretsNeededBy } from '../../kube/cache/kinds-in-store.ts'
import { readSecretMetadata, setSecretFinalizer } from '../../kube/cache/secret-metadata.ts'
import { hasFinalizer } from '../../kube/client/resource.ts'

/** Keeps Secrets readable, by our finalizer, for as long as a resource needs them to be updated or deprovisioned. */
export interface SecretFinalizers {
  /** From now on the resource needs these, besides what its spec and status name; resolves when none can vanish. */
  addFinalizers(resource: ActiveResource, names: readonly string[]): Promise<void>
  /** The resource does not need these any more; those that nobody else needs may go. */
  removeFinalizers(resource: ActiveResource, names: readonly string[]): Promise<void>
}

interface Options {
  /** Milliseconds for which a Secret that was seen with our finalizer is taken to have it still. */
  readonly trustMs?: number
  readonly retryMs?: number
}

const maxRaces = 10

/** The holds of all resources; the leading process makes one. */
export function createSecretFinalizers(cluster: Cluster, options: Options = {}): SecretFinalizers {
  const { store, client } = cluster
  const { trustMs = 300_000, retryMs = 5000 } = options
  const marks = createMarks()
  const locks: KeyedMutex = new Map()
  /** When a Secret was last seen with our finalizer. */
  const seenHeld = new Map<string, number>()

  /** A status may still name what a resource has released: the mark is newer. */
  function isNeeded(namespace: string, name: string): boolean {
    const key = `${namespace}/${name}`
    return (
      marks.isHeld(key) ||
      store
        .byIndex(ActiveResource, 'secret', key)
        .some(({ metadata }) => marks.of(metadata.uid ?? '', key) !== 'released')
    )
  }

  async function secure(namespace: string, name: string): Promise<void> {
    const key = `${namespace}/${name}`
    if (performance.now() - (seenHeld.get(key) ?? Number.NEGATIVE_INFINITY) < trustMs) return
    for (let races = 0; races < maxRaces; races += 1) {
      const secret = await readSecretMetadata(client, namespace, name)
      // One that is going takes no new finalizer: it is there as long as it is.
      if (!secret || (secret.metadata.deletionTimestamp && !hasFinalizer(secret))) return
      if (hasFinalizer(secret) || (await setSecretFinalizer(client, secret, true))) {
        seenHeld.set(key, performance.now())
        return
      }
    }
    throw new Error(`the Secret '${name}' changes too often to be held`)
  }

  async function letGo(namespace: string, name: string): Promise<void> {
    for (let races = 0; races < maxRaces; races += 1) {
      if (isNeeded(namespace, name)) return
      const secret = await readSecretMetadata(client, namespace, name)
      seenHeld.delete(`${namespace}/${name}`)
      if (!secret || !hasFinalizer(secret)) return
      // Whoever came to need it during the read waits for its turn, but counts already.
      if (isNeeded(namespace, name) || (await setSecretFinalizer(client, secret, false))) return
    }
    throw new Error(`the Secret '${name}' changes too often to be released`)
  }

  function letAllGo(namespace: string, names: readonly string[]) {
    return Promise.all(
      names.map((name) => withLock(locks, `${namespace}/${name}`, () => letGo(namespace, name))),
    )
  }

  /** For what no reconcile comes back to. */
  async function letAllGoAtLast(namespace: string, names: readonly string[]): Promise<void> {
    for (;;) {
      try {
        await letAllGo(namespace, names)
        return
      } catch {
        await setTimeout(retryMs, undefined, { ref: false })
      }
    }
  }

  // What a resource needed is let go when it needs it no more, even if it never came to say so.
  store.cacheOf(ActiveResource).subscribe(({ before, after }) => {
    if (!before) return
    const { namespace = '', uid = '' } = before.metadata
    const isSame = after?.metadata.uid === uid
    const left = isSame ? secretsNeededBy(after) : []
    const lost = [...secretsNeededBy(before), ...(isSame ? [] : namesLeftBehind(before))].filter(
      (name) => !left.includes(name),
    )
    const unsaid = lost.filter((name) => marks.of(uid, `${namespace}/${name}`) !== 'released')
    for (const name of lost) marks.set(uid, `${namespace}/${name}`, undefined)
    if (!isSame) marks.forget(uid)
    if (unsaid.length > 0) void letAllGoAtLast(namespace, unsaid)
  })

  /** Held without a trace in the status, by this process or by one that ended before it wrote. */
  function namesLeftBehind(resource: ActiveResource): string[] {
    const { accountName } = resource.spec.definition
    const account = accountName
      ? store.get(ResourceAccount, resource.metadata.namespace ?? '', accountName)
      : undefined
    const { credentialsSecretName } = account?.spec ?? {}
    return [...heldNames(resource), ...(credentialsSecretName ? [credentialsSecretName] : [])]
  }

  function heldNames({ metadata: { namespace = '', uid = '' } }: ActiveResource): string[] {
    return marks.heldBy(uid).map((key) => key.slice(namespace.length + 1))
  }

  return {
    async addFinalizers(resource, names) {
      const { namespace = '', name: guResId, uid = '' } = resource.metadata
      const latest = store.get(ActiveResource, namespace, guResId) ?? resource
      const needed = new Set([...names, ...secretsNeededBy(resource), ...secretsNeededBy(latest)])
      const abandoned = heldNames(resource).filter((name) => !needed.has(name))
      for (const name of abandoned) marks.set(uid, scoped(resource, name), undefined)
      if (abandoned.length > 0) void letAllGoAtLast(namespace, abandoned)
      for (const name of names) marks.set(uid, scoped(resource, name), 'held')
      await Promise.all(
        names.map((name) => withLock(locks, scoped(resource, name), () => secure(namespace, name))),
      )
    },
    async removeFinalizers(resource, names) {
      const { namespace = '', uid = '' } = resource.metadata
      // Marked before anybody is asked: of two that release at the same moment, the second sees the first.
      for (const name of names) marks.set(uid, scoped(resource, name), 'released')
      await letAllGo(namespace, names)
    },
  }
}

type Mark = 'held' | 'released'

/** What resources, by uid, said of Secrets, as `namespace/name`, before their status says it. */
function createMarks() {
  const bySubject = new Map<string, Map<string, Mark>>()
  const holders = new Map<string, Set<string>>()

  function drop(uid: string, key: string) {
    const left = holders.get(key)
    left?.delete(uid)
    if (left?.size === 0) holders.delete(key)
  }
  return {
    of: (uid: string, key: string) => bySubject.get(uid)?.get(key),
    isHeld: (key: string) => holders.has(key),
    heldBy: (uid: string) =>
      [...(bySubject.get(uid) ?? [])].flatMap(([key, mark]) => (mark === 'held' ? [key] : [])),
    set(uid: string, key: string, mark: Mark | undefined) {
      drop(uid, key)
      const own = bySubject.get(uid) ?? new Map<string, Mark>()
      if (mark) bySubject.set(uid, own.set(key, mark))
      else own.delete(key)
      if (mark === 'held') holders.set(key, (holders.get(key) ?? new Set()).add(uid))
    },
    forget(uid: string) {
      for (const key of bySubject.get(uid)?.keys() ?? []) drop(uid, key)
      bySubject.delete(uid)
    },
  }
}
