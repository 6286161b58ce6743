import { setTimeout as sleep } from 'node:timers/promises'
import type { Kind, KubeObject } from '../api/kind.ts'
import { Waiting } from '../domain/errors.ts'
import { versionOf } from './cache.ts'
import type { Cluster } from './cluster.ts'
import { metadataAccept } from './reflector.ts'
import { pathOf, resourceOf } from './resource.ts'

const lookEveryMs = 20
const listAccept = metadataAccept.replace('PartialObjectMetadata', 'PartialObjectMetadataList')

interface MetadataList {
  readonly metadata: { readonly resourceVersion: string }
  /** Null when there are none. */
  readonly items: readonly Pick<KubeObject, 'metadata'>[] | null
}

/**
 * Waits until the store holds all that the API server held of some kinds in a namespace when it was asked. Each kind has a
 * watch of its own: what is heard of one may be newer than what is heard of another.
 */
export function createCatchUp(
  { client, store }: Pick<Cluster, 'client' | 'store'>,
  kinds: readonly Kind[],
  withinMs = 5000,
): (namespace: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const next = new Map<string, Promise<void>>()

  async function isBehind(kind: Kind, namespace: string): Promise<boolean> {
    const path = pathOf(resourceOf(kind), namespace)
    const list = (await client.request('GET', path, { accept: listAccept })) as MetadataList // as was asked
    const items = list.items ?? []
    const cache = store.cacheOf(kind)
    const names = new Set(items.map((each) => each.metadata.name))
    const isOlder = (each: Pick<KubeObject, 'metadata'>) => {
      const known = cache.get(namespace, each.metadata.name)
      return !known || versionOf(known) < versionOf(each)
    }
    const isGone = (each: KubeObject) =>
      !names.has(each.metadata.name) && versionOf(each) <= BigInt(list.metadata.resourceVersion)
    return items.some(isOlder) || cache.inNamespace(namespace).some(isGone)
  }

  async function catchUp(namespace: string): Promise<void> {
    const deadline = performance.now() + withinMs
    let behind = kinds
    while (true) {
      const isStill = await Promise.all(behind.map((kind) => isBehind(kind, namespace)))
      behind = behind.filter((_, i) => isStill[i])
      if (behind.length === 0) return
      if (performance.now() > deadline) {
        const names = behind.map(({ kind }) => kind).join(', ')
        throw new Waiting('CatchingUp', `waiting to hear of the latest changes of ${names}`, 1)
      }
      await sleep(lookEveryMs)
    }
  }

  function begin(namespace: string): Promise<void> {
    next.delete(namespace)
    const run = catchUp(namespace).finally(() => {
      if (underWay.get(namespace) === run) underWay.delete(namespace)
    })
    underWay.set(namespace, run)
    return run
  }

  return (namespace) => {
    const current = underWay.get(namespace)
    if (!current) return begin(namespace)
    // What is under way may have asked too early: the next one is for all who come meanwhile.
    const waiting = next.get(namespace) ?? current.catch(() => {}).then(() => begin(namespace))
    next.set(namespace, waiting)
    return waiting
  }
}
