import type { Log } from '../../log.ts'
import { createCache } from '../cache/cache.ts'
import { startReflector } from '../cache/reflector.ts'
import type { KubeClient } from '../client/client.ts'
import { leaseResource } from '../client/resource.ts'
import type { Lease } from './lease-holder.ts'

/** Watches a lease of other processes. */
export interface LeaseWatch {
  /** Whether a process holds it, by the local clock; undefined before the first read. */
  isHeld(): boolean | undefined
  stop(): void
}

/** Longer than the renew interval: a watch that is silent for this long is restarted. */
const idleMs = 10_000
const defaultSeconds = 15

/** Watches the lease of this name. */
export function watchLease(
  client: KubeClient,
  log: Log,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): LeaseWatch {
  const cache = createCache<Lease>({}, (error) => log.error('a lease handler failed', { error }))
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
      // Only the time during which the watch worked counts.
      const heardAt = performance.now() - reflector.silentMs()
      return heardAt - changedAt < leaseDurationSeconds * 1000
    },
    stop: () => reflector.stop(),
  }
}
