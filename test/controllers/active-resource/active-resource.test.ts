import { expect, test } from '@jest/globals'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { silentContext } from '../support/context.ts'
import { resourceTools } from '../support/resource-tools.ts'
import { createWorld } from '../support/world.ts'

const before = '2026-01-01T00:00:00Z'
let host = 'a'

const maker: Driver = {
  descriptor: driver('maker', { repairs: true }),
  provision: async () => ({ outputs: { values: { host }, secrets: {} }, objects: [] }),
  deprovision: async () => {},
}

/** A resource that was provisioned long ago, with the output `a`. */
async function provisioned(values: object) {
  const world = createWorld([maker])
  host = 'a'
  const definition = { definitionName: 'base', driverType: 'quartermaster/maker' }
  const made = activeResource({ type: 'base', resourceId: 'main' }, { definition })
  world.put(made)
  expect(await world.reconcile(made)).toBeUndefined()
  const { provisionTime, ...status } = world.statusOf(made)
  expect(Date.parse(provisionTime ?? '')).toBeGreaterThan(Date.parse(before))
  const driverInputs = { values: { ...values } }
  return {
    world,
    resource: world.put({
      ...made,
      spec: { ...made.spec, definition: { ...definition, driverInputs } },
      status: { ...status, provisionTime: before },
    }),
  }
}

test.each([
  ['other outputs', {}, 'b', true],
  ['other inputs', { size: 2 }, 'a', true],
  ['a repair that changes nothing', {}, 'a', false],
])('the time of the last provision after %s', async (_, values, output, isMoved) => {
  const { world, resource } = await provisioned(values)
  host = output
  const seen = await activeResourceController(world.tools).reconcile(
    resource,
    silentContext({ isResync: true }),
  )
  expect(seen.outputs).toEqual({ host: output })
  expect(seen.provisionTime !== before).toBe(isMoved)
})

test.each(['provision', 'deprovision'] as const)(
  'a %s that hangs ends at the deadline of the call',
  async (call) => {
    const never = () => new Promise<never>(() => {})
    const hanging: Driver = { descriptor: driver('echo'), provision: never, deprovision: never }
    const tools = { ...resourceTools(createFakeCluster(), [hanging]), deadlineSeconds: 0.1 }
    const controller = activeResourceController(tools)
    const resource = activeResource({ type: 'dns', resourceId: 'shared.dns' })
    const provisioned = { ...resource, status: { provisioned: { driverType: 'quartermaster/echo' } } }
    const runs = {
      provision: () => controller.reconcile(resource, silentContext()),
      deprovision: async () => controller.finalize?.(provisioned, silentContext()),
    }
    await expect(runs[call]()).rejects.toThrow('in time')
  },
)
