import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { ApiError, QuotaError } from '../../../operator/kube/client/api-error.ts'
import { createDispatcherWorld, late, noon, succeeded } from '../support/dispatcher-world.ts'
import { environment } from '../support/webhooks.ts'

const crash = new Error('the process died')
const noRoom = new QuotaError('acme', { message: 'no room', uses: [] })
const world = createDispatcherWorld()
beforeEach(() => world.reset())
afterEach(() => world.stop())

describe('a crash between two writes loses nothing and repeats nothing', () => {
  const mark = 'patch EnvironmentDeployment acme/shop.staging.1'
  test.each<[where: string, write: string, left: readonly string[]]>([
    [
      'before the first call',
      'create WebhookCall acme/one',
      ['create WebhookCall acme/one', 'create WebhookCall acme/two', mark],
    ],
    ['before the last call', 'create WebhookCall acme/two', ['create WebhookCall acme/two', mark]],
    ['after the last call', mark, [mark]],
  ])('%s', async (_, write, left) => {
    for (const name of ['one', 'two']) world.putWebhook(name)
    world.putDeployment({ startTime: noon })
    world.cluster.failNext(write, crash)
    await world.start()
    world.cluster.writes.length = 0
    await world.restart()
    expect(world.writes()).toEqual(left)
    expect(world.calls()).toEqual(['one deployment.started', 'two deployment.started'])
  })

  test('a call that is there already, but not known yet, is not made again', async () => {
    world.putWebhook('hook')
    world.putEnvironment()
    world.cluster.failNext('create WebhookCall', new ApiError(409, 'AlreadyExists', 'it already exists'))
    await world.start()
    expect(world.writes()).toEqual(['patch Environment acme/shop.staging'])
  })

  test.each<[why: string, error: ApiError]>([
    ['an error of the server', new ApiError(500, 'InternalError', 'etcd has no leader')],
    // The API server changes the usage of a quota when it creates an object.
    ['a conflict of a quota', new ApiError(409, 'Conflict', 'cannot be fulfilled on resourcequotas "team"')],
  ])('a write that failed by %s is tried again', async (_, error) => {
    world.putWebhook('hook')
    world.putEnvironment()
    world.cluster.failNext('create WebhookCall', error)
    await world.start()
    expect(world.calls()).toEqual([])
    await eventually('another try', 30_000, async () => world.announced() !== undefined || undefined)
    expect(world.calls()).toEqual(['hook environment.created'])
    expect(world.announced()).toEqual({ [annotations.notified]: 'created' })
  })
})

test('a write that is refused for long is tried ever more rarely, and soon again after it worked', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  try {
    const refuse = (times: number) => {
      for (let left = times; left > 0; left -= 1) world.cluster.failNext('create WebhookCall', noRoom)
    }
    const callsAfter = async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 1) {
        jest.advanceTimersByTime(1000)
        await world.quiet()
      }
      return world.calls()
    }
    world.putWebhook('hook')
    world.putDeployment({ startTime: noon })
    refuse(8)
    await world.start()
    expect(await callsAfter(90)).toEqual([])
    expect(await callsAfter(240)).toEqual(['hook deployment.started'])
    refuse(1)
    world.putDeployment(succeeded)
    await world.quiet()
    expect(world.calls()).toEqual(['hook deployment.started'])
    expect(await callsAfter(3)).toEqual(['hook deployment.finished', 'hook deployment.started'])
  } finally {
    jest.useRealTimers()
  }
})

describe('objects deleted meanwhile', () => {
  const terminating = 'unable to create new content in namespace acme because it is being terminated'
  test.each<[what: string, error: ApiError]>([
    ['a namespace takes no call', new ApiError(403, 'Forbidden', terminating)],
    ['a webhook needs none', new ApiError(404, 'NotFound', 'not found')],
  ])('%s, and the last reconcile of an environment ends', async (_, error) => {
    world.putWebhook('hook')
    await world.start()
    world.cluster.failNext('create WebhookCall', error)
    world.cluster.failNext('create WebhookCall', error)
    await world.notifyLast(world.putEnvironment({ deletionTimestamp: late }))
    expect(world.writes()).toEqual(['patch Environment acme/shop.staging'])
  })

  test('an environment needs no mark', async () => {
    world.putWebhook('hook')
    await world.start()
    world.cluster.failNext('patch Environment', new ApiError(404, 'NotFound', 'not found'))
    await world.notifyLast(world.putEnvironment({ deletionTimestamp: late }))
    expect(world.calls()).toEqual(['hook environment.created', 'hook environment.deleted'])
  })

  test('a quota without room for calls does not keep what is being deleted', async () => {
    world.putWebhook('hook')
    await world.start()
    world.isActive = false // so that only the deletions write
    const deployment = world.putDeployment(succeeded)
    world.cluster.failNext('create WebhookCall', noRoom)
    await world.notifyDeleted(deployment)
    world.cluster.failNext('create WebhookCall', noRoom)
    await world.notifyLast(world.putEnvironment({ deletionTimestamp: late }))
    expect(world.calls()).toEqual([])
  })

  test('a refusal of another kind is one', async () => {
    world.putWebhook('hook')
    await world.start()
    const refusal = new ApiError(403, 'Forbidden', 'may not create')
    world.cluster.failNext('create WebhookCall', refusal)
    await expect(world.notifyLast(world.putEnvironment({ deletionTimestamp: late }))).rejects.toBe(refusal)
    expect(world.writes().filter((each) => each.startsWith('patch'))).toEqual([])
  })
})

describe('the deletion of an environment', () => {
  test('is notified before it ends, with all events that were pending', async () => {
    world.putWebhook('hook')
    const finalizers = ['quartermaster.dev/finalizer']
    world.putEnvironment({ finalizers })
    await world.start()
    world.putEnvironment({
      finalizers,
      deletionTimestamp: late,
      annotations: { [annotations.notified]: 'created' },
    })
    await world.quiet()
    expect(world.calls()).toEqual(['hook environment.created'])
    world.isActive = false
    world.putDeployment(succeeded)
    await world.quiet()
    world.isActive = true
    const last = world.cluster.store.get(Environment, 'acme', 'shop.staging')
    await world.notifyLast(last ?? environment())
    expect(world.calls()).toEqual([
      'hook deployment.finished',
      'hook deployment.started',
      'hook environment.created',
      'hook environment.deleted',
    ])
    expect(world.announced()).toEqual({ [annotations.notified]: 'created,deleted' })
    const before = world.cluster.writes.length
    await world.notifyLast(world.cluster.store.get(Environment, 'acme', 'shop.staging') ?? environment())
    expect(world.cluster.writes).toHaveLength(before)
  })
})
