import { beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { Environment } from '../../../operator/api/environment.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { FinalizerPace } from '../../../operator/kube/loop/finalizer-pace.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { RetryPace } from '../../../operator/kube/loop/retry-pace.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { environment } from '../../controllers/support/webhooks.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { keepingStatus } from '../support/kept-status.ts'

test('retries of a namespace are at most 25 in a second after a burst of 100, and wait for no other namespace', () => {
  const law = fc.property(
    fc.array(fc.tuple(fc.constantFrom('acme', 'globex'), fc.nat(50)), { maxLength: 600 }),
    (steps) => {
      let clock = 0
      const pace = new RetryPace(() => clock)
      const alone = new Map<string, RetryPace>()
      const times = new Map<string, number[]>()
      for (const [namespace, pause] of steps) {
        clock += pause
        const own = alone.get(namespace) ?? new RetryPace(() => clock)
        alone.set(namespace, own)
        const delay = pace.reserve(namespace)
        expect(delay).toBe(own.reserve(namespace))
        times.set(namespace, [...(times.get(namespace) ?? []), clock + delay])
      }
      for (const at of times.values())
        for (const [index, time] of at.entries()) {
          const later = at.filter((other, i) => i > index && other - time < 1000).length
          expect(later).toBeLessThanOrEqual(100 + 25)
        }
    },
  )
  fc.assert(law, { numRuns: casesOf(100) })
})

test('the first hundred retries of a namespace do not wait', () => {
  const pace = new RetryPace(() => 1_000_000)
  const delays = Array.from({ length: 103 }, () => pace.reserve('acme'))
  expect(delays.map(Math.round)).toEqual([...Array.from({ length: 100 }, () => 0), 40, 80, 120])
})

const fake = createFakeCluster()

beforeEach(() => {
  fake.reset()
  fake.addOrganization('acme')
})

const putWithout = () => fake.put(Environment, environment({ name: 'shop.dev', finalizers: [] }))

/** The loop over an environment without our finalizer. */
function startWith(patch: Cluster['patch']) {
  putWithout()
  return startController(
    { ...keepingStatus(fake), patch },
    { kind: Environment, reconcile: async () => ({}), finalize: async () => {} },
    { log: silentLog, isActive: () => true },
  )
}

describe('our finalizer that another client removes again and again', () => {
  test('is added with pauses, and the status says so', async () => {
    let additions = 0
    const patch = (async (...given) => {
      additions += 1
      const patched = await fake.patch(...given)
      // The other client answers at once.
      setImmediate(putWithout)
      return patched
    }) as Cluster['patch']
    const loop = startWith(patch)
    const reason = () => {
      const found = fake.store.get(Environment, 'acme', 'shop.dev')
      return found && conditionOf(found, 'Ready')?.reason
    }
    await eventually('the reason', 5000, async () => reason() === 'ChangedByOthers' || undefined)
    await loop.stop()
    expect(additions).toBe(10)
  })

  test('is no reason to wait after conflicts, which a late cache causes', async () => {
    let conflicts = 15
    const patch = (async (...given) => {
      if (conflicts-- > 0) throw new ApiError(409, 'Conflict', 'modified')
      return fake.patch(...given)
    }) as Cluster['patch']
    const loop = startWith(patch)
    const found = () => fake.store.get(Environment, 'acme', 'shop.dev')
    await eventually('the finalizer', 5000, async () => found()?.metadata.finalizers?.length || undefined)
    await loop.stop()
  })

  test('is added once in 30 seconds in the long run, and at once where it stays', () => {
    let now = 0
    const pace = new FinalizerPace(() => now)
    const added = { contested: 0, other: 0 }
    for (; now < 600_000; now += 1000) {
      try {
        pace.requireTurn('acme/contested')
        pace.count('acme/contested')
        added.contested += 1
      } catch {}
      if (now % 60_000 !== 0) continue
      pace.requireTurn('acme/other')
      pace.count('acme/other')
      added.other += 1
    }
    expect(added).toEqual({ contested: 29, other: 10 })
  })
})
