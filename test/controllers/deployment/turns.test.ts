import { setTimeout } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
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
