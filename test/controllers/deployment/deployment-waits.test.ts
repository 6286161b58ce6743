import { describe, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { DeploymentWaits } from '../../../operator/controllers/deployment/deployment-waits.ts'
import { Waiting } from '../../../operator/domain/base/errors.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { driver } from '../../support/builders.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

const problem = (object: string, reason: Reason) => ({ object, reason, message: 'of the resource' })
const [cache, web] = [
  problem('redis.default#shared.cache', 'SecretNotFound'),
  problem('web', 'DependencyNotReady'),
]

describe('a deployment that waits', () => {
  test.each([
    [[cache], 'waiting for 1 of 9 resources: redis.default#shared.cache: SecretNotFound'],
    [
      [web, cache],
      'waiting for 2 of 9 resources: redis.default#shared.cache: SecretNotFound; web: DependencyNotReady',
    ],
    [
      [web, web, web, web, web],
      `waiting for 5 of 9 resources: ${'web: DependencyNotReady; '.repeat(3)}and 2 more`,
    ],
    [[], 'provisioning'],
  ])('says for how many resources, and first which wait for no other one: %#', (problems, message) => {
    const waits = new DeploymentWaits({ first: 0, next: 0 })
    const pending = () => ({ total: 9, problems })
    expect(waits.errorFor('a', {}, pending)).toMatchObject({ reason: 'Progressing', message: 'provisioning' })
    expect(waits.errorFor('a', {}, pending)).toMatchObject({ message })
  })

  test('looks at its resources only when a message is due, and is reconciled then', () => {
    let looks = 0
    const pending = () => {
      looks += 1
      return { total: 9, problems: [problem(`web-${looks}`, 'Pending')] }
    }
    const reconcile = (waits: DeploymentWaits) => waits.errorFor('a', {}, pending)
    const early = new DeploymentWaits({ first: 1000, next: 2000 })
    expect(reconcile(early).retryAfterSeconds).toBeCloseTo(1000)
    expect(reconcile(early).retryAfterSeconds).toBeLessThan(1000)
    expect(looks).toBe(0)
    const late = new DeploymentWaits({ first: 0, next: 2000 })
    reconcile(late)
    const [first, second] = [reconcile(late), reconcile(late)]
    expect([second.message, looks]).toEqual([first.message, 1])
    expect(first.retryAfterSeconds).toBeCloseTo(2000)
    late.forget('a')
    expect(reconcile(late).message).toBe('provisioning')
  })
})

describe('the statuses of a deployment', () => {
  const statuses = ({ log }: OperatorWorld) =>
    log.filter((each) => each === 'status EnvironmentDeployment one')
  const worldOf = (provision: Driver['provision']) =>
    createOperatorWorld([{ descriptor: driver('maker'), provision, async deprovision() {} }])

  test('are its start and its end when it ends soon', async () => {
    const world = worldOf(async () => ({ outputs: { values: { name: 'x' }, secrets: {} }, objects: [] }))
    world.start()
    world.deploy('one', [{ id: 'a' }, { id: 'b', dependsOn: ['a'] }])
    expect(await world.hasSucceeded('one')).toBe(true)
    world.close()
    expect(statuses(world)).toHaveLength(2)
  })

  test('say what it waits for when it does not', async () => {
    const world = worldOf(async () => {
      throw new Waiting('SecretNotFound', 'waiting for a Secret')
    })
    world.start()
    world.deploy('one', [{ id: 'a' }])
    const message = () => {
      const found = world.fake.store.get(EnvironmentDeployment, 'acme', 'one')
      return found && conditionOf(found, 'Ready')?.message
    }
    await world.until(
      () =>
        message()?.startsWith('waiting for 1 of 1 resources: s3.default#shared.a: SecretNotFound') === true,
    )
    world.close()
    expect(statuses(world)).toHaveLength(2)
  })
})
