import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { newObject, type StoredObject } from '../../../operator/api/kind.ts'
import { labels } from '../../../operator/api/names.ts'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { Waiting } from '../../../operator/domain/base/errors.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { conditionOf, outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { ShortWaits, waitingDelayMs } from '../../../operator/kube/loop/short-waits.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { keepingStatus } from '../support/kept-status.ts'

/** The loop over one object that waits, in its first seconds: the attempts, and the reason that its status shows. */
async function waitWith(
  reason: Reason,
  retryAfterSeconds?: number,
  meanwhile: (fake: FakeCluster) => void = () => {},
) {
  const fake = createFakeCluster()
  fake.addOrganization('acme')
  change(fake, 1, true)
  fake.put(
    Environment,
    newObject(
      Environment,
      { namespace: 'acme', name: 'shop.dev' },
      { applicationName: 'shop', typeName: 'dev' },
    ),
  )
  const cluster = keepingStatus(fake)
  let attempts = 0
  const reconcile = () => {
    attempts += 1
    return Promise.reject(new Waiting(reason, 'busy', retryAfterSeconds))
  }
  const loop = startController(
    cluster,
    { kind: Environment, reconcile },
    { log: silentLog, isActive: () => true },
  )
  const shown = () => {
    const object = fake.store.get(Environment, 'acme', 'shop.dev')
    return object && conditionOf(object, 'Ready')?.reason
  }
  await eventually('an attempt', 5000, async () => attempts > 0 || undefined)
  await loop.queue.idle()
  const early = shown()
  meanwhile(fake)
  await new Promise((resolve) => setTimeout(resolve, waitingDelayMs + 500))
  await loop.stop()
  return { attempts, early, late: shown() }
}

test.each<Reason>(['DriverBusy', 'RateLimited'])(
  'a pause that was asked for is written at once, and not ended early: %s',
  async (reason) => {
    expect(await waitWith(reason, 3600)).toEqual({ attempts: 1, early: reason, late: reason })
  },
)

/** Stores the namespace of the organization again, with its label or without. */
function change({ store }: FakeCluster, version: number, isOrganization: boolean): void {
  const metadata = { name: 'acme', uid: 'acme', resourceVersion: String(version), creationTimestamp: '' }
  const labelled = isOrganization ? { labels: { [labels.organization]: 'acme' } } : {}
  store.namespaces.set({ apiVersion: 'v1', kind: 'Namespace', metadata: { ...metadata, ...labelled } })
}

test.each<[change: string, labelled: readonly boolean[], attempts: number]>([
  ['any change of its namespace ends none', [true, true], 1],
  ['the label of its organization ends it', [false, true], 2],
])('a pause of an hour: %s', async (_, labelled, attempts) => {
  const found = await waitWith('DriverBusy', 3600, (fake) => {
    for (const [at, each] of labelled.entries()) change(fake, at + 2, each)
  })
  expect(found.attempts).toBe(attempts)
})

test.each<[string, Reason, number | undefined]>([
  ['at any time', 'DependencyNotReady', undefined],
  ['at any time, and is looked at later', 'SecretNotFound', 5],
])('a wait that may end %s is written when it has lasted two seconds', async (_, reason, seconds) => {
  const { early, late } = await waitWith(reason, seconds)
  expect([early, late]).toEqual([undefined, reason])
})

test('an object that waits is under way, also if it says when to try again', () => {
  const waits = new ShortWaits()
  const object = newObject(
    Environment,
    { namespace: 'acme', name: 'shop.dev' },
    { applicationName: 'shop', typeName: 'development' },
  ) as unknown as StoredObject
  expect(waits.isShort('acme/shop.dev', object, outcomeOf(new Waiting('DriverBusy', 'busy', 3600)))).toBe(
    false,
  )
  expect(waits.has('acme/shop.dev')).toBe(true)
})
