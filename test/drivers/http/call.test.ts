import { describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { Cookie } from '../../../operator/drivers/driver.ts'
import { createAnswerHold } from '../../../operator/outbound/answer-hold.ts'
import { failureOf, openBench, setCookie } from '../support/http-driver.ts'
import type { Misbehaviour } from '../support/http-driver-server.ts'

const bench = openBench()
const id = 'a'.repeat(40)

describe('the request to a driver', () => {
  test('PUT to the GUResID below the target, with type, parameters, inputs, secrets and account', async () => {
    await bench.driver().provision(
      bench.provisionOf({
        params: { size: 3 },
        values: { region: 'eu' },
        secrets: { token: 't' },
        account: { aws_access_key_id: 'k' },
      }),
    )
    const [entry] = bench.server.journal
    expect(entry).toMatchObject({
      method: 'PUT',
      url: `/driver/${id}`,
      headers: { 'content-type': 'application/json' },
    })
    expect(JSON.parse(entry?.body ?? '')).toEqual({
      type: 's3',
      resource: { size: 3 },
      driver: { values: { region: 'eu' }, secrets: { token: 't', account: { aws_access_key_id: 'k' } } },
    })
  })

  test('omitted values are empty, and a missing account is left out', async () => {
    await bench.driver().provision(bench.provisionOf())
    expect(JSON.parse(bench.server.journal[0]?.body ?? '')).toEqual({
      type: 's3',
      resource: {},
      driver: { values: {}, secrets: {} },
    })
  })

  test.each([
    ['a slash at the end of the target counts for nothing', '/', `/driver/${id}`],
    ['a query of the target stays', '?tenant=a', `/driver/${id}?tenant=a`],
    ['a fragment is removed', '#here', `/driver/${id}`],
  ])('%s', async (_, ending, url) => {
    await bench.driver(`${bench.server.target}${ending}`).provision(bench.provisionOf())
    expect(bench.server.journal[0]?.url).toBe(url)
  })

  test('DELETE without a body', async () => {
    await bench.driver().provision(bench.provisionOf())
    await bench.driver().deprovision(bench.deprovisionOf())
    expect(bench.server.journal[1]).toMatchObject({ method: 'DELETE', url: `/driver/${id}`, body: '' })
    expect(bench.server.journal[1]?.headers).not.toHaveProperty('content-type')
    expect(bench.server.existing.size).toBe(0)
  })
})

describe('large answers', () => {
  const large = { status: 200, body: { resource: { values: { text: 'x'.repeat(70_000) } } } }

  test('are kept until the results are no longer needed', async () => {
    const holds = Array.from({ length: 5 }, () => createAnswerHold(new AbortController().signal))
    bench.server.next.push(...holds.map(() => large))
    const driver = bench.driver()
    const log: number[] = []
    const calls = holds.map((hold) =>
      driver.provision(bench.provisionOf({ hold, cookie: undefined })).then(() => log.push(1)),
    )
    await eventually('four of them', 10_000, async () => log.length === 4 || undefined)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(log.length).toBe(4)
    for (const hold of holds) hold.end()
    await Promise.all(calls)
  })

  test('of a busy or refusing driver are not', async () => {
    const hold = createAnswerHold(new AbortController().signal)
    const busy = Array.from({ length: 6 }, () => ({ ...large, status: 202 }))
    bench.server.next.push(...busy, { ...large, status: 400 })
    await failureOf(bench.driver().provision(bench.provisionOf({ hold })))
    expect(bench.server.journal).toHaveLength(7)
  })

  test('that arrive after the deadline are not', () => {
    const log: string[] = []
    createAnswerHold(AbortSignal.abort()).keep(() => log.push('left'))
    expect(log).toEqual(['left'])
  })
})

describe('the cookie', () => {
  test('is sent with every later call, and deleted with the resource', async () => {
    await bench.driver().provision(bench.provisionOf())
    await bench.driver().provision(bench.provisionOf())
    await bench.driver().deprovision(bench.deprovisionOf())
    const sent = bench.server.journal.map(({ headers }) => headers['humanitec-driver-cookie'])
    expect(sent).toEqual([undefined, 'made-aaaa', 'made-aaaa'])
    expect(bench.cookie.text).toBeUndefined()
  })

  test('is written only when it changes', async () => {
    for (let turn = 0; turn < 3; turn += 1) await bench.driver().provision(bench.provisionOf())
    expect(bench.cookie.writes).toEqual(['made-aaaa'])
  })

  const hanging: [string, Misbehaviour, string][] = [
    ['a refusal', { status: 400, headers: { [setCookie]: 'new' } }, 'new'],
    ['a failure', { status: 500, headers: { [setCookie]: 'new' } }, 'new'],
    ['an answer that cannot be read', { status: 200, body: '{', headers: { [setCookie]: 'new' } }, 'new'],
    ['an answer without end', 'endless', 'endless'],
  ]
  test.each(hanging)('is kept from %s', async (_, answer, kept) => {
    bench.server.next.push(answer)
    await failureOf(bench.driver().provision(bench.provisionOf()))
    expect(bench.cookie.text).toBe(kept)
  })

  test('changes from poll to poll, and is sent with the next one', async () => {
    bench.server.next.push(
      { status: 202, headers: { [setCookie]: 'one' } },
      { status: 202, headers: { [setCookie]: 'two' } },
      { status: 202 },
    )
    await bench.driver().provision(bench.provisionOf())
    const sent = bench.server.journal.map(({ headers }) => headers['humanitec-driver-cookie'])
    expect(sent).toEqual([undefined, 'one', 'two', 'two'])
  })

  test('an empty one clears it', async () => {
    bench.cookie.text = 'old'
    bench.server.next.push({ status: 200, body: {}, headers: { [setCookie]: '' } })
    await bench.driver().provision(bench.provisionOf())
    expect(bench.cookie.writes).toEqual([undefined])
  })

  test('is returned byte by byte, for all bytes', async () => {
    const bytes = Buffer.from('{"é":"日本"}').toString('latin1')
    bench.server.next.push({ status: 202, headers: { [setCookie]: bytes } })
    await bench.driver().provision(bench.provisionOf())
    expect(bench.server.journal[1]?.headers['humanitec-driver-cookie']).toBe(bytes)
  })

  test.each([
    [10 * 1024, undefined],
    [10 * 1024 + 1, 'InvalidAnswer'],
  ])('of %d bytes', async (length, reason) => {
    bench.server.next.push({ status: 200, body: {}, headers: { [setCookie]: 'x'.repeat(length) } })
    const call = bench.driver().provision(bench.provisionOf())
    if (reason === undefined) await call
    else expect(await failureOf(call)).toMatchObject({ reason })
    expect(bench.cookie.writes).toHaveLength(reason === undefined ? 1 : 0)
  })

  test('that cannot be kept ends the call', async () => {
    const failure = new Error('the Secret is not written')
    const failing: Cookie = { read: async () => undefined, write: async () => Promise.reject(failure) }
    expect(await failureOf(bench.driver().provision(bench.provisionOf({ cookie: failing })))).toBe(failure)
  })

  test('that another client made unfit for a header is not sent', async () => {
    bench.cookie.text = 'one\ntwo'
    expect(await failureOf(bench.driver().provision(bench.provisionOf()))).toMatchObject({
      reason: 'InvalidAnswer',
      message: expect.stringContaining('cookie that cannot be sent back'),
    })
    expect(bench.server.journal).toEqual([])
  })

  test('is not asked of a call that has none', async () => {
    const { cookie: _, ...request } = bench.provisionOf()
    await expect(bench.driver().provision(request)).resolves.toBeDefined()
  })
})
