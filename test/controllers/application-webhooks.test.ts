import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../operator/api/application.ts'
import { annotations, finalizer } from '../../operator/api/names.ts'
import { Webhook, WebhookCall } from '../../operator/api/webhook.ts'
import { applicationController } from '../../operator/controllers/application.ts'
import { webhookController } from '../../operator/controllers/webhook/webhook.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../support/builders.ts'
import { silentContext } from './support/context.ts'
import { webhook } from './support/webhooks.ts'

const cluster = createFakeCluster()
const call = storedObject(
  WebhookCall,
  { namespace: 'acme', name: 'hook.1' },
  { webhookName: 'hook', eventId: 'e', event: 'environment.deleted', variables: {} },
)
const finished = { ...call, status: { finishTime: '2026-03-01T00:00:00Z' } }

beforeEach(() => cluster.reset())

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()

const application = storedObject(
  Application,
  { namespace: 'acme', name: 'shop', deletionTimestamp: ago(0) },
  {},
)

describe('an application that is deleted', () => {
  test.each<[rule: string, calls: readonly WebhookCall[]]>([
    ['takes its webhooks along; those of others stay', []],
    ['does not wait for their last calls', [call]],
  ])('%s', async (_, calls) => {
    cluster.put(Webhook, webhook('hook'))
    cluster.put(Webhook, webhook('other', { applicationName: 'blog' }))
    for (const each of calls) cluster.put(WebhookCall, each)
    await applicationController(cluster).finalize?.(application, silentContext())
    expect(cluster.store.list(Webhook, 'acme').map(({ metadata }) => metadata.name)).toEqual(['other'])
  })
})

describe('a webhook that is deleted', () => {
  const withApplication = { [annotations.lastCalls]: 'true' }

  test.each<[rule: string, marks: Record<string, string>, each: WebhookCall, sinceMs: number]>([
    ['by itself is removed at once, with open calls', {}, call, 1000],
    ['with its application is removed when its calls have ended', withApplication, finished, 1000],
    ['with its application is removed after a minute, with open calls', withApplication, call, 61_000],
  ])('%s', async (_, marks, each, sinceMs) => {
    cluster.put(WebhookCall, each)
    const gone = webhook('hook', {}, { deletionTimestamp: ago(sinceMs), annotations: marks })
    await expect(
      webhookController(cluster, Date.now).finalize?.(gone, silentContext()),
    ).resolves.toBeUndefined()
  })

  test.each([
    [-60, 59_000, true],
    [-60, 61_000, false],
    [60, 59_000, true],
    [60, 61_000, false],
  ])(
    'with its application and a clock that is %s minutes ahead, after %s milliseconds: stays for its open calls: %s',
    async (minutes, sinceMs, isThere) => {
      const serverNow = () => Date.now() - minutes * 60_000
      const deletionTimestamp = new Date(serverNow() - sinceMs).toISOString()
      cluster.put(WebhookCall, call)
      const gone = webhook('hook', {}, { deletionTimestamp, annotations: withApplication })
      const finalize = webhookController(cluster, serverNow).finalize?.(gone, silentContext())
      const error = await finalize?.catch((thrown: unknown) => thrown)
      expect(error).toEqual(isThere ? expect.objectContaining({ reason: 'CallsRemain' }) : undefined)
    },
  )

  test('with its application stays for its open calls', async () => {
    cluster.put(Webhook, webhook('hook', {}, { finalizers: [finalizer] }))
    cluster.put(WebhookCall, call)
    await applicationController(cluster).finalize?.(application, silentContext())
    const [gone] = cluster.store.list(Webhook, 'acme')
    const deleted = webhook('hook', {}, { ...gone?.metadata, deletionTimestamp: ago(1000) })
    const finalize = webhookController(cluster, Date.now).finalize?.(deleted, silentContext())
    await expect(finalize).rejects.toMatchObject({ reason: 'CallsRemain', retryAfterSeconds: 59 })
  })

  test('reconciles again when a call of it has ended', () => {
    const enqueued: string[] = []
    for (const each of webhookController(cluster, Date.now).watches ?? [])
      each.subscribe((keys) => {
        enqueued.push(...keys)
      })
    cluster.put(Webhook, webhook('hook', {}, { deletionTimestamp: ago(0) }))
    cluster.put(Webhook, webhook('live'))
    for (const webhookName of ['hook', 'live']) {
      const open = {
        ...call,
        metadata: { ...call.metadata, name: webhookName },
        spec: { ...call.spec, webhookName },
      }
      cluster.put(WebhookCall, open)
      cluster.put(WebhookCall, { ...open, status: finished.status })
    }
    expect(enqueued).toEqual(['acme/hook'])
  })
})
