import { beforeEach, describe, expect, test } from '@jest/globals'
import { annotations } from '../../../operator/api/names.ts'
import { longestRedelivery } from '../../../operator/api/webhook.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { InvalidHeader, OutboundError, TargetRefused } from '../../../operator/outbound/errors.ts'
import { ready } from '../../api-gateway/support/objects.ts'
import { agedBy, createCallWorld, daySeconds, secret, secretName } from '../support/call-world.ts'
import { signingSecret } from '../support/webhooks.ts'

const world = createCallWorld()
beforeEach(() => world.reset())

const owner = { apiVersion: 'quartermaster.dev/v1alpha1', kind: 'Webhook', name: 'hook', uid: 'uid-of-hook' }
const goingOut = { generation: 2, deletionTimestamp: '2026-03-01T00:00:00Z' }

test('a call is sent although its webhook is on its way out', async () => {
  world.putWebhook({}, {}, goingOut)
  world.putCall()
  expect(await world.reconcile()).toMatchObject({ reason: 'Reconciled' })
})

describe('a call is not sent', () => {
  test.each<[rule: string, prepare: () => unknown, reason: string, isOver: boolean, isOverInADay?: boolean]>([
    ['when its webhook is deleted', () => {}, 'WebhookNotFound', true],
    [
      'when its webhook is deleted, and a new one has its name',
      () => world.putWebhook({ applicationName: 'other' }, undefined, { uid: 'later' }),
      'WebhookNotFound',
      true,
    ],
    ['when its webhook is disabled', () => world.putWebhook({ disabled: true }), 'Disabled', true],
    ['while its webhook is not judged', () => world.putWebhook({}, {}), 'WebhookNotReady', false, false],
    [
      'while its webhook is not ready',
      () => world.putWebhook({}, { observedGeneration: 1 }),
      'WebhookNotReady',
      false,
    ],
    [
      'while its webhook was judged as it was before',
      () => world.putWebhook({}, { ...ready, observedGeneration: 0 }),
      'WebhookNotReady',
      false,
      false,
    ],
    [
      'when its webhook is on its way out and could not be called by',
      () => world.putWebhook({ url: 'http://hooks.example.com' }, {}, goingOut),
      'WebhookNotReady',
      false,
    ],
    [
      'while the secret is missing',
      () => {
        world.putWebhook()
        world.objects.delete('Secret', secretName)
      },
      'SecretNotFound',
      false,
    ],
    [
      'while the secret has lost its key',
      () => {
        world.putWebhook()
        world.objects.delete('Secret', secretName)
        world.objects.put(Object.assign(signingSecret(secretName, ''), { data: {} }))
      },
      'InvalidSigningSecret',
      false,
    ],
  ])('%s', async (_, prepare, reason, isOver, isOverInADay = true) => {
    prepare()
    world.putCall({ ownerReferences: [owner] })
    expect(await world.reconcile()).toMatchObject({ reason })
    expect(world.now().status?.finishTime !== undefined).toBe(isOver)
    expect(world.requests).toEqual([])

    world.putCall({ ownerReferences: [owner], ...agedBy(daySeconds + 5) }, { attempts: 3 })
    const last = await world.reconcile()
    const isGivenUp = !isOver && isOverInADay
    expect(last).toMatchObject(isGivenUp ? { reason: 'GivenUp', retry: 'no' } : { reason })
    if (isGivenUp) expect(last.message).toMatch(/^given up: waiting for/)
    expect(world.now().status?.finishTime !== undefined).toBe(isOverInADay)
    expect(world.now().status?.attempts).toBe(3)
    expect(world.requests).toEqual([])
  })
})

