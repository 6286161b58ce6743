import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { WebhookCall } from '../../../operator/api/webhook.ts'
import { organizationNamespace } from '../../support/builders.ts'
import { createDispatcherWorld, late, noon, succeeded } from '../support/dispatcher-world.ts'
import { deployment, type webhook } from '../support/webhooks.ts'

const world = createDispatcherWorld()
beforeEach(() => world.reset())
afterEach(() => world.stop())

describe('nothing is written', () => {
  test('without webhooks', async () => {
    world.putEnvironment()
    await world.start()
    world.putDeployment(succeeded)
    await world.notifyLast(world.putEnvironment({ deletionTimestamp: late }))
    await world.quiet()
    expect(world.cluster.writes).toEqual([])
  })

  test.each<[rule: string, prepare: () => void]>([
    ['while another process may be at work', () => (world.isActive = false)],
    ['outside of organizations', () => world.cluster.reset()],
  ])('%s', async (_, prepare) => {
    prepare()
    world.putWebhook('hook')
    world.putEnvironment()
    await world.start()
    expect(world.cluster.writes).toEqual([])
  })

  test('about a deployment that has not begun, or whose environment is no name of one', async () => {
    world.putWebhook('hook')
    world.putDeployment({})
    const odd = deployment(succeeded, { name: 'odd' })
    world.cluster.put(EnvironmentDeployment, { ...odd, spec: { environmentName: 'odd' } })
    await world.start()
    expect(world.cluster.writes).toEqual([])
  })
})

