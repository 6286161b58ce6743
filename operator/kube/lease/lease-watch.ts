import type { Log } from '../../log.ts'
import { createCache } from '../cache/cache.ts'
import { startReflector } from '../cache/reflector.ts'
import type { KubeClient } from '../client/client.ts'
import { leaseResource } from '../client/resource.ts'
import type { Lease } from './lease-holder.ts'

/** Watches a lease that other processes take and renew. */
export interface LeaseWatch {
  /**
   * Whether a process holds it; undefined while that is not known. Judged by when this process saw it change, never by
   * comparing clocks.
   */
  isHeld(): boolean | undefined
  stop(): void
}

/** A lease is renewed more often than this: a watch that is silent for longer is begun again, and then the lease is read. */
const idleMs = 10_000
const defaultSeconds = 15

/** Watches the lease of this name. */
export function watchLease(
  client: KubeClient,
  log: Log,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): LeaseWatch {
  const cache = createCache<Lease>({}, (error) => log.error('a handler of the lease threw', { error }))
  let changedAt = performance.now()
  let isKnown = false
  cache.subscribe(() => {
    changedAt = performance.now()
  })
  const fieldSelector = `metadata.name=${name}`
  const reflector = startReflector(client, leaseResource, cache, log, { namespace, fieldSelector, idleMs })
  void reflector.synced.then(() => {
    isKnown = true
  })
  return {
    isHeld() {
      if (!isKnown) return undefined
      const { holderIdentity = '', leaseDurationSeconds = defaultSeconds } =
        cache.get(namespace, name)?.spec ?? {}
      if (holderIdentity === '') return false
      // What is not heard of says nothing: the watch may be what failed.
      const heardAt = performance.now() - reflector.silentMs()
      return heardAt - changedAt < leaseDurationSeconds * 1000
    },
    stop: () => reflector.stop(),
  }
}
