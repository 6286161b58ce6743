import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { BaseRecords } from 'cloudflare/resources/dns/records'
import { createClient } from 'cloudflare/tree-shakable'
import { codesOf, startFake } from './fake-cloudflare-support.ts'

let fake: Awaited<ReturnType<typeof startFake>>

beforeAll(async () => {
  fake = await startFake()
})
afterAll(() => fake.close())
beforeEach(async () => {
  await fake.control('POST', '/__reset')
})

const other = 'another-token-0123456789-0123456789-0123'
const unknownId = '0'.repeat(32)

describe('the SDK works with it', () => {
  const sdk = () => {
    const options = {
      apiToken: fake.token,
      apiKey: null,
      apiEmail: null,
      userServiceKey: null,
      maxRetries: 0,
    }
    return createClient({ resources: [BaseRecords], baseURL: `${fake.url}/client/v4`, ...options }).dns
      .records
  }

  test('a record is made, read, edited, overwritten and deleted', async () => {
    const zone = { zone_id: fake.zoneId }
    const made = await sdk().create({
      ...zone,
      type: 'A',
      name: 'Shop',
      content: '192.0.2.1',
      ttl: 60,
      comment: 'ours',
    })
    expect(made).toMatchObject({
      name: 'shop.example.test',
      ttl: 60,
      comment: 'ours',
      proxied: false,
      tags: [],
    })
    expect(made.id).toMatch(/^[0-9a-f]{32}$/)
    expect(await sdk().get(made.id, zone)).toEqual(made)

    const name = 'shop.example.test'
    const edited = await sdk().edit(made.id, { ...zone, type: 'A', name, content: '192.0.2.2', ttl: 60 })
    expect(edited).toMatchObject({ id: made.id, content: '192.0.2.2', comment: 'ours' })

    const put = await sdk().update(made.id, { ...zone, type: 'CNAME', name, content: 'example.org', ttl: 1 })
    expect(put).toMatchObject({ id: made.id, type: 'CNAME', content: 'example.org', comment: null })

    expect(await sdk().delete(made.id, zone)).toEqual({ id: made.id })
    await expect(sdk().get(made.id, zone)).rejects.toMatchObject({ status: 404, errors: [{ code: 81044 }] })
  })

  test('lists go on page by page', async () => {
    for (const name of ['a', 'b', 'c']) await fake.create({ type: 'A', name, content: '192.0.2.1' })
    const names: string[] = []
    for await (const { name } of sdk().list({ zone_id: fake.zoneId, per_page: 2 })) names.push(name)
    expect(names).toEqual(['a.example.test', 'b.example.test', 'c.example.test'])
  })

  test('a batch deletes, patches, overwrites and creates in this order', async () => {
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      ids.push((await fake.create({ type: 'A', name, content: '192.0.2.1' })).body.result.id)
    }
    const [a = '', b = '', c = ''] = ids
    const done = await sdk().batch({
      zone_id: fake.zoneId,
      posts: [{ type: 'A', name: 'a', content: '192.0.2.1', ttl: 1 }],
      puts: [{ id: c, type: 'TXT', name: 'c', content: 'text', ttl: 1 }],
      patches: [{ id: b, type: 'A', name: 'b.example.test', content: '192.0.2.9', ttl: 1 }],
      deletes: [{ id: a }],
    })
    expect(done.deletes).toMatchObject([{ id: a }])
    expect(done.patches).toMatchObject([{ id: b, content: '192.0.2.9' }])
    expect(done.puts).toMatchObject([{ id: c, type: 'TXT' }])
    expect(done.posts).toMatchObject([{ name: 'a.example.test' }])
    expect(fake.records()).toHaveLength(3)
  })

  test('an identical record is refused', async () => {
    const record = { zone_id: fake.zoneId, type: 'A', name: 'twice', content: '192.0.2.1', ttl: 1 } as const
    await sdk().create(record)
    await expect(sdk().create(record)).rejects.toMatchObject({ status: 400, errors: [{ code: 81058 }] })
  })
})

