import { describe, expect, test } from '@jest/globals'
import { Application } from '../../../operator/api/application.ts'
import { QuotaExceeded, Stalled } from '../../../operator/domain/base/errors.ts'
import type { ResourceQuota } from '../../../operator/domain/base/quota.ts'
import { createCache } from '../../../operator/kube/cache/cache.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { QuotaWaits } from '../../../operator/kube/loop/quota-waits.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { quota, storedObject } from '../../support/builders.ts'

const pods = (used: number, version: number, namespace = 'acme'): ResourceQuota => {
  const { metadata, ...rest } = quota('team', { pods: '9' }, { pods: String(used) })
  return { ...rest, metadata: { ...metadata, namespace, resourceVersion: String(version) } }
}

function setUp() {
  const quotas = createCache<ResourceQuota>({}, () => {})
  const enqueued: string[] = []
  const waits = new QuotaWaits({ quotas }, (key) => enqueued.push(key))
  quotas.set(pods(9, 1))
  return { quotas, enqueued, waits }
}

describe('a key whose reconcile exceeded a quota', () => {
  test('is enqueued once when a quota of that namespace has more room', () => {
    const { quotas, enqueued, waits } = setUp()
    waits.add('org/a', new QuotaExceeded('full', 'acme'))
    waits.add('org/a', new QuotaExceeded('full', 'acme'))
    waits.add('org/b', new QuotaExceeded('full', 'acme'))
    quotas.set(pods(8, 2))
    quotas.set(pods(7, 3))
    expect(enqueued).toEqual(['org/a', 'org/b'])
  })

  test('waits while the quota fills up, and while another namespace has more room', () => {
    const { quotas, enqueued, waits } = setUp()
    waits.add('org/a', new QuotaExceeded('full', 'globex'))
    quotas.set(pods(8, 2))
    quotas.set(pods(3, 3, 'globex'))
    quotas.set(pods(4, 4, 'globex'))
    expect(enqueued).toEqual([])
  })
})

test('a key that ended with another error waits for no quota', () => {
  const { quotas, enqueued, waits } = setUp()
  waits.add('org/a', new Stalled('Conflict', 'not ours'))
  waits.add('org/b', undefined)
  quotas.set(pods(8, 2))
  expect(enqueued).toEqual([])
})

test('a reconcile that exceeded a quota is repeated as soon as that has more room', async () => {
  const cluster = createFakeCluster()
  cluster.addOrganization('acme')
  cluster.put(Application, storedObject(Application, { name: 'shop' }, {}))
  cluster.store.quotas.set(pods(9, 1))
  let attempts = 0
  const controller = {
    kind: Application,
    async reconcile(): Promise<never> {
      attempts += 1
      throw new QuotaExceeded('full', 'acme')
    },
  }
  const loop = startController({ ...cluster, replaceStatus: async () => ({}) as never }, controller, {
    log: silentLog,
    isActive: () => true,
  })
  await loop.queue.idle()
  cluster.store.quotas.set(pods(8, 2))
  await loop.queue.idle()
  await loop.stop()
  expect(attempts).toBe(2)
})
