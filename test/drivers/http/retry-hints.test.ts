import { describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ReconcileError, Waiting } from '../../../operator/domain/base/errors.ts'
import { failureOf, inFuture, openBench } from '../support/http-driver.ts'
import type { Misbehaviour } from '../support/http-driver-server.ts'

const bench = openBench()

describe('a busy driver', () => {
  test('that answers 202 with all outputs at first is asked until 200', async () => {
    await bench.use({ createsInTwoSteps: true })
    const { outputs } = await bench.driver().provision(bench.provisionOf({ values: { region: 'eu' } }))
    expect(outputs.values).toEqual({ region: 'eu' })
    expect(bench.server.journal).toHaveLength(2)
  })

  test('is asked after pauses that double up to a limit', async () => {
    bench.server.next.push(...answers({ status: 202 }))
    await failureOf(bench.driver(bench.server.target, 50).provision(bench.provisionOf()))
    // After 2, 4 and 8 milliseconds, and three times 10: the next 10 do not fit.
    expect(bench.server.journal).toHaveLength(1 + 6)
  })

  const answers = (answer: Misbehaviour) => Array.from({ length: 20 }, () => answer)
  const impatient = () => bench.driver(bench.server.target, 40)

  // Future times count from the moment of the request.
  test.each<[rule: string, answer: Misbehaviour | (() => Misbehaviour), least: number, most: number]>([
    ['gives back the queue when it takes long', { status: 202 }, 10, 10],
    [
      'is asked again when it expects to be ready',
      () => ({ status: 202, body: { estimated_completion_time: inFuture(30) } }),
      11,
      30,
    ],
    [
      'is asked at least once a minute',
      () => ({ status: 202, body: { estimated_completion_time: inFuture(3600) } }),
      60,
      60,
    ],
    [
      'is asked at most once a second',
      { status: 202, body: { estimated_completion_time: inFuture(-3600) } },
      1,
      1,
    ],
    [
      'is believed its own clock',
      {
        status: 202,
        body: { estimated_completion_time: '2001-01-01T00:00:20Z', current_time: '2001-01-01T00:00:00Z' },
      },
      20,
      20,
    ],
    ['with another configuration', { status: 409 }, 10, 10],
    [
      'with another configuration says when',
      () => ({ status: 409, body: { estimated_completion_time: inFuture(40) } }),
      11,
      40,
    ],
    ['with too many requests', { status: 429 }, 10, 10],
    ['with too many requests says when', { status: 429, headers: { 'retry-after': '17' } }, 17, 17],
    [
      'with too many requests says a number that is none',
      { status: 429, headers: { 'retry-after': '-5' } },
      10,
      10,
    ],
    ['with too many requests says a fraction', { status: 429, headers: { 'retry-after': '2.5' } }, 10, 10],
    [
      'with too many requests says a date',
      () => ({ status: 429, headers: { 'retry-after': new Date(Date.now() + 40_000).toUTCString() } }),
      11,
      40,
    ],
    ['with an invalid hint', { status: 202, body: '"soon"' }, 10, 10],
    ['with a hint that is a page', { status: 202, body: '<html>' }, 10, 10],
  ])('%s', async (_, answer, least, most) => {
    bench.server.next.push(...answers(typeof answer === 'function' ? answer() : answer))
    const failure = await failureOf(impatient().provision(bench.provisionOf()))
    expect(failure).toBeInstanceOf(Waiting)
    expect(failure).toMatchObject({ reason: 'DriverBusy' })
    const seconds = (failure as Waiting).retryAfterSeconds
    expect(seconds).toBeGreaterThanOrEqual(least)
    expect(seconds).toBeLessThanOrEqual(most)
  })

  test.each<[rule: string, body: object, isOver: boolean]>([
    ['whose timeout has passed', { timeout: inFuture(-5) }, true],
    ['whose deadline has passed', { timeout_deadline: inFuture(-5) }, true],
    ['with a timeout in the future', { timeout: inFuture(3600) }, false],
    [
      'whose timeout has passed by its own clock',
      { timeout: '2001-01-01T00:00:00Z', current_time: '2001-01-01T00:00:01Z' },
      true,
    ],
    [
      "with a timeout in the future of the driver's clock",
      { timeout: '2001-01-01T00:00:01Z', current_time: '2001-01-01T00:00:00Z' },
      false,
    ],
    ['whose timeout was never set', { timeout: '0001-01-01T00:00:00Z' }, false],
    ['whose timeout is no time', { timeout: 300 }, false],
  ])('%s', async (_, body, isOver) => {
    bench.server.next.push(...answers({ status: 202, body }))
    const failure = await failureOf(impatient().provision(bench.provisionOf()))
    expect(failure).toBeInstanceOf(isOver ? ReconcileError : Waiting)
  })

  test('has the same message while it is in the same state', async () => {
    const body = { status: 'creating', estimated_completion_time: inFuture(1000), current_time: inFuture(0) }
    bench.server.next.push(
      { status: 202, body },
      { status: 202, body: { ...body, current_time: inFuture(1) } },
    )
    const first = await failureOf(impatient().provision(bench.provisionOf()))
    const second = await failureOf(impatient().provision(bench.provisionOf()))
    expect(first.message).toBe(second.message)
    expect(first.message).toContain('creating')
  })

  test('is left alone when the call is given up', async () => {
    bench.server.next.push(...answers({ status: 202, body: { estimated_completion_time: inFuture(40) } }))
    const giveUp = new AbortController()
    const call = failureOf(bench.driver().provision(bench.provisionOf({ signal: giveUp.signal })))
    await eventually('its first call', 30_000, async () => bench.server.journal.length > 0 || undefined)
    giveUp.abort()
    await call
    expect(bench.server.journal).toHaveLength(1)
  })

  test('is asked to delete until it is done', async () => {
    bench.cookie.text = 'kept'
    bench.server.next.push({ status: 202 }, { status: 202 }, { status: 204 })
    await bench.driver().deprovision(bench.deprovisionOf())
    expect(bench.server.journal.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'DELETE'])
    expect(bench.cookie.text).toBeUndefined()
  })
})
