import { Resolver } from 'node:dns/promises'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import dnsPacket from 'dns-packet'
import { startFake } from './fake-cloudflare-support.ts'

let fake: Awaited<ReturnType<typeof startFake>>
const resolver = new Resolver({ tries: 1, timeout: 20_000 })

beforeAll(async () => {
  fake = await startFake()
  resolver.setServers([`127.0.0.1:${fake.dnsPort}`])
  const records: readonly Record<string, unknown>[] = [
    { type: 'A', name: 'shop', content: '192.0.2.1' },
    { type: 'A', name: 'shop', content: '192.0.2.2', ttl: 60 },
    { type: 'AAAA', name: 'shop', content: '2001:db8::1' },
    { type: 'TXT', name: 'shop', content: 'hello world' },
    { type: 'TXT', name: 'quoted', content: '"one" "two"' },
    { type: 'TXT', name: 'long', content: 'x'.repeat(1500) },
    { type: 'CNAME', name: 'alias', content: 'shop.example.test' },
    { type: 'CNAME', name: 'chain', content: 'alias.example.test' },
    { type: 'CNAME', name: 'abroad', content: 'shop.example.org' },
    { type: 'CNAME', name: 'dangling', content: 'nothing.example.test' },
    { type: 'A', name: 'proxied', content: '192.0.2.3', proxied: true },
    { type: 'A', name: '*.wild', content: '192.0.2.4' },
    { type: 'A', name: 'own.wild', content: '192.0.2.5' },
    { type: 'A', name: 'deep.in.wild', content: '192.0.2.6' },
  ]
  for (const record of records) expect((await fake.create(record)).status).toBe(200)
})
afterAll(() => fake.close())

async function resolved(name: string, type: string): Promise<unknown> {
  try {
    const found: unknown = await resolver.resolve(name, type as 'A')
    return Array.isArray(found)
      ? found.toSorted((one, other) => String(one).localeCompare(String(other)))
      : found
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('a resolver sees', () => {
  test.each<[rule: string, name: string, type: string, expected: unknown]>([
    ['all addresses of a name', 'shop.example.test', 'A', ['192.0.2.1', '192.0.2.2']],
    ['upper case is lower case', 'SHOP.Example.TEST', 'A', ['192.0.2.1', '192.0.2.2']],
    ['IPv6', 'shop.example.test', 'AAAA', ['2001:db8::1']],
    ['a text', 'shop.example.test', 'TXT', [['hello world']]],
    ['a text in pieces', 'quoted.example.test', 'TXT', [['one', 'two']]],
    ['the address of an alias', 'alias.example.test', 'A', ['192.0.2.1', '192.0.2.2']],
    ['the address of an alias of an alias', 'chain.example.test', 'A', ['192.0.2.1', '192.0.2.2']],
    ['the alias itself', 'alias.example.test', 'CNAME', ['shop.example.test']],
    ['an alias to nothing', 'dangling.example.test', 'A', 'ENOTFOUND'],
    ['an alias to another zone has no address here', 'abroad.example.test', 'A', []],
    ['the proxy for a proxied name', 'proxied.example.test', 'A', ['104.16.0.1']],
    ['the proxy by IPv6 too', 'proxied.example.test', 'AAAA', ['2606:4700::6810:1']],
    ['a wildcard', 'any.wild.example.test', 'A', ['192.0.2.4']],
    ['a wildcard several labels deep', 'a.b.wild.example.test', 'A', ['192.0.2.4']],
    ['an exact name instead of the wildcard', 'own.wild.example.test', 'A', ['192.0.2.5']],
    ['so does one above another', 'in.wild.example.test', 'A', 'ENODATA'],
    ['and no wildcard below it', 'other.in.wild.example.test', 'A', 'ENOTFOUND'],
    ['no such name', 'nothing.example.test', 'A', 'ENOTFOUND'],
    ['no such type', 'quoted.example.test', 'A', 'ENODATA'],
    ['the zone without records', 'example.test', 'A', 'ENODATA'],
    ['the name servers', 'example.test', 'NS', ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com']],
    ['another zone', 'example.org', 'A', 'EREFUSED'],
    [
      'an answer that is too long for a datagram',
      'long.example.test',
      'TXT',
      [
        [
          'x'.repeat(255),
          'x'.repeat(255),
          'x'.repeat(255),
          'x'.repeat(255),
          'x'.repeat(255),
          'x'.repeat(225),
        ],
      ],
    ],
  ])('%s: %s %s', async (_, name, type, expected) => {
    expect(await resolved(name, type)).toEqual(expected)
  })

  test('the time to live: 300 when it is automatic', async () => {
    const found = await resolver.resolve4('shop.example.test', { ttl: true })
    expect(found.toSorted((one, other) => one.ttl - other.ttl)).toEqual([
      { address: '192.0.2.2', ttl: 60 },
      { address: '192.0.2.1', ttl: 300 },
    ])
    expect(await resolver.resolveSoa('example.test')).toMatchObject({ nsname: 'ada.ns.cloudflare.com' })
  })

  test('changes at once', async () => {
    const { body } = await fake.create({ type: 'A', name: 'soon', content: '192.0.2.9' })
    expect(await resolved('soon.example.test', 'A')).toEqual(['192.0.2.9'])
    await fake.call('PATCH', `${fake.recordsPath}/${body.result.id}`, { content: '192.0.2.8' })
    expect(await resolved('soon.example.test', 'A')).toEqual(['192.0.2.8'])
    await fake.call('DELETE', `${fake.recordsPath}/${body.result.id}`)
    expect(await resolved('soon.example.test', 'A')).toBe('ENOTFOUND')
  })
})

test('over TCP several questions are answered, as the authority, with the start of authority for empty answers', async () => {
  const questions = ['shop.example.test', 'nothing.example.test', 'quoted.example.test']
  const socket = connect(fake.dnsPort, '127.0.0.1')
  const messages = questions.map((name, id) =>
    dnsPacket.streamEncode({ type: 'query', id, questions: [{ type: 'A', name }] }),
  )
  socket.write(Buffer.concat(messages))
  let bytes = Buffer.alloc(0)
  const replies: dnsPacket.DecodedPacket[] = []
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk])
    while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
      const end = 2 + bytes.readUInt16BE(0)
      replies.push(dnsPacket.decode(bytes.subarray(2, end)))
      bytes = bytes.subarray(end)
    }
    if (replies.length === questions.length) break
  }
  const shown = replies.map(({ flags = 0, answers = [], authorities = [] }) => ({
    code: flags & 0xf,
    isAuthority: (flags & dnsPacket.AUTHORITATIVE_ANSWER) !== 0,
    answers: answers.length,
    authorities: authorities.map(({ type }) => type),
  }))
  expect(shown).toEqual([
    { code: 0, isAuthority: true, answers: 2, authorities: [] },
    { code: 3, isAuthority: true, answers: 0, authorities: ['SOA'] },
    { code: 0, isAuthority: true, answers: 0, authorities: ['SOA'] },
  ])
})