describe('records that Cloudflare refuses', () => {
  test.each<[rule: string, fields: Record<string, unknown>, code: string]>([
    ['a time to live below 60', { ttl: 30 }, '1004/9021'],
    ['a time to live above 86400', { ttl: 86_401 }, '1004/9021'],
    ['a time to live that is no number', { ttl: '60' }, '1004/9022'],
    ['an invalid address', { content: 'example.org' }, '1004/9005'],
    ['an invalid IPv6 address', { type: 'AAAA' }, '1004/9006'],
    ['an alias to an address', { type: 'CNAME' }, '1004/9007'],
    ['an alias to itself', { type: 'CNAME', content: 'a.example.test' }, '1004/9039'],
    ['a text that is proxied', { type: 'TXT', content: 'text', proxied: true }, '1004/9041'],
    ['a name with a space', { name: 'a b' }, '1004/9000'],
    ['a comment of 101 characters', { comment: 'x'.repeat(101) }, '9313'],
    ['a tag', { tags: ['owner:me'] }, '1004/9300'],
    ['an address beside an alias', { name: 'alias' }, '81054'],
    ['an alias beside an address', { type: 'CNAME', name: 'address', content: 'example.org' }, '81053'],
    ['a second alias', { type: 'CNAME', name: 'alias', content: 'example.com' }, '81053'],
    ['an identical text', { type: 'TXT', name: 'text', content: 'text' }, '81058'],
  ])('%s', async (_, fields, code) => {
    await fake.create({ type: 'CNAME', name: 'alias', content: 'example.org' })
    await fake.create({ type: 'A', name: 'address', content: '192.0.2.1' })
    await fake.create({ type: 'TXT', name: 'text', content: 'text' })
    const answer = await fake.create({ type: 'A', name: 'a', content: '192.0.2.1', ...fields })
    expect([answer.status, codesOf(answer)]).toEqual([400, [code]])
    expect(answer.body).toMatchObject({ result: null, success: false, messages: [] })
    expect(fake.records()).toHaveLength(3)
  })

  test.each<[rule: string, fields: Record<string, unknown>, expected: Record<string, unknown>]>([
    [
      'a name outside the zone gets the zone as suffix',
      { name: 'a.example.org' },
      { name: 'a.example.org.example.test' },
    ],
    ['@ is the zone', { name: '@' }, { name: 'example.test' }],
    ['a second address for a name', { name: 'one', content: '192.0.2.2' }, { content: '192.0.2.2' }],
    ['a text beside an alias', { type: 'TXT', name: 'alias', content: 'text' }, { proxiable: false }],
    ['a comment of 100 characters', { comment: 'x'.repeat(100) }, { comment: 'x'.repeat(100) }],
    [
      'the time to live of a proxied record is automatic',
      { proxied: true, ttl: 600 },
      { proxied: true, ttl: 1 },
    ],
    ['IPv6 in its short form', { type: 'AAAA', content: '2001:DB8:0::1' }, { content: '2001:db8::1' }],
  ])('but not: %s', async (_, fields, expected) => {
    await fake.create({ type: 'A', name: 'one', content: '192.0.2.1' })
    await fake.create({ type: 'CNAME', name: 'alias', content: 'example.org' })
    const answer = await fake.create({ type: 'A', name: 'a', content: '192.0.2.1', ...fields })
    expect(answer.status).toBe(200)
    expect(answer.body.result).toMatchObject(expected)
  })

  test('one bad operation fails the whole batch', async () => {
    const { body } = await fake.create({ type: 'A', name: 'a', content: '192.0.2.1' })
    const answer = await fake.call('POST', `${fake.recordsPath}/batch`, {
      deletes: [{ id: body.result.id }],
      posts: [
        { type: 'A', name: 'b', content: '192.0.2.1' },
        { type: 'A', name: 'c', content: 'nonsense' },
      ],
    })
    expect([answer.status, codesOf(answer)]).toEqual([400, ['1004/9005']])
    expect(fake.records().map(({ id }) => id)).toEqual([body.result.id])
    expect(fake.calls().at(-1)).toMatchObject({ status: 400, committed: false })
  })

  test('a batch has at most 200 operations', async () => {
    const posts = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: 'A', name: `n${index}`, content: '192.0.2.1' }))
    const path = `${fake.recordsPath}/batch`
    expect((await fake.call('POST', path, { posts: posts(201) })).status).toBe(400)
    expect((await fake.call('POST', path, { posts: posts(200) })).status).toBe(200)
    expect(fake.records()).toHaveLength(200)
  })

  test('a body that is no JSON', async () => {
    expect(codesOf(await fake.call('POST', fake.recordsPath, '{'))).toEqual(['9207'])
  })
})