describe('a call that is over', () => {
  const finished = (secondsAgo: number) => ({
    responseStatus: 200,
    finishTime: new Date(Date.now() - secondsAgo * 1000).toISOString(),
  })

  test.each<[rule: string, secondsAgo: number, isThere: boolean]>([
    ['stays for three days', 3 * daySeconds - 60, true],
    ['then is deleted', 3 * daySeconds + 60, false],
  ])('%s', async (_, secondsAgo, isThere) => {
    world.putWebhook()
    world.putCall({}, finished(secondsAgo))
    await world.reconcile()
    expect(world.isThere()).toBe(isThere)
    expect(world.requests).toEqual([])
  })

  describe.each([-9 * daySeconds, -3600, 3600, 9 * daySeconds])(
    'with a clock that is %s seconds ahead of the API server',
    (ahead) => {
      const serverNow = () => Date.now() - ahead * 1000

      test.each<[rule: string, secondsAgo: number, isThere: boolean]>([
        ['stays for three days', 3 * daySeconds - 60, true],
        ['then is deleted', 3 * daySeconds + 60, false],
      ])('%s', async (_, secondsAgo, isThere) => {
        world.serverNow = serverNow
        world.putWebhook()
        world.putCall({}, finished(secondsAgo + ahead))
        await world.reconcile()
        expect(world.isThere()).toBe(isThere)
      })

      test.each([200, 410])('and is answered with %s ends after its creation', async (status) => {
        world.serverNow = serverNow
        world.answer = async () => status
        world.putWebhook()
        world.putCall(agedBy(ahead + 5))
        await world.reconcile()
        const { metadata, status: { finishTime = '' } = {} } = world.now()
        const seconds = (Date.parse(finishTime) - Date.parse(metadata.creationTimestamp)) / 1000
        expect(Math.round(seconds - 5)).toBeLessThanOrEqual(2)
        expect(seconds).toBeGreaterThanOrEqual(0)
      })
    },
  )

  test('is sent again, once for each new text of the annotation, under the same id', async () => {
    world.putWebhook()
    world.putCall({}, finished(60))
    for (const value of ['one', 'one', 'two']) {
      world.redeliver(value)
      await world.reconcile()
      await world.reconcile()
    }
    expect(world.requests.map(({ headers }) => headers?.['webhook-id'])).toEqual(['event-1', 'event-1'])
    expect(world.now().status).toMatchObject({ redelivery: 'two', responseStatus: 200 })
  })

  test('records a long text of the annotation within its limit, and is sent again for another long text', async () => {
    world.putWebhook()
    world.putCall({}, finished(60))
    for (const end of ['1', '1', '2']) {
      world.redeliver(`${'long '.repeat(1000)}${end}`)
      await world.reconcile()
      expect(world.now().status?.redelivery?.length).toBeLessThanOrEqual(longestRedelivery)
    }
    expect(world.requests).toHaveLength(2)
  })

  test('and sent again in vain is not tried a second time', async () => {
    world.answer = async () => 500
    world.putWebhook()
    world.putCall({}, finished(60))
    world.redeliver('one')
    expect(await world.reconcile()).toMatchObject({ reason: 'GivenUp', retry: 'no' })
    expect(world.now().status).toMatchObject({ redelivery: 'one', responseStatus: 500 })
    await world.reconcile()
    expect(world.requests).toHaveLength(1)
  })

  test('and is sent again waits for its webhook, however old it is', async () => {
    world.putWebhook({}, { observedGeneration: 1 })
    world.putCall(agedBy(2 * daySeconds), finished(60))
    world.redeliver('one')
    expect(await world.reconcile()).toMatchObject({ reason: 'WebhookNotReady' })
    world.putWebhook()
    expect(await world.reconcile()).toMatchObject({ reason: 'Reconciled' })
    expect(world.requests).toHaveLength(1)
  })

  test('and was given up can be sent again, and is ready then', async () => {
    world.answer = async () => 503
    world.putWebhook()
    world.putCall(agedBy(daySeconds + 5))
    await world.reconcile()
    world.redeliver('one')
    world.answer = async () => 200
    expect(await world.reconcile()).toMatchObject({ reason: 'Reconciled' })
    expect(conditionOf(world.now(), 'Stalled')).toBeUndefined()
  })
})

describe('a webhook that changes enqueues', () => {
  function enqueued(): string[] {
    const keys: string[] = []
    for (const each of world.controller.watches ?? []) each.subscribe((some) => keys.push(...some))
    world.putWebhook()
    return keys
  }

  test.each<[rule: string, status: object, marks: Record<string, string>, isEnqueued: boolean]>([
    ['a call that is not over', {}, {}, true],
    ['no call that is over', { finishTime: '2026-01-01T00:00:00Z' }, {}, false],
    [
      'a call that is to be sent again',
      { finishTime: '2026-01-01T00:00:00Z', redelivery: 'one' },
      { [annotations.redeliver]: 'two' },
      true,
    ],
  ])('%s', (_, status, marks, isEnqueued) => {
    world.putCall({ annotations: marks }, status)
    expect(enqueued()).toEqual(isEnqueued ? ['acme/hook.1'] : [])
  })
})

describe('a call contains no secret', () => {
  const canary = 'canary-value-of-a-header'
  const words = [secret, canary, Buffer.from(canary).toString('base64'), encodeURIComponent(`${canary}/ä`)]

  test.each<[rule: string, error: () => Promise<number>]>([
    ['by an answer', async () => 500],
    ['when the receiver has ended', async () => 410],
    ['by an error of the connection', () => Promise.reject(new OutboundError('Connection', words.join(' ')))],
    ['by a refusal', () => Promise.reject(new TargetRefused(words.join(' ')))],
    ['by a header that may not be sent', () => Promise.reject(new InvalidHeader(words.join(' ')))],
    ['by any error', () => Promise.reject(new Error(words.join(' ')))],
  ])('%s', async (_, error) => {
    world.answer = error
    world.putWebhook({ headers: { 'x-own': canary, 'x-other': `${canary}/ä` } })
    world.putCall()
    await world.reconcile()
    const text = JSON.stringify(world.now())
    for (const word of [...words, 'secret words']) expect(text).not.toContain(word)
  })
})
