import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../operator/api/application.ts'
import { newObject } from '../../operator/api/kind.ts'
import { Webhook, WebhookCall } from '../../operator/api/webhook.ts'
import { applicationController } from '../../operator/controllers/application.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { silentTurn } from './support/turn.ts'

const cluster = createFakeCluster()
const call = { webhookName: 'chat', eventId: 'e', event: 'environment.deleted', variables: {} }

beforeEach(() => cluster.reset())

function goingSince(milliseconds: number): Application {
  const deletionTimestamp = new Date(Date.now() - milliseconds).toISOString()
  return newObject(Application, { namespace: 'acme', name: 'shop', deletionTimestamp }, {})
}

function addWebhook(name: string, applicationName: string) {
  cluster.put(Webhook, newObject(Webhook, { namespace: 'acme', name }, { applicationName, url: 'x.test' }))
}

const names = () => cluster.store.list(Webhook, 'acme').map(({ metadata }) => metadata.name)
const finalize = (application: Application) =>
  applicationController(cluster).finalize?.(application, silentTurn())

describe('the webhooks of an application that is deleted', () => {
  test('go with it; those of others stay', async () => {
    addWebhook('chat', 'shop')
    addWebhook('other', 'blog')
    await finalize(goingSince(0))
    expect(names()).toEqual(['other'])
  })

  test('go when their last calls have ended', async () => {
    addWebhook('chat', 'shop')
    const open = newObject(WebhookCall, { namespace: 'acme', name: 'chat.1' }, call)
    cluster.put(WebhookCall, open)
    await expect(finalize(goingSince(1000))).rejects.toMatchObject({ reason: 'CallsRemain' })
    expect(names()).toEqual(['chat'])
    cluster.put(WebhookCall, { ...open, status: { finishTime: new Date().toISOString() } })
    await finalize(goingSince(1000))
    expect(names()).toEqual([])
  })

  test('hold nothing up for longer than a minute', async () => {
    addWebhook('chat', 'shop')
    cluster.put(WebhookCall, newObject(WebhookCall, { namespace: 'acme', name: 'chat.1' }, call))
    await finalize(goingSince(61_000))
    expect(names()).toEqual([])
  })
})
