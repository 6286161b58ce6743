import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { ApiError, NoAnswer } from '../../../operator/kube/client/api-error.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createOperatorWorld, type OperatorWorld, type Wanted } from '../support/operator-world.ts'

let world: OperatorWorld
let isStuck = false
/** How often the API server does not answer the driver. */
let outages = 0

const maker: Driver = {
  descriptor: driver('maker'),
  async provision({ resourceId, values }) {
    await setTimeout(Number(values.milliseconds))
    if (values.isRefused === true) throw new Error('no')
    outages -= 1
    if (outages >= 0) throw outages % 2 ? new NoAnswer('no answer') : new ApiError(503, 'Unavailable', 'no')
    return { outputs: { values: { name: resourceId }, secrets: {} }, objects: [] }
  },
  async deprovision() {
    if (isStuck) throw new Stalled('DriverRefused', 'no')
  },
}

function isUp(id: string): boolean {
  const resource = world.resource(id)
  return resource !== undefined && isReady(resource)
}

const ids = ['a', 'b', 'c', 'd']
const values = fc.record({
  milliseconds: fc.integer({ min: 0, max: 8 }),
  isRefused: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
})
/** Some of four resources; each depends on some of those before it. */
const wanted = fc
  .record({
    used: fc.subarray(ids, { minLength: 1 }),
    edges: fc.subarray(ids.flatMap((from, i) => ids.slice(0, i).map((to) => [from, to] as const))),
    values: fc.array(values, { minLength: ids.length, maxLength: ids.length }),
  })
  .map(({ used, edges, values: all }) =>
    used.map((id): Wanted => {
      const dependsOn = edges.filter(([from, to]) => from === id && used.includes(to)).map(([, to]) => to)
      return { id, dependsOn, values: all[ids.indexOf(id)] }
    }),
  )
const deployments = fc.array(
  fc.record({ wanted, mode: fc.constantFrom('incremental' as const, 'full' as const) }),
  { minLength: 2, maxLength: 6 },
)

afterEach(() => world?.close())

test('each of several deployments ends, and fails exactly when a resource that it uses is refused', async () => {
  await fc.assert(
    fc.asyncProperty(deployments, async (all) => {
      let requests = 0
      world = createOperatorWorld([maker], { latencyMs: () => (7 * requests++) % 5 })
      world.start()
      for (const [index, { wanted: resources, mode }] of all.entries()) {
        const name = `deployment-${index}`
        world.deploy(name, resources, { mode })
        const isRefused = resources.some((each) => each.values?.isRefused)
        expect([name, await world.hasSucceeded(name)]).toEqual([name, !isRefused])
      }
      world.close()
    }),
    { numRuns: casesOf(200), endOnFailure: true },
  )
})

test('a deployment waits for the deletion of a resource only if it creates it again', async () => {
  world = createOperatorWorld([maker])
  world.start()
  isStuck = true
  const [a, b] = ['a', 'b'].map((id): Wanted => ({ id, values: { milliseconds: 0 } })) as [Wanted, Wanted]
  world.deploy('first', [a, b])
  expect(await world.hasSucceeded('first')).toBe(true)
  world.removeResource('a')
  await world.until(() => world.resource('a')?.metadata.deletionTimestamp !== undefined)
  world.deploy('without', [b])
  expect(await world.hasSucceeded('without')).toBe(true)
  expect(world.ids()).toEqual(['a', 'b'])
  world.deploy('again', [a, b])
  await setTimeout(100)
  expect(world.resource('a')?.metadata.deletionTimestamp).toBeDefined()
  isStuck = false
  world.removeResource('a')
  expect(await world.hasSucceeded('again')).toBe(true)
  expect(world.resource('a')?.metadata.deletionTimestamp).toBeUndefined()
})

test('a deployment outlasts five attempts in which the API server does not answer', async () => {
  world = createOperatorWorld([maker])
  world.start()
  outages = 5
  world.deploy('first', [{ id: 'a', values: { milliseconds: 0 } }])
  expect(await world.hasSucceeded('first')).toBe(true)
  expect(outages).toBeLessThan(0)
})

test('a deployment creates a resource again that is deleted while it runs', async () => {
  world = createOperatorWorld([maker])
  world.start()
  isStuck = true
  const wanted = [
    { id: 'a', values: { milliseconds: 0 } },
    { id: 'b', values: { milliseconds: 200 } },
  ]
  world.deploy('only', wanted)
  await world.until(() => isUp('a'))
  world.removeResource('a')
  await world.until(() => isUp('b'))
  await setTimeout(100)
  expect(world.fake.store.get(EnvironmentDeployment, 'acme', 'only')?.status?.finishTime).toBeUndefined()
  isStuck = false
  world.removeResource('a')
  expect(await world.hasSucceeded('only')).toBe(true)
  expect(world.ids().sort()).toEqual(['a', 'b'])
  expect(isUp('a')).toBe(true)
})
