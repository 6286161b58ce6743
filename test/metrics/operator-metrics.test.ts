import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { reportCall } from '../../operator/controllers/active-resource/driver-call.ts'
import { Stalled, Waiting } from '../../operator/domain/base/errors.ts'
import { reconcileResults } from '../../operator/kube/loop/outcome.ts'
import { createQueue } from '../../operator/kube/loop/queue.ts'
import { createOperatorMetrics } from '../../operator/metrics/operator-metrics.ts'

/** The value of a series in the text format. */
async function valueOf(
  metrics: ReturnType<typeof createOperatorMetrics>,
  series: string,
): Promise<number | undefined> {
  const text = await metrics.registry.metrics()
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

describe('queues', () => {
  test('for every order of keys: starts equal ends, nothing is left, and depth and unfinished work return to 0', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.constantFrom('a/1', 'a/2', 'b/1'), isDelayed: fc.boolean() }), {
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, workers) => {
          const metrics = createOperatorMetrics(() => true)
          let runs = 0
          const work = async () => {
            runs += 1
            await Promise.resolve()
          }
          const queue = createQueue(workers, work, undefined, metrics.queueOf('Environment'))
          metrics.watchQueue('Environment', queue)
          const delayed = steps.filter(({ isDelayed }) => isDelayed).length
          for (const { key, isDelayed } of steps) {
            if (isDelayed) queue.addAfter(key, 3_600_000)
            queue.add(key)
          }
          await queue.idle()
          const name = '{name="Environment"}'
          expect(await valueOf(metrics, `workqueue_adds_total${name}`)).toBe(steps.length)
          expect(await valueOf(metrics, `workqueue_retries_total${name}`)).toBe(delayed)
          expect(await valueOf(metrics, `workqueue_queue_duration_seconds_count${name}`)).toBe(runs)
          expect(await valueOf(metrics, `workqueue_work_duration_seconds_count${name}`)).toBe(runs)
          expect(await valueOf(metrics, `workqueue_depth${name}`)).toBe(0)
          expect(await valueOf(metrics, `workqueue_unfinished_work_seconds${name}`)).toBe(0)
          expect(metrics.longestRunSeconds()).toBe(0)
          await queue.stop()
        },
      ),
      { numRuns: 50 },
    )
  })

  test('a reconcile that hangs is the longest running one, also while others run', async () => {
    const metrics = createOperatorMetrics(() => true)
    const hanging = Promise.withResolvers<void>()
    const work = (key: string) => (key === 'a/hangs' ? hanging.promise : Promise.resolve())
    const queue = createQueue(2, work, undefined, metrics.queueOf('Environment'))
    queue.add('a/hangs')
    for (const key of ['a/1', 'b/1']) queue.add(key)
    await new Promise((resolve) => setImmediate(resolve))
    const first = metrics.longestRunSeconds()
    expect(first).toBeGreaterThan(0)
    queue.add('a/2')
    await new Promise((resolve) => setImmediate(resolve))
    expect(metrics.longestRunSeconds()).toBeGreaterThan(first)
    hanging.resolve()
    await queue.idle()
    expect(metrics.longestRunSeconds()).toBe(0)
  })
})

describe('driver calls', () => {
  const builtIn = { driverType: 'quartermaster/echo' }
  const remote = { driverType: 'acme/postgres', target: 'https://driver.example.test' }
  test.each<[string, typeof builtIn, () => Promise<void>, driver: string, result: string]>([
    ['a success of a built-in driver', builtIn, async () => {}, 'echo', 'succeeded'],
    ['a wait', builtIn, () => Promise.reject(new Waiting('DriverBusy', 'later')), 'echo', 'waiting'],
    ['a stall', builtIn, () => Promise.reject(new Stalled('NotAllowed', 'denied')), 'echo', 'failed'],
    ['any other error', builtIn, () => Promise.reject(new Error('broken')), 'echo', 'failed'],
    ['a driver of an organization, without its name', remote, async () => {}, 'third-party', 'succeeded'],
  ])('%s', async (_, instance, call, driver, result) => {
    const metrics = createOperatorMetrics(() => true)
    const tools = { driverCalls: metrics.driverCalls, vendors: ['quartermaster'] }
    await reportCall(tools, instance, 'provision', call).catch(() => {})
    const labels = `driver="${driver}",operation="provision",result="${result}"`
    expect(await valueOf(metrics, `quartermaster_driver_call_duration_seconds_count{${labels}}`)).toBe(1)
    expect(await metrics.registry.metrics()).not.toContain('postgres')
  })
})

test('a leader reports each result before the first event, since a rate misses the event that begins a series', async () => {
  const metrics = createOperatorMetrics(() => true)
  expect(await metrics.registry.metrics()).not.toMatch(/^quartermaster_(deployment|reconcile)_\w+\{/m)
  metrics.queueOf('Environment')
  const ended = metrics.openDeployments()
  for (const result of reconcileResults)
    expect(
      await valueOf(metrics, `quartermaster_reconcile_total{kind="Environment",result="${result}"}`),
    ).toBe(0)
  const count = (result: string) => `quartermaster_deployment_duration_seconds_count{result="${result}"}`
  for (const result of ['succeeded', 'failed']) expect(await valueOf(metrics, count(result))).toBe(0)
  ended('failed', 1, ['NoMatchingDefinition'])
  expect(await valueOf(metrics, count('failed'))).toBe(1)
})

test('the process that leads says so', async () => {
  let isLeader = false
  const metrics = createOperatorMetrics(() => isLeader)
  const series = 'leader_election_master_status{name="quartermaster-operator"}'
  expect(await valueOf(metrics, series)).toBe(0)
  isLeader = true
  expect(await valueOf(metrics, series)).toBe(1)
})

test('requests to the API server count by method and status; without a response as <error>', async () => {
  const metrics = createOperatorMetrics(() => true)
  metrics.onResponse('GET', 200, 0.01)
  metrics.onResponse('GET', 0, 0.01)
  expect(await valueOf(metrics, 'rest_client_requests_total{method="GET",code="200"}')).toBe(1)
  expect(await valueOf(metrics, 'rest_client_requests_total{method="GET",code="<error>"}')).toBe(1)
})
