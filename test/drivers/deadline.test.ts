import { expect, test } from '@jest/globals'
import { activeResourceController } from '../../operator/controllers/active-resource.ts'
import type { Installation } from '../../operator/controllers/installation.ts'
import type { Inventory } from '../../operator/controllers/inventory.ts'
import { createSecretHolds } from '../../operator/controllers/secret-holds.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import type { Objects } from '../../operator/kube/objects.ts'
import { createPlanning } from '../../operator/kube/planning.ts'
import { silentLog } from '../../operator/log.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { activeResource, driver } from '../support/builders.ts'

const never = () => new Promise<never>(() => {})
const hanging: Driver = { descriptor: driver('echo'), provision: never, deprovision: never }

/** A controller whose one driver never answers. */
function controller() {
  const cluster = createFakeCluster()
  return activeResourceController({
    cluster,
    planning: createPlanning(cluster.store, { catalogue: [hanging.descriptor], vendors: ['quartermaster'] }),
    holds: createSecretHolds(cluster),
    log: silentLog,
    objects: {} as Objects, // no object is made
    inventory: { onDrift() {}, takeDrift: () => false } as unknown as Inventory, // as above
    installation: { isSealed: () => true, hash: () => 'hash' } as unknown as Installation, // no secret is kept
    drivers: [hanging],
    vendors: ['quartermaster'],
    deadlineSeconds: 0.1,
  })
}

const resource = activeResource({ type: 'dns', resourceId: 'shared.dns' })
const provisioned = { ...resource, status: { provisioned: { driverType: 'quartermaster/echo' } } }
const turn = { report: async () => {} }

test.each<[call: string, run: () => Promise<unknown> | undefined]>([
  ['provision', () => controller().reconcile(resource, turn)],
  ['deprovision', () => controller().finalize?.(provisioned)],
])('a %s that hangs is ended by the deadline of its caller', async (_, run) => {
  const begin = performance.now()
  await expect(run()).rejects.toThrow('in time')
  expect(performance.now() - begin).toBeLessThan(2000)
})
