import { describe, expect, test } from '@jest/globals'
import { type Trigger, Webhook } from '../../../operator/api/webhook.ts'
import { eventTypes, type WebhookEvent } from '../../../operator/domain/deployment/events.ts'
import {
  callName,
  isOlderBySecond,
  isOlderByTime,
  isSubscribed,
  problemsOfWebhook,
  targetOf,
} from '../../../operator/domain/deployment/webhook.ts'
import { storedObject } from '../../support/builders.ts'

const url = 'hooks.example.com'

describe('addresses that are called', () => {
  test.each<[url: string, target: string]>([
    ['hooks.example.com', 'https://hooks.example.com/'],
    ['hooks.example.com/', 'https://hooks.example.com/'],
    ['hooks.example.com/path', 'https://hooks.example.com/path'],
    ['hooks.example.com/a/b?c=d&e', 'https://hooks.example.com/a/b?c=d&e'],
    ['hooks.example.com?a=b', 'https://hooks.example.com/?a=b'],
    ['hooks.example.com/?to=http://other.example/', 'https://hooks.example.com/?to=http://other.example/'],
    ['hooks.example.com/a@b', 'https://hooks.example.com/a@b'],
    ['hooks.example.com/a:b', 'https://hooks.example.com/a:b'],
    ['hooks.example.com//a', 'https://hooks.example.com//a'],
    ['hooks.example.com/%2e%2e/a%20b', 'https://hooks.example.com/a%20b'],
    ['hooks.example.com/../a', 'https://hooks.example.com/a'],
    ['HOOKS.Example.COM/Path', 'https://hooks.example.com/Path'],
    ['https://hooks.example.com/path', 'https://hooks.example.com/path'],
    ['HTTPS://hooks.example.com/path', 'https://hooks.example.com/path'],
    ['hooks.example.com:8443/path', 'https://hooks.example.com:8443/path'],
    ['hooks.example.com:443', 'https://hooks.example.com/'],
    ['https://hooks.example.com:8443', 'https://hooks.example.com:8443/'],
    ['hooks.example.com.', 'https://hooks.example.com./'],
    ['localhost:8443', 'https://localhost:8443/'],
    ['intranet/hook', 'https://intranet/hook'],
    ['under_score.example.com', 'https://under_score.example.com/'],
    ['192.0.2.1/hook', 'https://192.0.2.1/hook'],
    ['[2001:db8::1]:8443/hook', 'https://[2001:db8::1]:8443/hook'],
    ['xn--bcher-kva.example', 'https://xn--bcher-kva.example/'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['hooks.example.com/bücher', 'https://hooks.example.com/b%C3%BCcher'],
    ['hooks.example.com/日本', 'https://hooks.example.com/%E6%97%A5%E6%9C%AC'],
    // Whether such an address may be called is for the guard: it sees the same one.
    ['2130706433', 'https://127.0.0.1/'],
    ['0x7f.1', 'https://127.0.0.1/'],
    ['①②⑦.⓪.⓪.①', 'https://127.0.0.1/'],
    ['１２７.0.0.1', 'https://127.0.0.1/'],
    ['127。0。0。1', 'https://127.0.0.1/'],
    ['%31%32%37.0.0.1', 'https://127.0.0.1/'],
    ['[::ffff:127.0.0.1]', 'https://[::ffff:7f00:1]/'],
  ])('%s', (given, target) => {
    expect(problemsOfWebhook({ url: given })).toEqual([])
    expect(new URL(targetOf(given)).href).toBe(target)
  })
})

describe('addresses that are refused', () => {
  const others = 'http ftp ws wss file ssh gopher HTTP hTTp httpss https+unix a1 x-y.z'.split(' ')
  test.each([
    ...others.map((protocol) => `${protocol}://hooks.example.com/path`),
    'hooks.example.com://path',
    'http:hooks.example.com',
    'https:hooks.example.com',
    'http:/hooks.example.com',
    'https:/hooks.example.com',
    'https://https://hooks.example.com',
    'https:\\\\hooks.example.com',
    'javascript:alert(1)',
    'data:text/plain,a',
    'mailto:ann@example.com',
    '',
    'https://',
    '/',
    '//hooks.example.com',
    '/hooks.example.com',
    'https:///hooks.example.com',
    '?a=b',
    ':8443',
    'ann@hooks.example.com',
    'ann:secret@hooks.example.com',
    '@hooks.example.com',
    ':@hooks.example.com',
    'https://ann:@hooks.example.com/',
    'hooks.example.com@evil.example',
    'hooks.example.com#fragment',
    'hooks.example.com/path#',
    'hooks.example.com/?a#b',
    '#',
    'hooks.example.com\\path',
    'hooks.example.com\\@evil.example',
    'hooks.example.com/a\\b',
    ' hooks.example.com',
    'hooks.example.com ',
    'hooks.example.com/a b',
    'hooks example.com',
    'hooks.example.com\t/a',
    'hooks.exam\nple.com',
    'hooks.example.com/a\r\nHost: b',
    'hooks.example.com/\0',
    'hooks.example.com/\x7f',
    'hooks.example.com/\u00a0',
    'hooks.example.com/\u2028',
    'hooks.exam\u200bple.com',
    'hooks.exam\u00adple.com',
    'hooks.example.com/\u202egpj',
    '\ufeffhooks.example.com',
    'hooks.example.com/\ud800',
    'hooks.example.com:',
    'hooks.example.com:/path',
    'hooks.example.com:port',
    'hooks.example.com:65536',
    'hooks.example.com:-1',
    'hooks.example.com:80:80',
    '256.256.256.256',
    '1.2.3.4.5',
    '[::1',
    '[hooks.example.com]',
    '[fe80::1%eth0]',
    'hooks.exa<mple.com',
    'hooks.exa|mple.com',
    'hooks.exa%20mple.com',
    'hooks.example.com%2fpath',
  ])('%j', (given) => {
    expect(problemsOfWebhook({ url: given })).toEqual([expect.stringMatching(/^url: /)])
  })
})

describe('a webhook is refused', () => {
  const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) })
  const veryDeep = JSON.parse(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)
  const places = (count: number) => ({ text: '${comment}'.repeat(count) })

  test.each<[rule: string, field: string, spec: Partial<Webhook['spec']>]>([
    ['a header that frames the message', 'headers', { headers: { Host: 'a' } }],
    ['a header of the signature', 'headers', { headers: { 'Webhook-Id': 'mine' } }],
    ['a header with a line break', 'headers', { headers: { a: 'secret\r\nb: c' } }],
    ['a payload that is nested too deeply', 'payload', { payload: deep(33) }],
    ['a payload with too many levels', 'payload', { payload: veryDeep }],
    ['a payload that is too long', 'payload', { payload: { text: 'x'.repeat(65_536) } }],
    ['a payload with too many variables', 'payload', { payload: places(257) }],
    ['an event that does not exist', 'triggers', { triggers: [{ scope: 'environment', type: 'started' }] }],
  ])('for %s', (_, field, spec) => {
    const faults = problemsOfWebhook({ url, ...spec })
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${field}: `))])
    expect(faults.join()).not.toContain('secret')
  })

  test('for everything at once', () => {
    const triggers = [{ scope: 'deployment', type: 'created' }] as const
    const faults = problemsOfWebhook({
      url: 'http://a',
      headers: { te: '' },
      payload: { text: 'x'.repeat(1_100_000) },
      triggers: [...triggers],
    })
    expect(faults.map((each) => each.split(':')[0])).toEqual(['url', 'headers', 'payload', 'triggers'])
  })

  test.each<[rule: string, spec: Partial<Webhook['spec']>]>([
    ['no payload', {}],
    ['null for a payload', { payload: null }],
    ['an empty payload', { payload: {} }],
    ['a payload that is nested deeply', { payload: deep(32) }],
    ['a payload with many variables', { payload: places(256) }],
    ['no triggers', { triggers: [] }],
    ['all triggers', { triggers: eventTypes.map(({ scope, type }) => ({ scope, type })) }],
  ])('but not for %s', (_, spec) => {
    expect(problemsOfWebhook({ url, ...spec })).toEqual([])
  })
})

const at = '2026-01-01T10:00:00.000Z'
const second = '2026-01-01T10:00:00Z'
const occurrence: WebhookEvent = {
  scope: 'deployment',
  type: 'finished',
  id: 'event-1',
  applicationName: 'shop',
  at,
  variables: {},
}

function webhook(spec: Partial<Webhook['spec']> = {}, metadata: Partial<Webhook['metadata']> = {}): Webhook {
  const own = { namespace: 'acme', name: 'hook', uid: 'uid', creationTimestamp: second, ...metadata }
  return storedObject(Webhook, own, { applicationName: 'shop', url, ...spec })
}

describe('a webhook receives an event', () => {
  const finished: Trigger = { scope: 'deployment', type: 'finished' }
  const started: Trigger = { scope: 'deployment', type: 'started' }
  const created: Trigger = { scope: 'environment', type: 'created' }

  test.each<[rule: string, webhook: Webhook, event: Partial<WebhookEvent>, isReceived: boolean]>([
    ['of everything when it has no triggers', webhook(), {}, true],
    ['of everything when it has an empty list of them', webhook({ triggers: [] }), {}, true],
    ['of an event that it asks for', webhook({ triggers: [finished] }), {}, true],
    ['of an event that is one of those', webhook({ triggers: [created, finished] }), {}, true],
    ['not of another', webhook({ triggers: [started, created] }), {}, false],
    [
      'not with the matching type alone',
      webhook({ triggers: [{ scope: 'environment', type: 'finished' }] }),
      {},
      false,
    ],
    ['not of another application', webhook({ applicationName: 'other' }), {}, false],
    ['not of an application with a longer name', webhook(), { applicationName: 'shops' }, false],
    ['not while it is disabled', webhook({ disabled: true }), {}, false],
    ['when it is expressly enabled', webhook({ disabled: false }), {}, true],
    ['not when it is being deleted', webhook({}, { deletionTimestamp: second }), {}, false],
  ])('%s', (_, reported, changes, isReceived) => {
    expect(isSubscribed(reported, { ...occurrence, ...changes })).toBe(isReceived)
  })
})

describe('a webhook and an event', () => {
  test.each<[rule: string, at: string, byTime: boolean | undefined, bySecond: boolean]>([
    ['that happened long after its creation: it is older', '2027-01-01T00:00:00.000Z', true, true],
    ['that happened long before it: it is younger', '2025-12-31T23:59:59.000Z', false, false],
    ['within a minute after it: clocks differ', '2026-01-01T10:00:59.000Z', undefined, true],
    ['within a minute before it: clocks differ', '2026-01-01T09:59:59.999Z', undefined, false],
    [
      'in the second of its creation: a false call is better than a missed one',
      '2026-01-01T10:00:00.000Z',
      undefined,
      true,
    ],
  ])('%s', (_, at, byTime, bySecond) => {
    const creation: WebhookEvent = { ...occurrence, scope: 'environment', type: 'created', at }
    expect(isOlderByTime(webhook(), { metadata: { creationTimestamp: at } }, creation)).toBe(byTime)
    expect(isOlderBySecond(webhook(), creation)).toBe(bySecond)
  })

  test.each<[rule: string, created: string, at: string, byTime: boolean | undefined]>([
    ['of a later deployment: it is older', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z', true],
    [
      'of a later deployment, by a clock that is behind',
      '2027-01-01T00:00:00Z',
      '2025-12-31T23:59:59Z',
      true,
    ],
    [
      'of an earlier deployment, after its creation',
      '2025-12-31T23:00:00Z',
      '2027-01-01T00:00:00Z',
      undefined,
    ],
    [
      'of an earlier deployment, before its creation',
      '2025-12-31T23:00:00Z',
      '2025-12-31T23:59:59Z',
      undefined,
    ],
  ])('%s', (_, creationTimestamp, at, byTime) => {
    expect(isOlderByTime(webhook(), { metadata: { creationTimestamp } }, { ...occurrence, at })).toBe(byTime)
  })
})

describe('the name of a call', () => {
  test('begins with that of its webhook, and is always the same', () => {
    expect(callName(webhook(), occurrence)).toMatch(/^hook\.[0-9a-f]{16}$/)
    expect(callName(webhook({ disabled: true }), { id: 'event-1' })).toBe(callName(webhook(), occurrence))
  })

  test.each([
    ['the longest', 'w'.repeat(253)],
    ['that has a hyphen or a dot at the cut', `${'w'.repeat(234)}.-${'w'.repeat(17)}`],
  ])('is a valid object name for a webhook with a name %s', (_, name) => {
    const found = callName(webhook({}, { name }), occurrence)
    expect(found.length).toBeLessThanOrEqual(253)
    expect(found).toMatch(/^w+\.[0-9a-f]{16}$/)
  })

  test('differs for another event, and for a new webhook of the same name', () => {
    const names = [
      callName(webhook(), { id: 'event-1' }),
      callName(webhook(), { id: 'event-2' }),
      callName(webhook({}, { uid: 'other' }), { id: 'event-1' }),
    ]
    expect(new Set(names).size).toBe(3)
  })
})
