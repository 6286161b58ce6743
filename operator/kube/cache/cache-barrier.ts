import type { Kind, KubeObject } from '../../api/kind.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { pathOf, resourceOf } from '../client/resource.ts'
import { versionOf } from './cache.ts'
import type { Cluster } from './cluster.ts'
import { metadataAccept } from './reflector.ts'
import { shareReads } from './shared-read.ts'

/** So long it is waited for the news of what one list had. */
const askAgainMs = 250
const listAccept = metadataAccept.replace('PartialObjectMetadata', 'PartialObjectMetadataList')

type Listed = Pick<KubeObject, 'metadata'>

interface MetadataList {
  readonly metadata: { readonly resourceVersion: string }
  /** Null when there are none. */
  readonly items: readonly Listed[] | null
}

/** Somebody who waits to hear of objects of one kind in a namespace. */
interface Listener {
  readonly kind: Kind
  readonly namespace: string
  /** What is not heard of yet, by name: whether it is by now. */
  readonly missing: Map<string, () => boolean>
  done(): void
}

/**
 * Waits until the store holds all that the API server held of some kinds in a namespace when it was asked. Each kind has a
 * watch of its own: what is heard of one may be newer than what is heard of another.
 */
export function createCacheBarrier(
  { client, store }: Pick<Cluster, 'client' | 'store'>,
  kinds: readonly Kind[],
  withinMs = 5000,
): (namespace: string) => Promise<void> {
  const listeners = new Set<Listener>()

  for (const kind of kinds)
    store.cacheOf(kind).subscribe(({ before, after }) => {
      const changed = after ?? before
      if (listeners.size > 0 && changed) tell(kind, changed)
    })

  function tell(kind: Kind, { metadata: { namespace = '', name } }: Listed): void {
    for (const listener of listeners) {
      if (listener.kind !== kind || listener.namespace !== namespace) continue
      if (listener.missing.get(name)?.()) listener.missing.delete(name)
      if (listener.missing.size === 0) listener.done()
    }
  }

  /** What of a list the store does not hold yet, by name, with the question whether it does by now. */
  function missingOf(kind: Kind, namespace: string, list: MetadataList): Listener['missing'] {
    const cache = store.cacheOf(kind)
    const listed = list.items ?? []
    const names = new Set(listed.map(({ metadata }) => metadata.name))
    const taken = BigInt(list.metadata.resourceVersion)
    const isKnown = (each: Listed) => () => {
      const known = cache.get(namespace, each.metadata.name)
      return known !== undefined && versionOf(known) >= versionOf(each)
    }
    const isGone = (name: string) => () => {
      const known = cache.get(namespace, name)
      return known === undefined || versionOf(known) > taken
    }
    const unlisted = cache.inNamespace(namespace).filter(({ metadata }) => !names.has(metadata.name))
    const questions = [
      ...listed.map((each) => [each.metadata.name, isKnown(each)] as const),
      ...unlisted.map(({ metadata: { name } }) => [name, isGone(name)] as const),
    ]
    return new Map(questions.filter(([, isHeard]) => !isHeard()))
  }

  /** Resolves when all is heard of, or after a while; whether it is. */
  async function heard(listener: Omit<Listener, 'done'>): Promise<boolean> {
    if (listener.missing.size === 0) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const entry = { ...listener, done: () => resolve(true) }
    listeners.add(entry)
    const timer = setTimeout(() => resolve(false), askAgainMs)
    return promise.finally(() => {
      clearTimeout(timer)
      listeners.delete(entry)
    })
  }

  async function hear(kind: Kind, namespace: string): Promise<void> {
    const path = pathOf(resourceOf(kind), namespace)
    const deadline = performance.now() + withinMs
    while (true) {
      const list = (await client.request('GET', path, { accept: listAccept })) as MetadataList // as was asked
      // What was taken away meanwhile is heard of as something that never was: a newer list does not have it.
      if (await heard({ kind, namespace, missing: missingOf(kind, namespace, list) })) return
      if (performance.now() > deadline)
        throw new Waiting('CacheBehind', `waiting to hear of changes of kind ${kind.kind}`, 1)
    }
  }

  return shareReads(async (namespace) => {
    // Nothing is left behind: who fails first waits for the others.
    const all = kinds.map((kind) => hear(kind, namespace))
    await Promise.allSettled(all)
    await Promise.all(all)
  })
}