describe('events are notified', () => {
  test('before a deployment is gone', async () => {
    world.putWebhook('hook')
    world.isActive = false // as if it had not come so far
    await world.start()
    const deleted = world.putDeployment(succeeded)
    await world.notifyDeleted(deleted)
    expect(world.calls()).toEqual(['hook deployment.finished', 'hook deployment.started'])
  })

  test('to each webhook, by a call that is its own, before the mark is set', async () => {
    for (const name of ['one', 'two']) world.putWebhook(name)
    await world.start()
    const { metadata } = world.putEnvironment()
    await world.quiet()
    expect(world.writes()).toEqual([
      'create WebhookCall acme/one',
      'create WebhookCall acme/two',
      'patch Environment acme/shop.staging',
    ])
    expect(world.announced()).toEqual({ [annotations.notified]: 'created' })
    const [call] = world.cluster.store.list(WebhookCall, 'acme')
    expect(call?.metadata.ownerReferences).toEqual([
      { apiVersion: 'quartermaster.dev/v1alpha1', kind: 'Webhook', name: 'one', uid: 'uid-of-one' },
    ])
    expect(call?.spec).toMatchObject({
      webhookName: 'one',
      event: 'environment.created',
      eventId: expect.stringMatching(/^[0-9a-f]{32}$/),
      variables: { triggered_at: '2026-01-01T12:00:00.000Z', env_id: 'staging', type: 'staging' },
    })
    expect(metadata.annotations).toBeUndefined()
  })

  test('with one id for all receivers', async () => {
    for (const name of ['one', 'two']) world.putWebhook(name)
    world.putEnvironment()
    await world.start()
    const ids = world.cluster.store.list(WebhookCall, 'acme').map(({ spec }) => spec.eventId)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  test('once, although the object changes again and the process restarts', async () => {
    world.putWebhook('hook')
    await world.start()
    world.putDeployment({ startTime: noon })
    await world.quiet()
    world.cluster.setStatus(EnvironmentDeployment, 'acme', 'shop.staging.1', {
      startTime: noon,
      setName: 'shop.a',
    })
    await world.quiet()
    expect(world.calls()).toEqual(['hook deployment.started'])
    world.cluster.setStatus(EnvironmentDeployment, 'acme', 'shop.staging.1', succeeded)
    await world.quiet()
    expect(world.calls()).toEqual(['hook deployment.finished', 'hook deployment.started'])
    const before = world.cluster.writes.length
    await world.restart()
    expect(world.cluster.writes).toHaveLength(before)
    const marks = world.cluster.store.get(EnvironmentDeployment, 'acme', 'shop.staging.1')?.metadata
      .annotations
    expect(marks).toEqual({ [annotations.notified]: 'started,finished' })
  })

  test('fairly: no organization waits for all events of another', async () => {
    world.cluster.addOrganization('globex')
    for (const namespace of ['acme', 'globex']) world.putWebhook('hook', {}, { namespace })
    for (let each = 1; each <= 50; each += 1)
      world.putEnvironment({ name: `shop.e${each}`, uid: `e${each}`, namespace: 'acme' })
    world.putEnvironment({ namespace: 'globex' })
    await world.start()
    const marks = world.writes().filter((each) => each.startsWith('patch Environment'))
    expect(marks).toHaveLength(51)
    expect(marks.indexOf('patch Environment globex/shop.staging')).toBeLessThan(10)
  })

  test('when their times are before the webhook, by a clock that is an hour behind', async () => {
    world.putWebhook('hook', {}, { creationTimestamp: '2026-01-01T11:50:00Z' })
    await world.start()
    world.putDeployment({
      ...succeeded,
      startTime: '2026-01-01T11:00:00Z',
      finishTime: '2026-01-01T11:05:00Z',
    })
    await world.quiet()
    expect(world.calls()).toEqual(['hook deployment.finished', 'hook deployment.started'])
  })

  test('when it happened while no process ran', async () => {
    world.putWebhook('hook')
    world.putDeployment(succeeded)
    await world.start()
    expect(world.calls()).toEqual(['hook deployment.finished', 'hook deployment.started'])
  })

  test('again, for a new object with the same name', async () => {
    world.putWebhook('hook')
    world.putEnvironment()
    await world.start()
    world.cluster.drop(Environment, 'acme', 'shop.staging')
    world.putEnvironment({ uid: 'another' })
    await world.quiet()
    expect(world.calls()).toEqual(['hook environment.created', 'hook environment.created'])
  })
})

describe('receivers of an event', () => {
  test.each<[rule: string, ...Parameters<typeof webhook>]>([
    ['not a webhook that is younger', 'hook', {}, { creationTimestamp: late }],
    ['not one of another application', 'hook', { applicationName: 'other' }],
    ['not one that is disabled', 'hook', { disabled: true }],
    ['not one that is being deleted', 'hook', {}, { deletionTimestamp: late }],
    [
      'not one that asks for something else',
      'hook',
      { triggers: [{ scope: 'deployment', type: 'started' }] },
    ],
  ])('%s; the event is marked nevertheless', async (_, ...given) => {
    world.putWebhook(...given)
    world.putEnvironment()
    await world.start()
    expect(world.writes()).toEqual(['patch Environment acme/shop.staging'])
  })

  test('those that it concerns, among others', async () => {
    world.putWebhook('old')
    world.putWebhook('young', {}, { creationTimestamp: late })
    world.putWebhook('same-second', {}, { creationTimestamp: noon })
    world.putWebhook('second-after', {}, { creationTimestamp: '2026-01-01T12:00:01Z' })
    world.putEnvironment()
    await world.start()
    expect(world.calls()).toEqual(['old environment.created'])
  })

  test('not one that is made later: it is worth no write', async () => {
    await world.start()
    world.putEnvironment()
    world.putDeployment(succeeded)
    world.putWebhook('hook', {}, { creationTimestamp: late })
    await world.quiet()
    expect(world.cluster.writes).toEqual([])
  })
})

test('an event of an organization without its label is sent when the label comes back', async () => {
  world.cluster.reset()
  world.putWebhook('hook')
  world.putEnvironment()
  await world.start()
  expect(world.calls()).toEqual([])
  world.cluster.addOrganization('acme')
  world.cluster.store.namespaces.set(organizationNamespace('acme'))
  await world.quiet()
  expect(world.calls()).toEqual(['hook environment.created'])
})
