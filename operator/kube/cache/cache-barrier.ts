import type { Kind, StoredObject } from '../../api/kind.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { shareReads } from '../../domain/base/shared-read.ts'
import type { ListPage } from '../client/list-page.ts'
import { pathOf, resourceOf } from '../client/resource.ts'
import { versionOf } from './cache.ts'
import type { Cluster } from './cluster.ts'
import { metadataListAccept } from './watch-protocol.ts'

/** After this long the list is read again. */
const relistMs = 250

type Listed = Pick<StoredObject, 'metadata'>

/** A wait until the cache holds the objects of one kind in a namespace. */
interface Waiter {
  readonly kind: Kind
  readonly namespace: string
  /** Objects that the cache does not reflect yet, by name, each with a check whether it does now. */
  readonly missing: Map<string, () => boolean>
  done(): void
}

/**
 * Waits until the store reflects the objects of some kinds in a namespace as they were at the call. Each kind has its own
 * watch, so one cache may be ahead of another.
 */
export function createCacheBarrier(
  { client, store }: Pick<Cluster, 'client' | 'store'>,
  kinds: readonly Kind[],
  withinMs = 5000,
): (namespace: string) => Promise<void> {
  const waiters = new Set<Waiter>()

  for (const kind of kinds)
    store.cacheOf(kind).subscribe(({ before, after }) => {
      const changed = after ?? before
      if (waiters.size > 0 && changed) notify(kind, changed)
    })

  function notify(kind: Kind, { metadata: { namespace, name } }: Listed): void {
    for (const waiter of waiters) {
      if (waiter.kind !== kind || waiter.namespace !== namespace) continue
      if (waiter.missing.get(name)?.()) waiter.missing.delete(name)
      if (waiter.missing.size === 0) waiter.done()
    }
  }

  function missingOf(kind: Kind, namespace: string, list: ListPage<Listed>): Waiter['missing'] {
    const cache = store.cacheOf(kind)
    const listed = list.items ?? []
    const names = new Set(listed.map(({ metadata }) => metadata.name))
    const listVersion = BigInt(list.metadata.resourceVersion)
    const isStored = (each: Listed) => () => {
      const known = cache.get(namespace, each.metadata.name)
      return known !== undefined && versionOf(known) >= versionOf(each)
    }
    const isGone = (name: string) => () => {
      const known = cache.get(namespace, name)
      return known === undefined || versionOf(known) > listVersion
    }
    const unlisted = cache.inNamespace(namespace).filter(({ metadata }) => !names.has(metadata.name))
    const checks = [
      ...listed.map((each) => [each.metadata.name, isStored(each)] as const),
      ...unlisted.map(({ metadata: { name } }) => [name, isGone(name)] as const),
    ]
    return new Map(checks.filter(([, isReflected]) => !isReflected()))
  }

  /** Returns whether the cache reflects the objects in time. */
  async function isReflected(waiter: Omit<Waiter, 'done'>): Promise<boolean> {
    if (waiter.missing.size === 0) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const entry = { ...waiter, done: () => resolve(true) }
    waiters.add(entry)
    const timer = setTimeout(() => resolve(false), relistMs)
    return promise.finally(() => {
      clearTimeout(timer)
      waiters.delete(entry)
    })
  }

  async function waitFor(kind: Kind, namespace: string): Promise<void> {
    const path = pathOf(resourceOf(kind), namespace)
    const deadline = performance.now() + withinMs
    while (true) {
      const list = (await client.request('GET', path, { accept: metadataListAccept })) as ListPage<Listed> // the form of `accept`
      // An object that is deleted meanwhile may never appear in the cache: a newer list does not contain it.
      if (await isReflected({ kind, namespace, missing: missingOf(kind, namespace, list) })) return
      if (performance.now() > deadline)
        throw new Waiting('CacheBehind', `waiting for the cache of kind ${kind.kind}`, 1)
    }
  }

  return shareReads(async (namespace) => {
    // All waits end before the first failure is thrown.
    const all = kinds.map((kind) => waitFor(kind, namespace))
    await Promise.allSettled(all)
    await Promise.all(all)
  })
}
