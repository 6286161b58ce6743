import { beforeEach, describe, expect, test } from '@jest/globals'
import { Webhook as Verifier } from 'standardwebhooks'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { InvalidHeader, OutboundError, TargetRefused } from '../../../operator/outbound/errors.ts'
import { agedBy, createCallWorld, daySeconds, secret } from '../support/call-world.ts'

const world = createCallWorld()
beforeEach(() => world.reset())

describe('a call that is taken', () => {
  test.each([200, 201, 202, 204, 299])('with %i is ready, once and for all', async (status) => {
    world.answer = async () => status
    world.putWebhook()
    world.putCall()
    expect(await world.reconcile()).toMatchObject({ reason: 'Reconciled', retry: 'no' })
    expect(world.now().status).toMatchObject({ responseStatus: status, finishTime: expect.any(String) })
    const before = world.now().status
    await world.reconcile()
    world.start()
    await world.reconcile()
    expect(world.requests).toHaveLength(1)
    expect(world.now().status).toEqual(before)
  })

  test('is a signed POST under the id of the event', async () => {
    world.putWebhook({ url: 'https://hooks.example.com:8443/path', payload: { state: '${status}' } })
    world.putCall()
    await world.reconcile()
    const [{ method, url, body, headers = {}, totalMs, maxBytes, protocols } = {}] = world.requests
    expect({ method, url, body }).toEqual({
      method: 'POST',
      url: 'https://hooks.example.com:8443/path',
      body: '{"state":"succeeded"}',
    })
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'event-1' })
    expect(new Verifier(secret).verify(body ?? '', headers)).toEqual({ state: 'succeeded' })
    expect(protocols).toBeUndefined()
    expect(totalMs).toBeLessThanOrEqual(10_000)
    expect(maxBytes).toBeLessThanOrEqual(65_536)
  })

  test('has the headers of the webhook, except those that the signature and the delivery define', async () => {
    const own = {
      'Webhook-Id': 'a',
      'WEBHOOK-SIGNATURE': 'b',
      'webhook-timestamp': '1',
      Authorization: 'Bearer x',
    }
    world.putWebhook({ headers: { ...own, 'Content-Type': 'text/plain' } })
    world.putCall()
    await world.reconcile()
    const [{ headers = {}, body = '' } = {}] = world.requests
    expect(Object.keys(headers)).toEqual(Object.keys(headers).map((name) => name.toLowerCase()))
    expect(headers).toMatchObject({
      authorization: 'Bearer x',
      'content-type': 'text/plain',
      'webhook-id': 'event-1',
    })
    expect(() => new Verifier(secret).verify(body, headers)).not.toThrow()
  })

  test.each(['TooLarge', 'Timeout', 'Connection'] as const)(
    'stays so when its answer then ends badly: %s',
    async (code) => {
      world.answer = async ({ onHeaders }) => {
        await onHeaders?.(202, {})
        throw new OutboundError(code, 'it went wrong')
      }
      world.putWebhook()
      world.putCall()
      expect(await world.reconcile()).toMatchObject({ reason: 'Reconciled' })
      expect(world.now().status?.responseStatus).toBe(202)
    },
  )
})

