import { afterEach, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { driver } from '../../support/builders.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

const count = 400
/** Requests that are in flight when the process is to end. */
const inFlight = 64

let world: OperatorWorld

afterEach(() => world.close())

test('a process that is to end leaves the rest of a deployment to the next one, which writes it once', async () => {
  world = createOperatorWorld([
    {
      descriptor: driver('maker'),
      provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
      deprovision: async () => {},
    },
  ])
  const created = () => world.log.filter((each) => each.startsWith('create ActiveResource '))
  let stopped: Promise<void> | undefined
  world.fake.store.cacheOf(ActiveResource).subscribe(({ before }) => {
    if (!before && created().length >= 100) stopped ??= world.stop()
  })
  world.start()
  world.deploy(
    'first',
    Array.from({ length: count }, (_, index) => ({ id: `r${index}` })),
  )
  await world.until(() => stopped !== undefined)
  await stopped
  expect(created().length).toBeLessThan(100 + inFlight)
  const [deployment] = world.fake.store.list(EnvironmentDeployment, 'acme')
  expect(conditionOf(deployment ?? {}, 'Ready')?.status).toBe('Unknown')

  world.start()
  expect(await world.hasSucceeded('first')).toBe(true)
  expect(new Set(created()).size).toBe(count)
  expect(created()).toHaveLength(count)
})
