import { setTimeout } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { definition, driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { anyDeath } from '../support/deaths.ts'
import { createOperatorWorld } from '../support/operator-world.ts'

const namespace = 'acme'
const name = 'shop.dev.one'

const maker: Driver = {
  descriptor: driver('maker'),
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  async deprovision() {},
}

const incompatible = 'incompatible'

function deltaOf(id: string, type: string) {
  // A parameter of a resource that the base lacks does not apply.
  const path = type === incompatible ? `/${id}/params/size` : `/${id}`
  const shared = [{ op: 'add' as const, path, value: { type } }]
  return newObject(DeploymentDelta, { namespace, name: 'one' }, { applicationName: 'shop', shared })
}

test('a deployment has one content, that of its delta when it starts, wherever the operator dies', async () => {
  const types = fc.constantFrom('s3', 'no-such-type', incompatible)
  const pause = fc.integer({ min: 0, max: 30 })
  await fc.assert(
    fc.asyncProperty(types, pause, anyDeath({ min: 1, max: 10 }), async (type, pauseMs, death) => {
      const world = createOperatorWorld([maker], { latencyMs: () => 2 })
      const { fake } = world
      const own = { driverType: 'quartermaster/maker', criteria: [{}] }
      fake.put(ResourceDefinition, definition('s3', 's3', own))
      fake.put(DeploymentDelta, deltaOf('first', type))
      const metadata = {
        namespace,
        name,
        finalizers: [finalizer],
        creationTimestamp: new Date().toISOString(),
      }
      const spec = { environmentName: 'shop.dev', deltaName: 'one' }
      fake.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
      world.start(death)
      try {
        await setTimeout(pauseMs)
        fake.put(DeploymentDelta, deltaOf('corrected', 's3'))
        expect(await world.hasSucceeded(name)).toBe(true)
        const { setName = '' } = fake.store.get(EnvironmentDeployment, namespace, name)?.status ?? {}
        expect(world.environment()?.status?.lastPlanned?.setName).toBe(setName)
        const set = fake.store.get(DeploymentSet, namespace, setName)
        expect(Object.keys(set?.spec.shared ?? {})).toEqual(world.ids())
        if (type !== 's3') expect(world.ids()).toEqual(['corrected'])
      } finally {
        world.close()
      }
    }),
    { numRuns: casesOf(200), endOnFailure: true },
  )
})
