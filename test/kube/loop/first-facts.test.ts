import { beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { Webhook } from '../../../operator/api/webhook.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError, NoAnswer } from '../../../operator/kube/client/api-error.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { webhook } from '../../controllers/support/webhooks.ts'
import { keepingStatus } from '../support/kept-status.ts'

const fake = createFakeCluster()
const kept = keepingStatus(fake)
/** The writes to the object, and its reconciles, in their order. */
const done: string[] = []
const failures: Error[] = []
const cluster = {
  ...kept,
  async patch(...given: Parameters<Cluster['patch']>) {
    done.push('finalizer')
    return kept.patch(...given)
  },
  async replaceStatus(kind, object, status) {
    done.push(`status ${(status as { createdVersion?: string }).createdVersion}`)
    const failure = failures.shift()
    if (failure) throw failure
    return kept.replaceStatus(kind, object, status)
  },
} as Cluster

beforeEach(() => {
  fake.reset()
  fake.addOrganization('acme')
  for (const list of [done, failures]) list.length = 0
})

/** Runs the loop of a kind whose version at the creation is a fact, until it has reconciled an object. */
async function run(): Promise<void> {
  const loop = startController(
    cluster,
    {
      kind: Webhook,
      firstFacts: ({ status }) =>
        status?.createdVersion === undefined ? { createdVersion: '7' } : undefined,
      async reconcile({ status }) {
        done.push('reconcile')
        return { createdVersion: status?.createdVersion }
      },
      finalize: async () => {},
    },
    { log: silentLog, isActive: () => true, backoffMs: { first: 20, most: 20 } },
  )
  await eventually('a reconcile', 5000, async () => done.includes('reconcile') || undefined)
  await loop.queue.idle()
  await loop.stop()
}

describe('what the status must say from the first write on', () => {
  test('is written before our finalizer', async () => {
    fake.put(Webhook, webhook('hook'))
    await run()
    expect(done).toEqual(['status 7', 'finalizer', 'reconcile', 'status 7'])
  })

  test.each([
    ['fails', new ApiError(503, 'ServiceUnavailable', 'no leader')],
    ['is denied', new ApiError(403, 'Forbidden', 'denied the request')],
    ['has no answer', new NoAnswer('reset')],
    ['is a conflict', new ApiError(409, 'Conflict', 'modified')],
  ])('is tried again before any other write when its write %s', async (_, error) => {
    fake.put(Webhook, webhook('hook'))
    failures.push(error)
    await run()
    expect(done.slice(0, 3)).toEqual(['status 7', 'status 7', 'finalizer'])
  })

  test('is not written again', async () => {
    fake.put(Webhook, { ...webhook('hook'), status: { createdVersion: '7' } })
    await run()
    expect(done.slice(0, 2)).toEqual(['finalizer', 'reconcile'])
  })
})
