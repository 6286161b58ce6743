import { expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Kind } from '../../../operator/api/kind.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { driver } from '../../support/builders.ts'
import { createOperatorWorld } from '../support/operator-world.ts'

const maker: Driver = {
  descriptor: driver('maker', { remote: true }),
  provision: async ({ resourceId }) => ({
    outputs: { values: { name: resourceId }, secrets: {} },
    objects: [],
  }),
  async deprovision() {},
}

test.each([
  ['a', 'b'],
  ['b', 'a'],
])(
  'an environment ends whose last deployment wrote that %s depends on %s, and not the opposite change',
  async (first, second) => {
    const world = createOperatorWorld([maker])
    world.start()
    world.deploy('first', [{ id: first }, { id: second, dependsOn: [first] }])
    expect(await world.hasSucceeded('first')).toBe(true)
    const name = world.resource(second)?.metadata.name
    const generation = world.resource(second)?.metadata.generation
    const { put } = world.fake
    Object.assign(world.fake, {
      put: (kind: Kind, object: ActiveResource) => {
        const isSpecOfSecond = kind === ActiveResource && object.metadata.name === name
        if (isSpecOfSecond && object.metadata.generation !== generation)
          throw new ApiError(422, 'Invalid', 'denied by a policy')
        return put(kind, object)
      },
    })
    world.start()
    world.deploy('second', [{ id: second }, { id: first, dependsOn: [second] }])
    expect(await world.hasSucceeded('second')).toBe(false)
    world.removeEnvironment()
    await world.untilGone()
    world.close()
  },
)
