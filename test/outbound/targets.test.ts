import { afterEach, describe, expect, test } from '@jest/globals'
import { TargetRefused } from '../../operator/outbound/errors.ts'
import { rangeAround } from '../../operator/outbound/ranges.ts'
import { createTargetRules, portOf } from '../../operator/outbound/target.ts'
import { canary, closeAll, get, guard, resolver, serve } from './support/servers.ts'
import { hostileUrls, publicAddresses, refusedAddresses, refusedAddresses6 } from './support/urls.ts'

afterEach(closeAll)

const loopback = ['127.0.0.0/8']

test('no spelling of an address that is not public leads to a connection', async () => {
  const first = await canary()
  const second = await canary('::1', first.port)
  const outbound = guard({ lookup: resolver(['127.0.0.1', '::1']) })
  const urls = hostileUrls(first.port)
  expect(urls.length).toBeGreaterThan(300)
  const wrong: string[] = []
  for (const url of urls) {
    const outcome = await outbound.request(get(url)).then(
      ({ status }) => status,
      (error: unknown) => error,
    )
    if (!(outcome instanceof TargetRefused)) wrong.push(`${url} ${String(outcome)}`)
  }
  expect(wrong).toEqual([])
  expect([first.connections(), second.connections()]).toEqual([0, 0])
})

test.each(['localhost', 'localhost.', 'LocalHost', '127.0.0.1', '[::1]', '0', '127.1'])(
  'this host is out of reach with the resolver of the system too: %s',
  async (host) => {
    const { port, connections } = await canary()
    await expect(guard().request(get(`http://${host}:${port}/`))).rejects.toThrow()
    expect(connections()).toBe(0)
  },
)

test('a public address is outside of the refused ranges, and every other is inside', () => {
  expect(publicAddresses.filter((address) => rangeAround(address))).toEqual([])
  const refused = [
    ...refusedAddresses,
    ...refusedAddresses6,
    'fe80::1%eth0',
    '2a00::1%eth0',
    'no address',
    '',
  ]
  expect(refused.filter((address) => !rangeAround(address))).toEqual([])
})

describe('names', () => {
  test('each connection uses the checked address, in spite of later changes of the name', async () => {
    const reached = await serve(
      (_, response) => {
        response.setHeader('connection', 'close').end('public')
      },
      undefined,
      '127.0.0.2',
    )
    const rebound = await canary('127.0.0.1', reached.port)
    const lookup = resolver(['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1'])
    const outbound = guard({ allowed: ['127.0.0.2/32'], lookup })
    const outcomes: string[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const answer = outbound.request(get(`http://turning.test:${reached.port}/`))
      outcomes.push(
        await answer.then(
          ({ text }) => text,
          (error: Error) => error.name,
        ),
      )
    }
    expect(outcomes).toEqual(['public', 'TargetRefused', 'public', 'TargetRefused'])
    expect(lookup.asked).toHaveLength(4)
    expect(rebound.connections()).toBe(0)
  })

  test('one refused address among others refuses the name', async () => {
    const { port, connections } = await canary('127.0.0.2')
    const outbound = guard({ allowed: ['127.0.0.2'], lookup: resolver(['127.0.0.2', '10.0.0.1']) })
    await expect(outbound.request(get(`http://both.test:${port}/`))).rejects.toThrow(TargetRefused)
    expect(connections()).toBe(0)
  })

  test('a name without addresses is refused', async () => {
    await expect(guard({ lookup: resolver([]) }).request(get('http://none.test/'))).rejects.toThrow(
      TargetRefused,
    )
  })

  test('an unknown name is no answer', async () => {
    const lookup = (_: string, __: object, answer: (error: Error, addresses: []) => void) =>
      answer(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), [])
    await expect(guard({ lookup }).request(get('http://unknown.test/'))).rejects.toMatchObject({
      code: 'Connection',
    })
  })
})

