import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { newObject } from '../../operator/api/kind.ts'
import { Workload } from '../../operator/api/workload.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import { workloadDescriptor } from '../../operator/drivers/workload/descriptor.ts'
import { ApiError } from '../../operator/kube/client/client.ts'
import { isReady } from '../../operator/kube/loop/outcome.ts'
import { scoreDocument } from '../support/scores.ts'
import { createOperatorWorld, type OperatorWorld } from './support/operator-world.ts'

const namespace = 'acme'

/** Makes nothing in place of the objects of a module. */
const renderer: Driver = {
  descriptor: workloadDescriptor,
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  async deprovision() {},
}

let world: OperatorWorld
beforeEach(() => {
  world = createOperatorWorld([renderer])
  world.start()
})
afterEach(() => world.close())

function apply(name: string, spec: Partial<Workload['spec']> = {}): void {
  const score = { ...scoreDocument(), metadata: { name } }
  const own = { applicationName: 'shop', environmentIds: ['dev'], score, ...spec }
  world.fake.put(Workload, newObject(Workload, { namespace, name: `shop.${name}` }, own))
}

const isUp = (name: string) => {
  const found = world.fake.store.get(Workload, namespace, `shop.${name}`)
  return found !== undefined && isReady(found)
}

test('Workloads are deployed although the deployment conflicts with a quota at first', async () => {
  const conflict = new ApiError(409, 'Conflict', 'cannot be fulfilled on resourcequotas "team"')
  world.fake.failNext('create EnvironmentDeployment', conflict)
  apply('aa')
  await world.until(() => isUp('aa'))
  expect(world.fake.store.list(EnvironmentDeployment, namespace)).toHaveLength(1)
})
