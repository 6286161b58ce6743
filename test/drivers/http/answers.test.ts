import { describe, expect, test } from '@jest/globals'
import { ReconcileError, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { failureOf, openBench } from '../support/http-driver.ts'
import type { Misbehaviour } from '../support/http-driver-server.ts'

const bench = openBench()

describe('the meaning of an answer', () => {
  type Row = [status: number, put: string | undefined, remove: string | undefined]
  const rows: Row[] = [
    [200, undefined, undefined],
    [204, 'InvalidAnswer', undefined],
    [301, 'InvalidAnswer', 'InvalidAnswer'],
    [307, 'InvalidAnswer', 'InvalidAnswer'],
    [400, 'DriverRefused', 'DriverRefused'],
    [401, 'NotAllowed', 'NotAllowed'],
    [403, 'NotAllowed', 'NotAllowed'],
    [404, 'DriverRefused', undefined],
    [405, 'DriverRefused', 'DriverRefused'],
    [408, 'DriverFailed', 'DriverFailed'],
    [409, 'DriverBusy', 'DriverBusy'],
    [410, 'DriverRefused', undefined],
    [418, 'DriverRefused', 'DriverRefused'],
    [422, 'DriverRefused', 'DriverRefused'],
    [429, 'DriverBusy', 'DriverBusy'],
    [500, 'DriverFailed', 'DriverFailed'],
    [502, 'DriverFailed', 'DriverFailed'],
    [503, 'DriverFailed', 'DriverFailed'],
  ]
  const classes: Record<string, unknown> = { DriverBusy: Waiting, DriverFailed: ReconcileError }

  test.each(rows)('%d: to PUT %s, to DELETE %s', async (status, put, remove) => {
    bench.cookie.text = 'kept'
    const calls = [
      [put, () => bench.driver().provision(bench.provisionOf())],
      [remove, () => bench.driver().deprovision(bench.deprovisionOf())],
    ] as const
    for (const [reason, call] of calls) {
      bench.server.next.push({
        status,
        body: status === 204 ? undefined : {},
        headers: { location: '/elsewhere' },
      })
      if (reason === undefined) {
        await call()
        continue
      }
      const failure = await failureOf(call())
      expect(failure).toMatchObject({ reason })
      expect(failure).toBeInstanceOf(classes[reason] ?? Stalled)
    }
    expect(bench.cookie.text).toBe(remove === undefined ? undefined : 'kept')
    expect(bench.server.journal).toHaveLength(2)
  })

  test.each<[rule: string, answer: Misbehaviour, failure: object]>([
    ['a connection that breaks is tried again', 'break', { reason: 'DriverUnreachable' }],
    ['an answer without end', 'endless', { reason: 'InvalidAnswer' }],
    [
      'a compressed answer',
      { status: 200, headers: { 'content-encoding': 'gzip' } },
      { reason: 'InvalidAnswer' },
    ],
  ])('%s', async (_, answer, expected) => {
    bench.server.next.push(answer)
    expect(await failureOf(bench.driver().provision(bench.provisionOf()))).toMatchObject(expected)
  })

  test.each<[rule: string, body: string, message: string]>([
    ['no JSON', '{not json', 'is not JSON'],
    ['no object', '[]', 'is not an object'],
    ['no body', '', 'has no body'],
  ])('an answer that is %s is refused, and the message names the driver', async (_, text, message) => {
    bench.server.next.push({ status: 200, body: text })
    expect(await failureOf(bench.driver().provision(bench.provisionOf()))).toMatchObject({
      reason: 'InvalidAnswer',
      message: expect.stringMatching(new RegExp(`^driver '.+': the answer ${message}$`)),
    })
  })

  const inValues = (list: string) => `{"resource":{"values":{"list":${list}}}}`
  test.each<[what: string, body: string, isRefused: boolean]>([
    ['lists', inValues(`[${'[],'.repeat(26_000)}[]]`), true],
    ['objects', inValues(`[${'{"a":{}},'.repeat(17_000)}1]`), true],
    ['numbers', ` ${inValues(`[${'1,'.repeat(51_000)}1]`)}`, true],
    ['a list of 40,000 numbers', inValues(`[${'1,'.repeat(40_000)}1]`), false],
    ['a text with as many signs', inValues(JSON.stringify(`\\"[{,`.repeat(60_000))), false],
  ])('an answer with many values is not parsed: %s', async (_, body, isRefused) => {
    for (const status of isRefused ? [200, 202, 409, 500] : [200]) {
      bench.server.next.push({ status, body })
      const failure = await failureOf(bench.driver().provision(bench.provisionOf())).catch(() => undefined)
      const message = expect.stringContaining('answered with more than 50000 values')
      if (isRefused) expect(failure).toMatchObject({ reason: 'InvalidAnswer', message })
      else expect(failure).toBeUndefined()
    }
  })

  test.each([200, 404, 410])('a deletion that is done needs no values: %d with many', async (status) => {
    bench.server.next.push({ status, body: inValues(`[${'[],'.repeat(51_000)}[]]`) })
    await bench.driver().deprovision(bench.deprovisionOf())
    expect(bench.server.journal).toHaveLength(1)
  })

  test('a driver that does not answer is tried again when the time is up', async () => {
    bench.server.next.push('hang')
    const failure = await failureOf(
      bench.driver().provision(bench.provisionOf({ signal: AbortSignal.timeout(100) })),
    )
    expect(failure).toBeInstanceOf(ReconcileError)
  })

  test('an unreachable driver is retried', async () => {
    expect(await failureOf(bench.driver('http://127.0.0.1:1/').provision(bench.provisionOf()))).toMatchObject(
      {
        reason: 'DriverUnreachable',
      },
    )
  })

  test.each([
    ['in a private network', 'http://10.0.0.1/', true],
    ['metadata of a cloud', 'http://169.254.169.254/', true],
    ['with a password', 'http://me:you@127.0.0.1/', false],
    ['of another scheme', 'driver.driver:8080/driver', false],
    ['that is no URL', 'http://[/', false],
  ])('a target %s is for a person, who learns of the setting where it helps', async (_, target, helps) => {
    for (const call of [
      bench.driver(target).provision(bench.provisionOf()),
      bench.driver(target).deprovision(bench.deprovisionOf()),
    ]) {
      const failure = await failureOf(call)
      expect(failure).toBeInstanceOf(Stalled)
      expect(failure).toMatchObject({ reason: 'TargetRefused' })
      expect(failure.message.includes('QUARTERMASTER_OUTBOUND_ALLOWED')).toBe(helps)
    }
  })
})

describe('the error message of a driver', () => {
  test.each<[rule: string, body: unknown, headers: Record<string, string>, expected: string]>([
    ['error and message', { error: 'RES-101', message: 'no such region' }, {}, 'RES-101: no such region'],
    ['a message alone', { message: 'no such region' }, {}, 'no such region'],
    ['an error within an error', { error: { code: 'E1', message: 'no' } }, {}, 'E1: no'],
    ['a JSON string', '"no such region"', {}, 'no such region'],
    ['plain text', 'no such region\n', { 'content-type': 'text/plain' }, 'no such region'],
    [
      'a page',
      '<html><head><title>502</title><style>a{}</style></head><body><h1>Bad &amp; gone</h1>',
      { 'content-type': 'text/html' },
      '502 Bad & gone',
    ],
    ['a page that is called JSON', '<!DOCTYPE html><p>Bad</p>', {}, 'Bad'],
    ['other JSON', { fault: 1 }, {}, '{"fault":1}'],
    ['control characters', 'a\0b\x1b[31mc\r\nd\u202ee\u200bf', {}, 'a b [31mc d e f'],
    ['nothing', '', {}, 'status 400'],
    ['a secret', 'bad token hunter2-token', {}, 'bad token …'],
    ['a secret in a page', '<html><p>bad p4ss&amp;word&lt;9</p>', {}, 'bad …'],
    ['a cookie', 'bad cookie kept-cookie', {}, 'bad cookie …'],
    ['a secret where the text is cut', `${'x'.repeat(490)}hunter2-token`, {}, `${'x'.repeat(490)}…`],
  ])('%s', async (_, body, headers, expected) => {
    bench.cookie.text = 'kept-cookie'
    bench.server.next.push({ status: 400, body, headers })
    const failure = await failureOf(
      bench
        .driver()
        .provision(bench.provisionOf({ secrets: { token: 'hunter2-token', key: 'p4ss&word<9' } })),
    )
    expect(failure.message).toContain(`refuses: ${expected}`)
  })

  test.each([
    ['text', 'x'.repeat(1_000_000)],
    ['emoji', '😀'.repeat(100_000)],
    ['a page', `<html>${'<'.repeat(1_000_000)}`],
    ['scripts', `<html>${'<script'.repeat(200_000)}`],
    ['white space', `a${' '.repeat(2_000_000)}b`],
  ])('at most 500 characters of it: %s', async (_, body) => {
    bench.server.next.push({ status: 400, body })
    const { message } = await failureOf(bench.driver().provision(bench.provisionOf()))
    expect(message.length).toBeLessThan(560)
    expect(message.isWellFormed()).toBe(true)
  })
})