describe('a call that is not taken', () => {
  test.each([100, 300, 301, 302, 303, 307, 308, 400, 401, 404, 409, 429, 500, 503])(
    'but answered with %i is tried again',
    async (status) => {
      world.answer = async () => status
      world.putWebhook()
      world.putCall()
      expect(await world.reconcile()).toMatchObject({ reason: 'NotDelivered', retry: 'backoff' })
      expect(world.now().status).toMatchObject({ responseStatus: status })
      expect(world.now().status?.finishTime).toBeUndefined()
      world.answer = async () => 200
      expect(await world.reconcile()).toMatchObject({ reason: 'Reconciled' })
      expect(world.now().status?.responseStatus).toBe(200)
      expect(world.requests.map(({ headers }) => headers?.['webhook-id'])).toEqual(['event-1', 'event-1'])
    },
  )

  test('and not answered is tried again, and has no status', async () => {
    world.answer = async () => {
      throw new OutboundError('Timeout', 'no answer in time')
    }
    world.putWebhook()
    world.putCall({}, { responseStatus: 500 })
    expect(await world.reconcile()).toMatchObject({ reason: 'NotDelivered', retry: 'backoff' })
    expect(world.now().status?.responseStatus).toBeUndefined()
  })

  test.each<[rule: string, error: () => Promise<number>, seconds: number, reason: string]>([
    ['for a day is given up', async () => 503, daySeconds + 5, 'GivenUp'],
    ['for almost a day is tried again', async () => 503, daySeconds - 60, 'NotDelivered'],
    ['because the receiver has ended (410) is given up at once', async () => 410, 0, 'Gone'],
    [
      'because its address may not be called is given up at once',
      () => Promise.reject(new TargetRefused('private')),
      0,
      'TargetRefused',
    ],
    [
      'because a header may not be sent is given up at once',
      () => Promise.reject(new InvalidHeader('bad')),
      0,
      'TargetRefused',
    ],
  ])('%s', async (_, error, seconds, reason) => {
    world.answer = error
    world.putWebhook()
    world.putCall(agedBy(seconds))
    const isOver = reason !== 'NotDelivered'
    expect(await world.reconcile()).toMatchObject({ reason, retry: isOver ? 'no' : 'backoff' })
    expect(world.now().status?.finishTime !== undefined).toBe(isOver)
    expect(conditionOf(world.now(), 'Stalled')?.status === 'True').toBe(isOver)
  })

  describe.each([-60, 60])('with a clock that is %s minutes ahead of the API server', (minutes) => {
    test.each([
      ['for a day is given up', daySeconds + 5, 'GivenUp'],
      ['for almost a day is tried again', daySeconds - 60, 'NotDelivered'],
    ])('%s', async (_, seconds, reason) => {
      world.serverNow = () => Date.now() - minutes * 60_000
      world.answer = async () => 503
      world.putWebhook()
      world.putCall(agedBy(seconds + minutes * 60))
      expect(await world.reconcile()).toMatchObject({ reason })
    })
  })

  test.each<[rule: string, prepare: () => unknown, attempts: number | undefined]>([
    ['given up at its first attempt has one attempt', () => world.putCall(agedBy(daySeconds + 5)), 1],
    [
      'given up later counts its last attempt too',
      () => world.putCall(agedBy(daySeconds + 5), { attempts: 3 }),
      4,
    ],
    [
      'refused by the receiver for good has one attempt',
      () => {
        world.answer = async () => 410
        world.putCall()
      },
      1,
    ],
    [
      'whose target may not be called has no attempt, because nothing was sent',
      () => {
        world.answer = () => Promise.reject(new TargetRefused('private'))
        world.putCall()
      },
      undefined,
    ],
    [
      'whose webhook is disabled keeps its attempts',
      () => {
        world.putWebhook({ disabled: true })
        world.putCall({}, { attempts: 3 })
      },
      3,
    ],
    [
      'whose webhook is not ready keeps its attempts',
      () => {
        world.putWebhook({}, {})
        world.putCall({}, { attempts: 3 })
      },
      3,
    ],
    [
      'and then delivered has none',
      () => {
        world.answer = async () => 200
        world.putCall({}, { attempts: 3 })
      },
      undefined,
    ],
  ])('%s', async (_, prepare, attempts) => {
    world.answer = async () => 503
    world.putWebhook()
    prepare()
    await world.reconcile()
    await world.reconcile()
    expect(world.now().status?.attempts).toBe(attempts)
  })

  test.each([410, 503])('and given up after %i stays so, also after a restart', async (status) => {
    world.answer = async () => status
    world.putWebhook()
    world.putCall(agedBy(daySeconds + 5))
    await world.reconcile()
    const before = world.now().status
    world.start()
    world.answer = async () => 200
    await world.reconcile()
    expect(world.requests).toHaveLength(1)
    expect(world.now().status).toEqual(before)
  })
})
