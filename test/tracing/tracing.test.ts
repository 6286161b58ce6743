import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Log, type LogFields, silentLog } from '../../operator/log.ts'
import { loggedExporter } from '../../operator/tracing/logged-exporter.ts'
import { openTracing } from '../../operator/tracing/open-tracing.ts'
import {
  formatTraceparent,
  noTracing,
  parseTraceparent,
  type Tracing,
  traced,
} from '../../operator/tracing/tracing.ts'
import { fc } from '../support/properties.ts'
import { type Span, startCollector } from './collector.ts'

const id = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: length, maxLength: length })
    .filter((text) => /[^0]/.test(text))
const contexts = fc.record({ traceId: id(32), spanId: id(16), isSampled: fc.boolean() })

describe('the header traceparent', () => {
  test('is read as it is written', () => {
    fc.assert(
      fc.property(contexts, (context) =>
        expect(parseTraceparent(formatTraceparent(context))).toEqual(context),
      ),
    )
  })

  test.each([
    undefined,
    '',
    'text',
    `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
    `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01`,
    `00-${'1'.repeat(31)}-${'1'.repeat(16)}-01`,
    `00-${'A'.repeat(32)}-${'1'.repeat(16)}-01`,
    `01-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
    `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01-more`,
  ])('%j is none', (text) => {
    expect(parseTraceparent(text)).toBeUndefined()
  })
})

