import { describe, expect, test } from '@jest/globals'
import type { WebhookCall } from '../../../operator/api/webhook.ts'
import { eventually, readyOf } from '../support/client.ts'
import { kubectl } from '../support/kubectl.ts'
import { endEnvironment } from '../support/observing.ts'
import { hang } from '../support/receiver/receiver.ts'
import {
  bodiesOf,
  callsOf,
  callWith,
  deploySet,
  hook,
  isSignedBy,
  makeHookOrganization,
  setUpHooks,
  signingSecretOf,
} from '../support/receiver/webhooks.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const created = [{ scope: 'environment', type: 'created' } as const]

const { receiver, organization } = await setUpHooks('calls')

describe('the content of calls', () => {
  const hostile = '","status":"forged"}\r\n\\u0000 \'${org_id}\' $& $1 {{.}} <&> \u2028 ünï 🚀 \\'

  test('is valid JSON of the same shape, with hostile values as data', async () => {
    const payload = {
      comment: '${comment}',
      twice: ['<${comment}|${comment}>'],
      '${comment}': 1,
      status: '${status}',
    }
    const triggers = [{ scope: 'deployment', type: 'finished' } as const]
    const { status } = await hook(organization, 'hostile', {
      url: receiver.url('/hostile'),
      payload,
      triggers,
    })
    await organization.environment('shop', 'hostile')
    await deploySet(organization, 'hostile', { comment: hostile })
    const [call] = await receiver.awaitCalls('/hostile', 1)
    expect(JSON.parse(call?.body ?? '')).toEqual({
      comment: hostile,
      twice: [`<${hostile}|${hostile}>`],
      '${comment}': 1,
      status: 'succeeded',
    })
    const secret = await signingSecretOf(organization, status?.signingSecretName ?? '')
    expect(call && isSignedBy(secret, call)).toBe(true)
  })

  test('has the headers of the webhook once each, and ours cannot be replaced', async () => {
    await hook(organization, 'headers', {
      url: receiver.url('/headers?a=b'),
      headers: {
        Authorization: 'Bearer canary-of-the-headers',
        'X-Text': 'é ü',
      },
      triggers: created,
    })
    const forged = { 'Webhook-Id': 'forged', 'webhook-signature': 'v1,forged' }
    const refused = await hook(organization, 'forged', { url: receiver.url('/forged'), headers: forged })
    expect(readyOf(refused).reason).toBe('InvalidWebhook')
    await organization.environment('shop', 'headers')
    const [call] = await receiver.awaitCalls('/headers?a=b', 1)
    const lower = (call?.rawHeaders ?? [])
      .filter((_, index) => index % 2 === 0)
      .map((name) => name.toLowerCase())
    expect(lower.length).toBe(new Set(lower).size)
    expect(call?.headers).toMatchObject({
      authorization: 'Bearer canary-of-the-headers',
      'content-type': 'application/json',
    })
    const secret = await signingSecretOf(organization, 'headers-webhook-signing')
    expect(call && isSignedBy(secret, call)).toBe(true)
    expect(bodiesOf(call ? [call] : [])[0]?.env_id).toBe('headers')
  })

  test('is sent exactly once to who takes it at once', async () => {
    await eventually('the end of all calls', 30_000, async () => {
      const open = (await callsOf(organization, 'headers')).some(({ status }) => !status?.finishTime)
      return open ? undefined : true
    })
    expect(receiver.calls('/headers?a=b')).toHaveLength(1)
    expect(receiver.calls('/hostile')).toHaveLength(1)
  })
})

