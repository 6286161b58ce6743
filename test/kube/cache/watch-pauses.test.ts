import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, jest, test } from '@jest/globals'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { openCluster } from '../../../operator/kube/cache/cluster.ts'
import { stored } from '../../../operator/kube/cache/store.ts'
import { WatchPauses } from '../../../operator/kube/cache/watch-pauses.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { silentLog } from '../../../operator/log.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

const steady = 10

test.each<[what: string, failures: number, watch: (pauses: WatchPauses) => unknown, recoveries: number]>([
  ['an event after failures', 2, (pauses) => pauses.reset(), 1],
  ['an event without failures', 0, (pauses) => pauses.reset(), 0],
  [
    'an answer that lasts',
    2,
    async (pauses) => {
      pauses.noteAnswer()
      await sleep(10 * steady)
    },
    1,
  ],
  ['an answer that ends at once', 2, (pauses) => pauses.noteAnswer(), 0],
])('%s is a recovery, or not', async (_, failures, watch, recoveries) => {
  let count = 0
  const pauses = new WatchPauses({ first: 1, most: 1, steady }, () => {
    count += 1
  })
  for (let left = failures; left > 0; left -= 1) pauses.fail()
  await pauses.around(async () => void (await watch(pauses)))
  await sleep(3 * steady)
  expect(count).toBe(recoveries)
})

test('when one watch works again, the others do not wait for the end of their pauses', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0)
  const attempts = new Map<string, number>()
  const endOfList = {
    metadata: { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } },
  }
  const client: KubeClient = {
    request: async () => undefined,
    async *watch(path, { signal }) {
      const attempt = (attempts.get(path) ?? 0) + 1
      attempts.set(path, attempt)
      if (attempt < (path.includes('deploymentsets') ? 3 : 4)) throw new ApiError(503, 'Unknown', 'busy')
      yield JSON.stringify({ type: 'BOOKMARK', object: endOfList })
      await sleep(60_000, undefined, { signal })
    },
    close: async () => {},
  }
  const begun = performance.now()
  // The pauses are 1, 2 and 4 seconds.
  const reflector = { pausesMs: { first: 1000, most: 60_000 } }
  const cluster = openCluster({ client, log: silentLog, kinds: [stored(DeploymentSet)], reflector })
  await cluster.ready
  expect(performance.now() - begun).toBeLessThan(6000)
  await cluster.close()
})

test.each<[what: string, retryAfterSeconds: number | undefined, least: number, most: number]>([
  ['an answer that asks for a moment, after a long outage', 0.001, 20, 5000],
  ['an answer that asks for longer', 0.2, 199, 5000],
  ['no answer', undefined, 300, Number.POSITIVE_INFINITY],
])('the pause after %s', async (_, retryAfterSeconds, least, most) => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5)
  const pauses = new WatchPauses({ first: 10, most: 60_000, mostWhenAsked: 20 })
  for (let failures = 0; failures < 12; failures += 1) pauses.fail()
  pauses.fail(retryAfterSeconds)
  const begun = performance.now()
  if (most === Number.POSITIVE_INFINITY) setTimeout(() => pauses.end(), 300)
  await pauses.wait()
  const paused = performance.now() - begun
  expect(paused).toBeGreaterThanOrEqual(least - 2)
  expect(paused).toBeLessThan(most)
})

test('the pause after an answer that asks for months is the longest one', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5)
  const pauses = new WatchPauses({ first: 10, most: 100, mostWhenAsked: 20 })
  pauses.fail(9_999_999)
  const begun = performance.now()
  const ending = setTimeout(() => pauses.end(), 4000)
  await pauses.wait()
  clearTimeout(ending)
  const paused = performance.now() - begun
  expect(paused).toBeGreaterThanOrEqual(98)
  expect(paused).toBeLessThan(3000)
})
