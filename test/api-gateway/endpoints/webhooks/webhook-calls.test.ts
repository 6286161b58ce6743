import { describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { Webhook, WebhookCall } from '../../../../operator/api/webhook.ts'
import { addEnvironment, ready, stalled } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  for (const name of ['chat', 'pager']) {
    const spec = { applicationName: 'shop', url: 'hooks.example.com' }
    gateway.cluster.put(Webhook, newObject(Webhook, { namespace: 'acme', name }, spec))
  }
})

const calls = '/orgs/acme/apps/shop/webhooks/chat/calls'
const finishTime = '2026-02-01T00:01:00Z'
const nextAttemptTime = '2026-02-01T00:02:00Z'
const failing = {
  conditions: [
    {
      type: 'Ready',
      status: 'False',
      reason: 'NotDelivered',
      message: 'the receiver answered 500',
      lastTransitionTime: finishTime,
    },
  ],
}

function addCall(
  name: string,
  { status, webhook = 'chat', triggeredAt = '', given = {} }: Partial<CallOfTest> = {},
): void {
  const spec = {
    webhookName: webhook,
    eventId: 'e1',
    event: 'environment.created',
    variables: { triggered_at: triggeredAt },
  }
  const metadata = { namespace: 'acme', name, ...given }
  gateway.cluster.put(WebhookCall, newObject(WebhookCall, metadata, spec))
  if (status) gateway.cluster.setStatus(WebhookCall, 'acme', name, status)
}

interface CallOfTest {
  readonly status: object
  readonly webhook: string
  readonly triggeredAt: string
  readonly given: object
}

async function list() {
  const { status, body } = await gateway.send(`GET ${calls}`)
  expect(status).toBe(200)
  return body
}

describe('the calls of a webhook', () => {
  test.each<[rule: string, status: object | undefined, answered: object]>([
    ['pending before the first attempt', undefined, { status: 'pending', attempts: 0 }],
    [
      'pending between two tries',
      { ...failing, attempts: 2, nextAttemptTime, responseStatus: 500 },
      {
        status: 'pending',
        attempts: 2,
        next_attempt_at: nextAttemptTime,
        response_status: 500,
        message: 'the receiver answered 500',
      },
    ],
    [
      'delivered',
      { ...ready, finishTime, responseStatus: 204 },
      { status: 'delivered', attempts: 0, finished_at: finishTime, response_status: 204 },
    ],
    [
      'failed',
      { ...stalled, finishTime, attempts: 9 },
      { status: 'failed', attempts: 9, finished_at: finishTime, message: 'it failed' },
    ],
    [
      'delivered when it was sent again',
      { ...ready, finishTime, redelivery: 'again' },
      { status: 'delivered', attempts: 0, finished_at: finishTime },
    ],
  ])('are %s', async (_rule, status, answered) => {
    addCall('chat.1', status ? { status } : {})
    expect(await list()).toEqual([
      {
        id: 'chat.1',
        event: 'environment.created',
        event_id: 'e1',
        created_at: expect.any(String),
        ...answered,
      },
    ])
  })

  test('are listed the newest first, and without those of other webhooks and of an earlier one of its name', async () => {
    const given = { creationTimestamp: '2026-02-01T00:00:00Z' }
    addCall('chat.a', { given, triggeredAt: '2026-02-01T00:00:00.100Z' })
    addCall('chat.b', { given, triggeredAt: '2026-02-01T00:00:00.900Z' })
    addCall('chat.c', { given, triggeredAt: '2026-02-01T00:00:00.500Z' })
    addCall('chat.old', { given: { creationTimestamp: '2026-01-31T00:00:00Z' } })
    addCall('pager.a', { webhook: 'pager' })
    const earlier = {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind: 'Webhook',
      name: 'chat',
      uid: 'earlier',
    }
    addCall('chat.earlier', { given: { ownerReferences: [earlier] } })
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([
      'chat.b',
      'chat.c',
      'chat.a',
      'chat.old',
    ])
  })
})

describe('a call', () => {
  const marks = (name = 'chat.1') =>
    gateway.cluster.store.get(WebhookCall, 'acme', name)?.metadata.annotations?.[annotations.redeliver]

  test.each<[state: string, status: object | undefined]>([
    ['failed', { ...stalled, finishTime }],
    ['was delivered', { ...ready, finishTime }],
    ['is pending', undefined],
  ])('that %s is sent again: 202, and it is pending', async (_state, status) => {
    addCall('chat.1', status ? { status } : {})
    const answer = await gateway.send(`POST ${calls}/chat.1/redeliver`)
    expect([answer.status, answer.body]).toEqual([202, {}])
    expect(gateway.cluster.writes).toEqual(['patch WebhookCall acme/chat.1'])
    const [{ status: state, ...rest }] = await list()
    expect([state, rest.finished_at]).toEqual(['pending', undefined])
  })

  test('is recorded again each time', async () => {
    addCall('chat.1')
    await gateway.send(`POST ${calls}/chat.1/redeliver`)
    const first = marks()
    await gateway.send(`POST ${calls}/chat.1/redeliver`)
    expect(marks()).toEqual(expect.stringMatching(/^[0-9a-f-]{36}$/))
    expect(marks()).not.toBe(first)
  })

  test.each(['chat.missing', 'pager.1'])(
    'is not sent again when the webhook has none such: %s',
    async (id) => {
      addCall('pager.1', { webhook: 'pager' })
      expect((await gateway.send(`POST ${calls}/${id}/redeliver`)).status).toBe(404)
      expect(gateway.cluster.writes).toEqual([])
    },
  )
})
