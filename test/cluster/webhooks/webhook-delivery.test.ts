import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { conditionStatus, eventually, readyOf } from '../support/client.ts'
import { patch } from '../support/observing.ts'
import { untrustedServers } from '../support/receiver/certificates.ts'
import { flood, hang, type Receiver, redirectTo, startReceiver } from '../support/receiver/receiver.ts'
import {
  callsOf,
  callWith,
  deploySet,
  hook,
  isSignedBy,
  setUpHooks,
  signingSecretOf,
} from '../support/receiver/webhooks.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const created = [{ scope: 'environment', type: 'created' } as const]

const redirects = [301, 302, 303, 307, 308]
const refused = [
  '10.255.0.1/',
  '169.254.169.254/latest/meta-data',
  '2852039166/',
  '0xa9fea9fe/',
  '0251.0376.0251.0376/',
  '10.1:8443/',
  '[fd00:ec2::254]/',
  '[::ffff:a9fe:a9fe]/',
  '[64:ff9b::a00:1]/',
  '①⑨②.168.0.1/',
]
const untrusted = [
  ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['expired', 'CERT_HAS_EXPIRED'],
  ['for another host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of TLS 1.0', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
  ['of TLS 1.1', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
] as const
const injections: readonly (readonly [
  string,
  (url: string) => { url: string; headers?: Record<string, string> },
])[] = [
  ['a line break in a value', (url) => ({ url, headers: { 'x-a': 'a\r\nx-forged: b' } })],
  ['a lone line feed in a value', (url) => ({ url, headers: { 'x-a': 'a\nx-forged: b' } })],
  ['a NUL in a value', (url) => ({ url, headers: { 'x-a': 'a\0b' } })],
  ['a line break in a name', (url) => ({ url, headers: { 'x-a: b\r\nx-forged': 'c' } })],
  ['a blank in a name', (url) => ({ url, headers: { 'x a': 'b' } })],
  ['Host', (url) => ({ url, headers: { Host: 'internal' } })],
  ['Content-Length', (url) => ({ url, headers: { 'Content-Length': '0' } })],
  ['Transfer-Encoding', (url) => ({ url, headers: { 'transfer-encoding': 'chunked' } })],
  ['Connection', (url) => ({ url, headers: { connection: 'upgrade' } })],
  ['a header of the signature', (url) => ({ url, headers: { 'Webhook-Id': 'forged' } })],
  ['one header in two spellings', (url) => ({ url, headers: { 'x-a': '1', 'X-A': '2' } })],
  ['a line break in the URL', (url) => ({ url: `${url}\r\nx-forged: b` })],
  ['a blank in the URL', (url) => ({ url: `${url} HTTP/1.1` })],
  ['a user in the URL', (url) => ({ url: `user:password@${url}` })],
  ['another protocol', (url) => ({ url: `http://${url}` })],
]

const { receiver, organization } = await setUpHooks('delivery')
let elsewhere: Receiver
let bad: Receiver[] = []

/** Each row is a separate webhook, `<kind>-<index>`, and all receive one event. */
beforeAll(async () => {
  const servers = await untrustedServers(cluster.directory)
  ;[elsewhere, ...bad] = await Promise.all([
    startReceiver(cluster.directory),
    ...untrusted.map(([what]) => startReceiver(cluster.directory, servers[what])),
  ])
  receiver.answer('/failing', 500)
  receiver.answer('/hanging', hang)
  receiver.answer('/gone', 410, 200)
  receiver.answer('/flood', flood)
  for (const status of redirects)
    receiver.answer(`/redirect-${status}`, redirectTo(status, `https://${elsewhere.url('/target')}`))
  const urls = [
    ...['failing', 'hanging', 'gone', 'flood', 'again'].map(
      (name) => [name, receiver.url(`/${name}`)] as const,
    ),
    ...redirects.map((status) => [`redirect-${status}`, receiver.url(`/redirect-${status}`)] as const),
    ...refused.map((url, index) => [`refused-${index}`, url] as const),
    ...bad.map((each, index) => [`untrusted-${index}`, each.url('/')] as const),
  ]
  await Promise.all(urls.map(([name, url]) => hook(organization, name, { url, triggers: created })))
  await Promise.all(
    injections.map(([, specOf], index) =>
      hook(organization, `injection-${index}`, {
        ...specOf(receiver.url(`/injection-${index}`)),
        triggers: created,
      }),
    ),
  )
  await organization.environment('shop', 'one')
  for (const number of [1, 2, 3]) await deploySet(organization, 'one', { number })
})
afterAll(() => Promise.all([elsewhere, ...bad].map((each) => each?.close())))

const redeliver = async (webhookName: string, text: string) => {
  const [call] = await callsOf(organization, webhookName)
  const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/webhookcalls/${call?.metadata.name}`
  await patch(organization, path, { metadata: { annotations: { 'quartermaster.dev/redeliver': text } } })
}

describe('a call that is not taken', () => {
  test('is sent again later under the same id, and shows attempts, next time and reason', async () => {
    const failed = await eventually('an attempt to come', 60_000, async () => {
      const call = await callWith(organization, 'failing', 'NotDelivered')
      return Date.parse(call.status?.nextAttemptTime ?? '') > Date.now() ? call : undefined
    })
    expect(failed.status).toMatchObject({ attempts: expect.any(Number), responseStatus: 500 })
    expect(readyOf(failed).message).toBe('the receiver answered 500')
    expect(conditionStatus(failed, 'Reconciling')).toBe('True')
    expect(receiver.calls('/failing').length).toBeGreaterThanOrEqual(failed.status?.attempts ?? 0)
    receiver.answer('/failing', 200)
    const [first, ...others] = await receiver.awaitCalls(
      '/failing',
      (failed.status?.attempts ?? 0) + 1,
      90_000,
    )
    for (const each of others) {
      expect(each.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect(each.body).toBe(first?.body)
    }
    const { status } = await callWith(organization, 'failing', 'Reconciled', 90_000)
    expect(status).toMatchObject({ responseStatus: 200 })
    expect(status?.nextAttemptTime).toBeUndefined()
  })

  test('because the receiver hangs, is sent again too', async () => {
    const { status } = await callWith(organization, 'hanging', 'NotDelivered')
    expect(status?.attempts).toBeGreaterThanOrEqual(1)
    await receiver.awaitCalls('/hanging', 2, 60_000)
  })

  test('because the receiver has ended (410), is given up; redelivered on request', async () => {
    const before = await callWith(organization, 'gone', 'Gone')
    expect(conditionStatus(before, 'Stalled')).toBe('True')
    const path = `/apps/shop/webhooks/gone/calls/${before.metadata.name}/redeliver`
    expect(await organization.rest('POST', path)).toMatchObject({ status: 202 })
    const [first, second] = await receiver.awaitCalls('/gone', 2)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(conditionStatus(await callWith(organization, 'gone', 'Reconciled'), 'Stalled')).toBeUndefined()
  })

  test.each(redirects)(
    'because it is redirected with %i, counts as failed, and the redirect is not followed',
    async (status) => {
      const call = await callWith(organization, `redirect-${status}`, 'NotDelivered')
      expect(call.status?.responseStatus).toBe(status)
      expect(elsewhere.connections).toBe(0)
    },
  )
})

describe('a call that was taken', () => {
  test('is sent again, once per new text of the annotation, under the same id with a new signature', async () => {
    await callWith(organization, 'again', 'Reconciled')
    for (const text of ['one', 'one', 'two']) await redeliver('again', text)
    const calls = await receiver.awaitCalls('/again', 2)
    await callWith(organization, 'again', 'Reconciled')
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const secret = await signingSecretOf(organization, 'again-webhook-signing')
    for (const call of receiver.calls('/again')) expect(isSignedBy(secret, call)).toBe(true)
    expect(receiver.calls('/again').length).toBeLessThanOrEqual(3)
  })

  test('is accepted with any response body, also an endless one', async () => {
    const call = await callWith(organization, 'flood', 'Reconciled')
    expect(call.status?.responseStatus).toBe(200)
    expect(receiver.calls('/flood')).toHaveLength(1)
  })
})

describe('a call is not sent', () => {
  test.each(refused.map((url, index) => [url, index] as const))('that is private: %s', async (_, index) => {
    const call = await callWith(organization, `refused-${index}`, 'TargetRefused')
    expect(conditionStatus(call, 'Stalled')).toBe('True')
  })

  test.each(untrusted.map(([what, code], index) => [what, code, index] as const))(
    'where the certificate or the protocol is bad: %s (%s)',
    async (_, code, index) => {
      const call = await callWith(organization, `untrusted-${index}`, 'NotDelivered')
      expect(readyOf(call).message).toBe(`no trusted connection to 'localhost:${bad[index]?.port}': ${code}`)
      expect(bad[index]?.connections).toBeGreaterThan(0)
      expect(bad[index]?.calls()).toEqual([])
    },
  )

  test.each(injections.map(([what], index) => [what, index] as const))(
    'while the webhook tries to inject: %s',
    async (_, index) => {
      const name = `injection-${index}`
      const found = await organization.get('webhooks', name)
      expect([readyOf(found).reason, conditionStatus(found, 'Stalled')]).toEqual(['InvalidWebhook', 'True'])
      await callWith(organization, name, 'WebhookNotReady')
      expect(receiver.calls(`/${name}`)).toEqual([])
    },
  )

  test('until it is corrected, and then it is sent', async () => {
    await hook(organization, 'injection-0', {
      url: receiver.url('/corrected'),
      headers: { 'x-a': 'a' },
      triggers: created,
    })
    const [call] = await receiver.awaitCalls('/corrected', 1)
    expect(call?.headers['x-a']).toBe('a')
  })
})
