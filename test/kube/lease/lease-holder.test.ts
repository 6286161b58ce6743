import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'
import { holdLease, type Lease } from '../../../operator/kube/lease/lease-holder.ts'
import { createMemory, sharedTimes } from '../../../operator/kube/lease/lease-messages.ts'

const times = { leaseMs: 6000, renewDeadlineMs: 4000, retryMs: 40, stuckMs: 60_000 }

/** A cluster with one lease, and how often each process read and wrote it. */
function createLeaseServer() {
  let lease: Lease | undefined
  let version = 0
  let isAway = false
  const counts: Record<string, { reads: number; writes: number }> = {}

  function clientOf(identity: string): KubeClient {
    const count = { reads: 0, writes: 0 }
    counts[identity] = count
    return {
      async request(method: string, _path: string, { body }: RequestOptions = {}) {
        await Promise.resolve()
        if (method === 'GET') {
          count.reads += 1
          if (isAway) throw new ApiError(503, 'ServiceUnavailable', 'away')
          if (!lease) throw new ApiError(404, 'NotFound', 'no lease')
          return structuredClone(lease)
        }
        const given = body as Lease
        if (lease && given.metadata.resourceVersion !== lease.metadata.resourceVersion)
          throw new ApiError(409, 'Conflict', 'modified')
        count.writes += 1
        version += 1
        lease = { ...given, metadata: { ...given.metadata, resourceVersion: String(version) } }
        return lease
      },
    } as unknown as KubeClient // the part that a holder uses
  }
  return {
    counts,
    setAway(value: boolean) {
      isAway = value
    },
    /** A process that takes part, and the events that it emitted. */
    join(identity: string) {
      const events: string[] = []
      const shared = sharedTimes(createMemory())
      shared.aliveAt = Number.MAX_SAFE_INTEGER
      const options = { namespace: 'system', name: 'leader', identity, times, shared }
      const holder = holdLease({
        ...options,
        client: clientOf(identity),
        emit: ({ kind }) => events.push(kind),
        onStuck() {},
      })
      return { holder, events }
    },
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(1)
}

test('a process that waits looks more often than the leader renews, and takes over a released lease', async () => {
  const server = createLeaseServer()
  const first = server.join('first')
  await until(() => first.events.includes('elected'))
  const second = server.join('second')
  const before = server.counts['first']?.writes ?? 0
  await until(() => (server.counts['first']?.writes ?? 0) >= before + 10)
  expect(server.counts['second']?.reads).toBeGreaterThan(20)
  expect(second.events).toEqual([])
  await first.holder.release()
  await until(() => second.events.includes('elected'))
  await second.holder.release()
})

test('a process that cannot reach the lease does not look more often', async () => {
  const server = createLeaseServer()
  const first = server.join('first')
  await until(() => first.events.includes('elected'))
  server.setAway(true)
  const second = server.join('second')
  const before = server.counts['first']?.reads ?? 0
  await until(() => (server.counts['first']?.reads ?? 0) >= before + 10)
  expect(server.counts['second']?.reads).toBeLessThan(20)
  server.setAway(false)
  await Promise.all([first.holder.release(), second.holder.release()])
})
