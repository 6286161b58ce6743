import { kinds } from '../../../operator/api/kinds.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'

/** Returns how many objects the caches return as lists during the work: what grows with the number of all objects. */
export async function readsOf(store: Pick<Store, 'cacheOf'>, work: () => unknown): Promise<number> {
  let reads = 0
  const counting = <T extends readonly unknown[]>(found: T): T => {
    reads += found.length
    return found
  }
  const restore = kinds.map((kind) => {
    const cache = store.cacheOf(kind)
    const { byIndex, inNamespace } = cache
    const counted = {
      byIndex: (index: string, value: string) => counting(byIndex.call(cache, index, value)),
      inNamespace: (namespace: string) => counting(inNamespace.call(cache, namespace)),
    }
    return [cache, counted, { byIndex, inNamespace }] as const
  })
  for (const [cache, counted] of restore) Object.assign(cache, counted)
  try {
    await work()
  } finally {
    for (const [cache, , own] of restore) Object.assign(cache, own)
  }
  return reads
}