describe('the signature', () => {
  test('is the one of Standard Webhooks, by a secret made for it', async () => {
    const { status } = await hook(organization, 'signed', { url: receiver.url('/signed') })
    const secret = await signingSecretOf(organization, status?.signingSecretName ?? '')
    await organization.environment('shop', 'signed')
    const [call] = await receiver.awaitCalls('/signed', 1)
    const [seen] = await callsOf(organization, 'signed')
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(call && isSignedBy(secret, call)).toBe(true)
    expect(call && isSignedBy(`whsec_${Buffer.alloc(32).toString('base64')}`, call)).toBe(false)
    expect(call && isSignedBy(secret, { ...call, body: `${call.body} ` })).toBe(false)
    expect(call?.headers['webhook-id']).toBe(seen?.spec.eventId)
  })

  test('after a rotation uses the new secret, and no call is lost before it exists', async () => {
    const spec = { url: receiver.url('/rotated') }
    await hook(organization, 'rotated', spec)
    receiver.answer('/rotated', 503)
    await organization.environment('shop', 'rotated1')
    await callWith(organization, 'rotated', 'NotDelivered')
    const waiting = await hook(organization, 'rotated', { ...spec, signingSecretName: 'rotated' })
    expect(readyOf(waiting).reason).toBe('SecretNotFound')
    await organization.environment('shop', 'rotated2')
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const signedAnew = () => receiver.calls('/rotated').filter((each) => isSignedBy(secret, each))
    expect(signedAnew()).toEqual([])
    receiver.answer('/rotated', 200)
    await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'rotated' },
      stringData: { secret },
    })
    await eventually('both by the new secret', 60_000, async () => {
      const heard = new Set(bodiesOf(signedAnew()).map(({ env_id }) => env_id))
      return (heard.has('rotated1') && heard.has('rotated2')) || undefined
    })
  })
})

describe('calls as objects', () => {
  test('`kubectl wait --for=condition=Ready` works', async () => {
    await hook(organization, 'waited', { url: receiver.url('/waited') })
    await organization.environment('shop', 'waited')
    await receiver.awaitCalls('/waited', 1)
    const [call] = await callsOf(organization, 'waited')
    const name = `webhookcall/${call?.metadata.name}`
    kubectl(['wait', '--for=condition=Ready', '-n', organization.id, name, '--timeout=60s'])
    const table = kubectl(['get', 'webhookcalls', '-n', organization.id])
    expect(table).toMatch(/^waited\.\S+ +waited +environment\.created +200 .*True +Reconciled/m)
  })

  test('deletion of the environment or the organization ends while calls are open, and is notified', async () => {
    const brief = await makeHookOrganization(cluster, 'hooksend')
    for (const path of ['/open', '/hanging']) await hook(brief, path.slice(1), { url: receiver.url(path) })
    receiver.answer('/open', 500, 500, 200)
    receiver.answer('/hanging', hang)
    await brief.environment('shop', 'one')
    await brief.environment('shop', 'two')
    await deploySet(brief, 'one')
    await receiver.awaitCalls('/hanging', 4)
    await endEnvironment(brief, 'one')
    await eventually('the news of the end', 30_000, async () =>
      bodiesOf(receiver.calls('/open')).some((each) => each.event === 'environment.deleted')
        ? true
        : undefined,
    )
    await brief.kube('DELETE', `/api/v1/namespaces/${brief.id}`)
    await eventually('the end of the organization', 60_000, async () =>
      (await brief.kube('GET', `/api/v1/namespaces/${brief.id}`)).status === 404 ? true : undefined,
    )
    const left = await brief.list<WebhookCall>('webhookcalls')
    expect(left).toEqual([])
  })

  // At the end: the garbage collector gets to know new kinds half a minute after the start.
  test('deleting the webhook takes its calls and its secret along', async () => {
    await hook(organization, 'brief', { url: receiver.url('/brief') })
    receiver.answer('/brief', 500)
    await organization.environment('shop', 'brief')
    await callWith(organization, 'brief', 'NotDelivered')
    await organization.remove('webhooks', 'brief')
    await eventually('the end of the calls', 60_000, async () =>
      (await callsOf(organization, 'brief')).length === 0 ? true : undefined,
    )
    const secret = `/api/v1/namespaces/${organization.id}/secrets/brief-webhook-signing`
    await eventually('the end of the secret', 30_000, async () =>
      (await organization.kube('GET', secret)).status === 404 ? true : undefined,
    )
  })
})