describe('lists', () => {
  beforeEach(async () => {
    await fake.create({ type: 'A', name: 'shop', content: '192.0.2.1', comment: 'Ours: 1' })
    await fake.create({ type: 'A', name: 'shop', content: '192.0.2.2' })
    await fake.create({ type: 'TXT', name: 'shop', content: 'text', comment: 'theirs' })
    await fake.create({ type: 'CNAME', name: 'web-shop', content: 'shop.example.test' })
  })

  test.each<[query: string, contents: readonly string[]]>([
    ['name=shop.example.test&type=A', ['192.0.2.1', '192.0.2.2']],
    ['name.exact=SHOP.example.test&type=TXT', ['text']],
    ['name.contains=-sh', ['shop.example.test']],
    ['name.startswith=web', ['shop.example.test']],
    ['name.endswith=web', []],
    ['content.exact=192.0.2.2', ['192.0.2.2']],
    ['content=text', ['text']],
    ['comment.startswith=ours:', ['192.0.2.1']],
    ['comment.contains=theirs', ['text']],
    ['comment.exact=ours: 1', ['192.0.2.1']],
    ['comment.present=&order=content', ['192.0.2.1', 'text']],
    ['comment.absent=&order=content', ['192.0.2.2', 'shop.example.test']],
    ['match=any&type=TXT&content=192.0.2.2&order=content&direction=desc', ['text', '192.0.2.2']],
    ['order=type&per_page=1&page=3', ['shop.example.test']],
  ])('%s', async (query, contents) => {
    const { body } = await fake.call('GET', `${fake.recordsPath}?${query}`)
    const found = body.result.map(({ content }: { content: string }) => content)
    expect(query.includes('order') ? found : found.toSorted()).toEqual(contents)
  })

  test('have the total', async () => {
    const { body } = await fake.call('GET', `${fake.recordsPath}?per_page=3&page=2`)
    expect(body.result_info).toEqual({ page: 2, per_page: 3, count: 1, total_count: 4, total_pages: 2 })
  })

  test('show an earlier state when they are late, while all else is up to date', async () => {
    let now = 1_800_000_000_000
    const fake = await startFake({ clock: () => now })
    await fake.control('POST', '/__misbehave', { listingDelayMs: 300 })
    const { body } = await fake.create({ type: 'A', name: 'late', content: '192.0.2.1' })
    const path = `${fake.recordsPath}?name=late.example.test`
    expect((await fake.call('GET', path)).body.result).toEqual([])
    expect((await fake.call('GET', `${fake.recordsPath}/${body.result.id}`)).status).toBe(200)
    expect(codesOf(await fake.create({ type: 'A', name: 'late', content: '192.0.2.1' }))).toEqual(['81058'])
    now += 350
    expect((await fake.call('GET', path)).body.result).toHaveLength(1)
    await fake.call('DELETE', `${fake.recordsPath}/${body.result.id}`)
    expect((await fake.call('GET', path)).body.result).toHaveLength(1)
    await fake.control('DELETE', '/__misbehave')
    expect((await fake.call('GET', path)).body.result).toEqual([])
    await fake.close()
  })
})

