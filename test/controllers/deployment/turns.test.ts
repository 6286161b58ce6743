import { setTimeout } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { deploymentWatches } from '../../../operator/controllers/deployment/deployment-watches.ts'
import {
  RunningDeployments,
  WaitingDeployments,
} from '../../../operator/controllers/deployment/running-deployments.ts'
import { Renewals } from '../../../operator/controllers/shared/renewals.ts'
import { createProgressCounter } from '../../../operator/controllers/shared/resource-progress.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { unfinishedBefore } from '../../../operator/domain/deployment/deployment-order.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { conditionOf, isReady } from '../../../operator/kube/loop/outcome.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { definition, driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createRandom } from '../../support/random.ts'
import { anyDeath } from '../support/deaths.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

const namespace = 'acme'
const answerMs = { least: 2, more: 6 }

const maker: Driver = {
  descriptor: driver('maker'),
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  async deprovision() {},
}

/** Deploys a delta that adds a shared resource of this id. All objects are of the same second, as the API server counts. */
function deploy({ fake }: OperatorWorld, id: string, creationTimestamp: string): void {
  const shared = [{ op: 'add' as const, path: `/${id}`, value: { type: 's3' } }]
  const delta = { applicationName: 'shop', shared }
  fake.put(DeploymentDelta, newObject(DeploymentDelta, { namespace, name: id }, delta))
  const metadata = { namespace, name: id, finalizers: [finalizer], creationTimestamp }
  const spec = { environmentName: 'shop.dev', deltaName: id }
  fake.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
}

test('deployments of the same second run one after another, whichever the operator sees first, and wherever it dies', async () => {
  const ids = fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 2 })
  const pauses = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 4, maxLength: 4 })
  const death = anyDeath({ min: 1, max: 20 })
  await fc.assert(
    fc.asyncProperty(ids, pauses, death, fc.integer(), async (names, pausesMs, end, seed) => {
      const random = createRandom(seed)
      const world = createOperatorWorld([maker], {
        latencyMs: () => answerMs.least + random.below(answerMs.more),
      })
      const own = { driverType: 'quartermaster/maker', criteria: [{}] }
      world.fake.put(ResourceDefinition, definition('s3', 's3', own))
      world.start(end)
      const deployments = () => world.fake.store.list(EnvironmentDeployment, namespace)
      try {
        const second = new Date().toISOString()
        for (const [at, name] of names.entries()) {
          deploy(world, name, second)
          await setTimeout(pausesMs[at])
        }
        await world.until(() => deployments().every(isFinished))
        expect(deployments().filter((each) => !isReady(each))).toEqual([])
        const { setName = '' } = world.environment()?.status?.lastPlanned ?? {}
        const set = world.fake.store.get(DeploymentSet, namespace, setName)
        expect(Object.keys(set?.spec.shared ?? {}).sort()).toEqual(names.toSorted())
      } finally {
        world.close()
      }
    }),
    { numRuns: casesOf(200), endOnFailure: true },
  )
})

/** Status writes of `count` deployments that wait so long for the first that their waits are written. */
async function writesOf(count: number): Promise<number> {
  const first = Promise.withResolvers<void>()
  const slow: Driver = {
    ...maker,
    async provision() {
      await first.promise
      return { outputs: { values: {}, secrets: {} }, objects: [] }
    },
  }
  const world = createOperatorWorld([slow], {})
  const own = { driverType: 'quartermaster/maker', criteria: [{}] }
  world.fake.put(ResourceDefinition, definition('s3', 's3', own))
  world.start()
  const deployments = () => world.fake.store.list(EnvironmentDeployment, namespace)
  try {
    const second = new Date().toISOString()
    for (let at = 0; at < count; at += 1) deploy(world, `d${at}`, second)
    const waiting = () =>
      deployments().filter((each) => conditionOf(each, 'Ready')?.reason === 'DeploymentInProgress')
    await world.until(() => waiting().length === count - 1)
    first.resolve()
    await world.until(() => deployments().every(isFinished))
    return world.log.filter((each) => each.startsWith('status EnvironmentDeployment')).length
  } finally {
    world.close()
  }
}

test('a deployment is written as often however many wait with it', async () => {
  const [few, many] = await Promise.all([writesOf(5), writesOf(25)])
  expect(many / 25).toBeLessThan(few / 5 + 1)
})

/** What happens to one of some deployments. `isEarlier` ones were created before the others. */
const event = fc.record({
  does: fc.constantFrom('come', 'begin', 'end', 'go', 'come again'),
  index: fc.nat({ max: 5 }),
  isEarlier: fc.boolean(),
  isElsewhere: fc.nat({ max: 3 }).map((each) => each === 0),
})

test('when one is created, begins, ends or is deleted, each deployment learns which one it waits for', () => {
  const cluster = createFakeCluster()
  const { store } = cluster
  const enqueued = new Set<string>()
  const watches = deploymentWatches(
    {
      cluster,
      progress: createProgressCounter(store, 3),
      renewals: new Renewals(store),
      running: new RunningDeployments(),
      waiting: new WaitingDeployments(),
    },
    () => {},
  )
  for (const each of watches) each.subscribe((keys) => keys.forEach((key) => enqueued.add(key)))
  const all = () => store.list(EnvironmentDeployment, namespace)
  const beside = ({ spec }: EnvironmentDeployment) =>
    all().filter((each) => each.spec.environmentName === spec.environmentName)
  const waits = () =>
    new Map(
      all()
        .filter((each) => !isFinished(each))
        .map((each) => [keyOf(each), unfinishedBefore(beside(each), each)?.metadata.name]),
    )
  let uids = 0
  const apply = ({
    does,
    index,
    isEarlier,
    isElsewhere,
  }: typeof event extends fc.Arbitrary<infer T> ? T : never) => {
    const name = `d${index}`
    const known = store.get(EnvironmentDeployment, namespace, name)
    // Another deployment of the name may be seen before the end of the first.
    if (does === 'come again' || (does === 'come' && !known)) {
      const creationTimestamp = isEarlier ? '2026-01-01T00:00:00Z' : '2026-01-02T00:00:00Z'
      const metadata = { namespace, name, creationTimestamp, uid: `${(uids += 1)}` }
      const spec = { environmentName: isElsewhere ? 'shop.live' : 'shop.dev', deltaName: 'd' }
      cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
    }
    if (!known) return
    if (does === 'go') cluster.drop(EnvironmentDeployment, namespace, name)
    const conditions = does === 'end' ? [{ type: 'Ready', status: 'True' }] : []
    if (does === 'begin' || does === 'end')
      cluster.setStatus(EnvironmentDeployment, namespace, name, { setName: 'set', conditions })
  }
  fc.assert(
    fc.property(fc.array(event, { minLength: 2, maxLength: 30 }), (events) => {
      cluster.reset()
      cluster.addOrganization(namespace)
      for (const each of events) {
        const before = waits()
        enqueued.clear()
        apply(each)
        const changed = [...waits()].filter(([key, name]) => !before.has(key) || before.get(key) !== name)
        // Its own change enqueues a deployment too.
        const own = `${namespace}/d${each.index}`
        const missed = changed.filter(([key]) => key !== own && !enqueued.has(key))
        expect(missed).toEqual([])
        expect(enqueued.size).toBeLessThanOrEqual(2)
      }
    }),
    { numRuns: casesOf(1000), endOnFailure: true },
  )
})
