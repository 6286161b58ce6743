import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCache, type IndexFunction } from '../../operator/kube/cache/cache.ts'
import { kindsInStore } from '../../operator/kube/cache/kinds-in-store.ts'
import { startReflector } from '../../operator/kube/cache/reflector.ts'
import type { KubeClient } from '../../operator/kube/client/client.ts'
import { resourceOf } from '../../operator/kube/client/resource.ts'
import { silentLog } from '../../operator/log.ts'
import { rounded } from '../statistics.ts'

/** What the objects of one kind need in the store of a process, indexes included. */
export interface KindHeap {
  readonly kind: string
  readonly objects: number
  readonly heapMiB: number
  readonly bytesPerObject: number
}

/** Fills the caches of the processes kind by kind in this process; the largest kind comes first. */
export async function heapByKind(client: KubeClient): Promise<KindHeap[]> {
  const heaps: KindHeap[] = []
  const filled: object[] = []
  for (const { kind, indexes = {} } of kindsInStore) {
    const before = settledHeap()
    const cache = createCache(indexes as Record<string, IndexFunction>, (error) => {
      throw error
    })
    const reflector = startReflector(client, resourceOf(kind), cache, silentLog)
    await reflector.synced
    reflector.stop()
    // The caches stay: what two of them share counts once.
    filled.push(cache)
    const bytes = Math.max(0, settledHeap() - before)
    const { size } = cache
    heaps.push({
      kind: kind.kind,
      objects: size,
      heapMiB: rounded(bytes / 2 ** 20, 1),
      bytesPerObject: size === 0 ? 0 : Math.round(bytes / size),
    })
  }
  return heaps.toSorted((left, right) => right.heapMiB - left.heapMiB)
}

/** Bytes that are in use after a garbage collection. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage().heapUsed
}