describe('tokens', () => {
  test.each<[rule: string, path: string, token: string, status: number, codes: readonly string[]]>([
    ['none', '/zones', '', 400, ['9106']],
    ['a malformed one', '/zones', 'short', 400, ['6003/6111']],
    ['a malformed one is not verified', '/user/tokens/verify', 'short', 400, ['6003/6111']],
    ['an unknown one', '/zones', 'x'.repeat(40), 403, ['9109']],
    ['an unknown one is not verified', '/user/tokens/verify', 'x'.repeat(40), 401, ['1000']],
    ['one for another zone', 'ZONE', other, 403, ['10000']],
    ['one for another zone at the records', 'ZONE/dns_records', other, 403, ['10000']],
  ])('%s', async (_, path, token, status, codes) => {
    await fake.control('POST', '/__tokens', { name: 'other', value: other, zones: [unknownId] })
    const answer = await fake.call('GET', path.replace('ZONE', `/zones/${fake.zoneId}`), undefined, token)
    expect([answer.status, codesOf(answer)]).toEqual([status, codes])
  })

  test('one that may only read does not write', async () => {
    await fake.control('POST', '/__tokens', {
      name: 'other',
      value: other,
      zones: [fake.zoneId],
      rights: ['read'],
    })
    expect((await fake.call('GET', fake.recordsPath, undefined, other)).status).toBe(200)
    const answer = await fake.call('POST', fake.recordsPath, { type: 'A' }, other)
    expect([answer.status, codesOf(answer)]).toEqual([403, ['10000']])
  })

  test('a disabled one is shown as such and may nothing, a removed one is unknown', async () => {
    await fake.control('POST', '/__tokens', { name: 'other', value: other, status: 'disabled' })
    const verified = await fake.call('GET', '/user/tokens/verify', undefined, other)
    expect([verified.status, verified.body.result.status]).toEqual([200, 'disabled'])
    expect(codesOf(await fake.call('GET', '/zones', undefined, other))).toEqual(['9109'])
    await fake.control('DELETE', '/__tokens/other')
    expect((await fake.call('GET', '/user/tokens/verify', undefined, other)).status).toBe(401)
    expect((await fake.control('GET', '/__tokens')).body).toEqual([
      { name: 'main', rights: ['read', 'edit'], status: 'active' },
    ])
  })

  test('a good one is verified', async () => {
    const { body } = await fake.call('GET', '/user/tokens/verify')
    expect(body).toMatchObject({ success: true, result: { status: 'active' } })
  })
})

describe('zones', () => {
  test('are listed by name to those who may see them', async () => {
    const { body: added } = await fake.control('POST', '/__zones', { name: 'example.org' })
    const { body } = await fake.call('GET', '/zones?name=example.org')
    expect(body.result).toMatchObject([{ id: added.id, name: 'example.org', status: 'active' }])
    expect((await fake.call('GET', `/zones/${added.id}`)).body.result).toMatchObject({ id: added.id })
    await fake.control('POST', '/__tokens', { name: 'other', value: other, zones: [fake.zoneId] })
    expect((await fake.call('GET', '/zones', undefined, other)).body.result_info.total_count).toBe(1)
  })

  test('have internationalized names in Unicode', async () => {
    const { body: added } = await fake.control('POST', '/__zones', { name: 'xn--mnchen-3ya.test' })
    const { body } = await fake.call('GET', `/zones/${added.id}`)
    expect(body.result).toMatchObject({ name: 'münchen.test' })
  })

  test.each<[rule: string, path: string, status: number]>([
    ['an invalid identifier', '/zones/nonsense/dns_records', 400],
    ['an identifier of no zone', `/zones/${unknownId}/dns_records`, 404],
    ['a path that leads nowhere', '/nonsense', 404],
  ])('%s', async (_, path, status) => {
    const answer = await fake.call('GET', path)
    expect([answer.status, codesOf(answer)]).toEqual([status, ['7003', '7000']])
  })

  test('the prefix of the path may be left out', async () => {
    const answer = await fetch(`${fake.url}/zones`, { headers: { authorization: `Bearer ${fake.token}` } })
    expect(answer.status).toBe(200)
  })
})