describe('tracing to a collector', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>
  beforeAll(async () => {
    collector = await startCollector()
  })
  afterAll(() => collector.stop())

  /** The spans that `work` records, by name. */
  async function spansOf(
    work: (tracing: Tracing) => unknown,
    ratio = 1,
    path = '/',
  ): Promise<Map<string, Span>> {
    const tracing = await openTracing({ endpoint: `${collector.url}${path}`, ratio }, 'operator', silentLog)
    const before = collector.spans.length
    await work(tracing)
    await tracing.close()
    return new Map(collector.spans.slice(before).map((span) => [span.name, span]))
  }

  test('work outside of spans is a part of none, also when a span starts it', async () => {
    const past = { start: 1, end: 2, hasFailed: false }
    const spans = await spansOf((tracing) =>
      traced(tracing, { name: 'own' }, async () => {
        tracing.outside(() => tracing.record({ name: 'other', ...past }))
        tracing.record({ name: 'part', ...past })
      }),
    )
    const [own, part, other] = ['own', 'part', 'other'].map((name) => spans.get(name)?.traceId)
    expect(part).toBe(own)
    expect(other).not.toBe(own)
  })

  test('work inside of a span is a part of it, also when other spans run at the same time', async () => {
    const spans = await spansOf((tracing) =>
      Promise.all(
        ['one', 'two'].map((name) =>
          traced(tracing, { name, attributes: { name } }, async () => {
            await new Promise(setImmediate)
            await traced(tracing, { name: `inside ${name}` }, async () => tracing.describe({ name }))
          }),
        ),
      ),
    )
    for (const name of ['one', 'two']) {
      const [outer, inner] = [spans.get(name), spans.get(`inside ${name}`)]
      expect(inner).toMatchObject({
        traceId: outer?.traceId,
        parentSpanId: outer?.spanId,
        attributes: { name },
      })
      expect(outer).toMatchObject({ service: 'quartermaster-operator', attributes: { name } })
      expect(outer?.parentSpanId ?? '').toBe('')
    }
    expect(spans.get('one')?.traceId).not.toBe(spans.get('two')?.traceId)
  })

  test('a span continues the trace of its traceparent, and is what it passes on', async () => {
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    let passedOn: string | undefined
    const spans = await spansOf((tracing) =>
      traced(tracing, { name: 'request', parent }, async () => {
        passedOn = tracing.current()
      }),
    )
    const span = spans.get('request')
    expect(span).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) })
    expect(parseTraceparent(passedOn)).toEqual({
      traceId: span?.traceId,
      spanId: span?.spanId,
      isSampled: true,
    })
  })

  test('work that throws fails its span, and its error is thrown', async () => {
    const spans = await spansOf(async (tracing) => {
      const work = traced(tracing, { name: 'fails' }, async () => {
        throw new Error('no')
      })
      await expect(work).rejects.toThrow('no')
    })
    expect(spans.get('fails')?.status.code).toBe(2)
  })

  test('a span of known ids and times is recorded with these', async () => {
    const ids = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }
    const spans = await spansOf((tracing) => {
      tracing.record({ name: 'past', ids, start: 1000, end: 3000, hasFailed: true })
      tracing.record({ name: 'other', start: 1000, end: 3000, hasFailed: false })
    })
    expect(spans.get('past')).toMatchObject({
      ...ids,
      startTimeUnixNano: '1000000000',
      endTimeUnixNano: '3000000000',
    })
    expect(spans.get('past')?.status.code).toBe(2)
    expect(spans.get('other')?.spanId).not.toBe(ids.spanId)
  })

  test.each(['', '/', '/v1/traces', '/v1/traces/'])(
    'finds it at the address with the path %j',
    async (path) => {
      const spans = await spansOf(
        (tracing) => traced(tracing, { name: 'any' }, async () => undefined),
        1,
        path,
      )
      expect([...spans.keys()]).toEqual(['any'])
    },
  )

  test('spans that the collector refuses are lost, which the log says once, and so that they arrive again', async () => {
    const lines: unknown[] = []
    const note = (message: string, { reason }: LogFields = {}) => void lines.push([message, reason])
    const log = { ...silentLog, warn: note, info: note }
    const exporter = { export: (_: unknown, done: (result: object) => void) => done(results.shift() ?? {}) }
    const refused = { code: 1, error: new Error('Not Found') }
    const results: object[] = [{ code: 0 }, refused, refused, { code: 0 }, { code: 0 }]
    const logged = loggedExporter(
      exporter as never,
      new URL('http://user:word@collector.test/v1/traces'),
      log,
    )
    const codes = [...results].map(() => new Promise((resolve) => logged.export([], resolve)))
    expect(await Promise.all(codes)).toEqual([{ code: 0 }, refused, refused, { code: 0 }, { code: 0 }])
    expect(lines).toEqual([
      ['spans cannot be sent', 'Not Found'],
      ['spans are sent again', undefined],
    ])
  })

  test('a process ends well without its last spans, and its log names the collector that refuses them', async () => {
    const warnings: unknown[] = []
    const log: Log = { ...silentLog, warn: (...line) => void warnings.push(line) }
    collector.answer(404)
    const tracing = await openTracing({ endpoint: collector.url, ratio: 1 }, 'operator', log)
    await traced(tracing, { name: 'any' }, async () => undefined)
    await tracing.close()
    collector.answer(200)
    expect(warnings).toEqual([
      ['spans cannot be sent', { collector: `${collector.url}/v1/traces`, reason: 'Not Found' }],
    ])
  })

  test('what a client does not sample is not recorded with any ratio', async () => {
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`
    const spans = await spansOf((tracing) =>
      traced(tracing, { name: 'request', parent }, async () => undefined),
    )
    expect(spans.size).toBe(0)
  })

  test.each([
    [0, []],
    [1, ['begun', 'past']],
  ])('with the ratio %d, traces that begin here are recorded as it says', async (ratio, expected) => {
    const traceId = '7'.repeat(32)
    const spans = await spansOf(async (tracing) => {
      expect(tracing.samples(traceId)).toBe(ratio === 1)
      await traced(tracing, { name: 'begun' }, async () => undefined)
      tracing.record({
        name: 'past',
        ids: { traceId, spanId: '7'.repeat(16) },
        start: 0,
        end: 1,
        hasFailed: false,
      })
    }, ratio)
    expect([...spans.keys()]).toEqual(expected)
  })
})

test('without a collector, work runs without a span', async () => {
  const tracing = await openTracing(undefined, 'gateway', silentLog)
  expect(tracing).toBe(noTracing)
  expect(await traced(tracing, { name: 'any' }, async () => tracing.current() ?? 'none')).toBe('none')
})
