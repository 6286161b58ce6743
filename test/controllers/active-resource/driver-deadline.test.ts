import { expect, test } from '@jest/globals'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { silentContext } from '../support/context.ts'
import { resourceTools } from '../support/resource-tools.ts'

const never = () => new Promise<never>(() => {})
const hanging: Driver = { descriptor: driver('echo'), provision: never, deprovision: never }

/** A controller whose one driver never answers. */
function controller() {
  return activeResourceController({ ...resourceTools(createFakeCluster(), [hanging]), deadlineSeconds: 0.1 })
}

const resource = activeResource({ type: 'dns', resourceId: 'shared.dns' })
const provisioned = { ...resource, status: { provisioned: { driverType: 'quartermaster/echo' } } }
const turn = silentContext()

test.each<[call: string, run: () => Promise<unknown> | undefined]>([
  ['provision', () => controller().reconcile(resource, turn)],
  ['deprovision', () => controller().finalize?.(provisioned, turn)],
])('a %s that hangs is ended by the deadline of its caller', async (_, run) => {
  await expect(run()).rejects.toThrow('in time')
})
