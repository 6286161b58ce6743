import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { hadNoSideEffects } from '../../operator/domain/base/errors.ts'
import { type DnsWorld, startDnsWorld } from './support/dns-world.ts'
import { openBench } from './support/http-driver.ts'

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the driver of Cloudflare', () => {
  let world: DnsWorld
  beforeAll(async () => {
    world = await startDnsWorld()
  })
  afterEach(() => world.reset())
  afterAll(() => world.close())

  const lists = { method: 'GET', path: 'dns_records' }
  const writes = { method: 'POST', path: 'batch' }
  const denied = { errors: [{ code: 10000, message: 'Authentication error' }] }

  test.each<[rule: string, rule: object, isSure: boolean]>([
    ['a list that is refused with 401', { match: lists, do: 'status', status: 401, ...denied }, true],
    ['a list that is refused with 403', { match: lists, do: 'status', status: 403, ...denied }, true],
    ['a list whose answer is lost', { match: lists, do: 'status', status: 502 }, true],
    ['a change that is refused with 401', { match: writes, do: 'status', status: 401, ...denied }, true],
    ['a change that is refused with 403', { match: writes, do: 'status', status: 403, ...denied }, true],
    ['a change that is one too many', { match: writes, do: 'status', status: 429 }, true],
    ['a change whose answer is lost', { match: writes, do: 'status', status: 502 }, false],
    ['a change that is answered with 408', { match: writes, do: 'status', status: 408 }, false],
  ])('%s', async (_, rule, isSure) => {
    await world.misbehave({ ...rule, times: -1 })
    const failure = await failureOf(world.process().provision(world.request()))
    expect(failure).toBeInstanceOf(Error)
    expect(hadNoSideEffects(failure)).toBe(isSure)
    if (isSure) expect(world.shown()).toEqual([])
  })

  test('a call that ends before its answer has an uncertain result', async () => {
    await world.misbehave({ match: writes, do: 'slow', delayMs: 1500 })
    const ending = new AbortController()
    const call = failureOf(world.process().provision(world.request({ signal: ending.signal })))
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (!world.fake.calls().some(({ path }) => path.includes('batch'))) return
        clearInterval(timer)
        resolve()
      }, 5)
    })
    ending.abort()
    expect(hadNoSideEffects(await call)).toBe(false)
  })

  test.each([
    ['no account', { account: undefined }],
    ['an account without a token', { account: {} }],
    ['a certificate for something else', { values: { domain: 'other.test' } }],
  ])('%s: nothing was asked', async (_, changes) => {
    const failure = await failureOf(world.process().provision(world.request(changes)))
    expect(hadNoSideEffects(failure)).toBe(true)
  })
})

describe('an HTTP driver', () => {
  const bench = openBench()

  test.each<[rule: string, answers: readonly object[], cookie: string | undefined, isSure: boolean]>([
    ['401 says that nothing was made', [{ status: 401 }], undefined, true],
    ['403 says that nothing was made', [{ status: 403 }], undefined, true],
    ['400 does not say so', [{ status: 400 }], undefined, false],
    ['500 does not say so', [{ status: 500 }], undefined, false],
    ['409 does not say so', [{ status: 409 }], undefined, false],
    ['403 of a driver that was busy with it before', [{ status: 202 }, { status: 403 }], undefined, false],
    ['403 of a driver that had something to remember', [{ status: 403 }], 'kept', false],
    [
      '403 of a driver that has something to remember now',
      [{ status: 403, headers: { 'set-humanitec-driver-cookie': 'new' } }],
      undefined,
      false,
    ],
  ])('%s', async (_, answers, cookie, isSure) => {
    bench.cookie.text = cookie
    for (const each of answers) bench.server.next.push({ body: {}, ...each } as never)
    const failure = await failureOf(bench.driver().provision(bench.provisionOf()))
    expect(failure).toBeInstanceOf(Error)
    expect(hadNoSideEffects(failure)).toBe(isSure)
  })

  test.each<[rule: string, cookie: string | undefined, isSure: boolean]>([
    ['a target that is not called has made nothing', undefined, true],
    ['but it may have before it was refused', 'kept', false],
  ])('%s', async (_, cookie, isSure) => {
    bench.cookie.text = cookie
    const failure = await failureOf(bench.driver('http://10.0.0.1/').provision(bench.provisionOf()))
    expect(failure).toMatchObject({ reason: 'TargetRefused' })
    expect(hadNoSideEffects(failure)).toBe(isSure)
  })
})