describe('exceptions', () => {
  test.each<[rule: string, allowed: string[], url: string, address: string, isAllowed: boolean]>([
    ['a range lets its addresses through', loopback, 'http://127.0.0.1/', '', true],
    ['a range lets names through that resolve into it', loopback, 'http://a.test/', '127.9.9.9', true],
    ['a range lets nothing else through', loopback, 'http://a.test/', '10.0.0.1', false],
    ['an IPv6 range', ['::1/128'], 'http://[::1]/', '', true],
    ['an IPv6 range lets no IPv4 address through', ['::/0'], 'http://10.0.0.1/', '', false],
    ['an IPv4 range lets no IPv6 address through', ['0.0.0.0/0'], 'http://[::ffff:10.0.0.1]/', '', false],
    ['an address alone', ['10.0.0.1'], 'http://10.0.0.1/', '', true],
    ['an address alone lets no other through', ['10.0.0.1'], 'http://10.0.0.2/', '', false],
    [
      'a name lets its private addresses through',
      ['driver.ns.svc'],
      'http://driver.ns.svc/',
      '10.0.0.1',
      true,
    ],
    ['a name in capitals with a last dot', ['Driver.ns.svc.'], 'http://DRIVER.ns.svc/', '10.0.0.1', true],
    ['the last dot of a host', ['driver.ns.svc'], 'http://driver.ns.svc./', '10.0.0.1', true],
    ['a name lets no other name through', ['driver.ns.svc'], 'http://other.ns.svc/', '10.0.0.1', false],
    ['a name lets no longer name through', ['driver.ns.svc'], 'http://a.driver.ns.svc/', '10.0.0.1', false],
    ['the end of a name', ['*.svc'], 'http://driver.ns.svc/', '10.0.0.1', true],
    ['the end of a name is not the whole', ['*.svc'], 'http://svc/', '10.0.0.1', false],
    ['the end of a name begins at a dot', ['*.svc'], 'http://evil-svc/', '10.0.0.1', false],
    ['a name lets no link-local address through', ['a.test'], 'http://a.test/', '169.254.1.1', false],
    ['a name lets no metadata service through', ['a.test'], 'http://a.test/', '169.254.169.254', false],
    ['a name lets no metadata service of IPv6 through', ['a.test'], 'http://a.test/', 'fd00:ec2::254', false],
    [
      'a name lets no metadata service of a range through',
      ['a.test'],
      'http://a.test/',
      '100.100.100.200',
      false,
    ],
    ['a range lets a metadata service through', ['169.254.169.254'], 'http://169.254.169.254/', '', true],
    ['a name with a port', ['a.test:8080'], 'http://a.test:8080/', '10.0.0.1', true],
    ['a name with a port lets no other port through', ['a.test:8080'], 'http://a.test/', '10.0.0.1', false],
    ['a name with the port of the scheme', ['a.test:80'], 'http://a.test/', '10.0.0.1', true],
    ['the end of a name with a port', ['*.test:443'], 'https://a.test/', '10.0.0.1', true],
  ])('%s', (_, allowed, text, address, isAllowed) => {
    const rules = createTargetRules(allowed)
    const judge = () => {
      const url = rules.check(text, ['http:', 'https:'])
      if (address !== '') rules.checkAddresses(url.hostname, portOf(url), [address])
    }
    if (isAllowed) judge()
    else expect(judge).toThrow(TargetRefused)
  })

  test.each([
    '',
    '*',
    '*.',
    '.',
    '*svc',
    '.svc',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.256',
    '10.1',
    '0x7f.1',
    'a b',
    'http://a',
    'a.test:port',
    '10.0.0.1:80',
  ])("'%s' is not an exception, and nothing starts with it", (text) => {
    expect(() => createTargetRules([text])).toThrow('is not a target')
  })

  test.each([
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:0:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1:a9:fe:a9fe::',
    '64:ff9b:1:0:a9:fea9:fe00:0',
    '2002:a9fe:a9fe::1',
    '::ffff:168.63.129.16',
    '::ffff:169.254.1.1',
    'fe80::1%eth0',
  ])('a name lets no metadata service and no link-local address through in a form of IPv6: %s', (address) => {
    const rules = createTargetRules(['a.test'])
    expect(() => rules.checkAddresses('a.test', '80', [address])).toThrow(TargetRefused)
  })

  test.each(['64:ff9b::808:808', '64:ff9b::a00:1', '::ffff:10.0.0.1', '::1', 'fd00::1'])(
    'a name lets any other address through in a form of IPv6, as from DNS64: %s',
    (address) => {
      const rules = createTargetRules(['a.test'])
      expect(() => rules.checkAddresses('a.test', '80', [address])).not.toThrow()
    },
  )
})

describe('URLs', () => {
  test.each<[rule: string, url: string, protocols: string[], isAllowed: boolean]>([
    ['a call is over HTTPS when nothing else is said', 'http://8.8.8.8/', ['https:'], false],
    ['a call may be over HTTP where the caller says so', 'http://8.8.8.8/', ['http:', 'https:'], true],
    ['a user name is refused', 'https://user@8.8.8.8/', ['https:'], false],
    ['a password is refused', 'https://:word@8.8.8.8/', ['https:'], false],
  ])('%s', (_, url, protocols, isAllowed) => {
    const judge = () => createTargetRules(['0.0.0.0/0']).check(url, protocols)
    if (isAllowed) judge()
    else expect(judge).toThrow(TargetRefused)
  })

  test('a refusal has the host and the range, and neither path, query nor the resolved address', () => {
    const rules = createTargetRules([])
    const refusal = catchOf(() => rules.checkAddresses('db.test', '80', ['10.1.2.3']))
    expect(refusal.message).toContain('db.test')
    expect(refusal.message).toContain('10.0.0.0/8')
    expect(refusal.message).not.toContain('10.1.2.3')
    const userinfo = catchOf(() => rules.check('https://me:hunter2@a.test/path?token=x', ['https:']))
    expect(userinfo.message).not.toMatch(/hunter2|token|path/)
  })
})

function catchOf(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing was thrown')
}
