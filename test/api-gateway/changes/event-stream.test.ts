import { describe, expect, test } from '@jest/globals'
import type { EnvironmentChange } from '../../../api-gateway/changes/changes.ts'
import { eventStream } from '../../../api-gateway/changes/event-stream.ts'
import { createOpenStreams } from '../../../api-gateway/changes/open-streams.ts'
import { toErrorResponse } from '../../../api-gateway/response/errors.ts'

/** A stream over changes that the test publishes. */
function openStream({ isAllowed = async () => true, heartbeatMs = 60_000 } = {}) {
  const listeners = new Set<(change: EnvironmentChange) => void>()
  const controller = new AbortController()
  const stream = eventStream({
    changes: {
      subscribe(_organization, _environment, listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    organization: 'acme',
    environmentName: 'shop.dev',
    isAllowed,
    signal: controller.signal,
    pauses: { heartbeatMs, collectMs: 1 },
  })
  const publish = (id: string, state: string) => {
    for (const listener of listeners) listener({ kind: 'resource', id, state })
  }
  return { stream, publish, controller, listeners }
}

describe('the events of an environment', () => {
  test('begin with the request to read everything again, so that a new connection has missed nothing', async () => {
    const { stream, controller } = openStream()
    expect((await stream.next()).value).toBe('event: reload\ndata: {}\n\n')
    controller.abort()
    expect((await stream.next()).done).toBe(true)
  })

  test('name what changed, the last state of each object once', async () => {
    const { stream, publish, controller } = openStream()
    await stream.next()
    publish('a', 'pending')
    publish('b', 'pending')
    publish('a', 'active')
    const { value } = await stream.next()
    expect(value).toBe(
      'event: change\ndata: {"kind":"resource","id":"a","state":"active"}\n\n' +
        'event: change\ndata: {"kind":"resource","id":"b","state":"pending"}\n\n',
    )
    controller.abort()
  })

  test('have lines between them while nothing changes, which keep the connection', async () => {
    const { stream, controller } = openStream({ heartbeatMs: 1 })
    await stream.next()
    expect((await stream.next()).value).toBe(': still here\n\n')
    controller.abort()
  })

  test('end when the session or the role ends, before any other event', async () => {
    const { stream, publish, listeners } = openStream({ isAllowed: async () => false })
    await stream.next()
    publish('a', 'active')
    expect((await stream.next()).value).toBe('event: end\ndata: {}\n\n')
    expect((await stream.next()).done).toBe(true)
    expect(listeners.size).toBe(0)
  })

  test('leave no listener behind when the client disconnects', async () => {
    const { stream, controller, listeners } = openStream()
    await stream.next()
    const waiting = stream.next()
    controller.abort()
    expect((await waiting).done).toBe(true)
    expect(listeners.size).toBe(0)
  })
})

/** The response to what the work throws. */
function refusalOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return toErrorResponse(error)
  }
}

describe('open streams', () => {
  test('are limited for each user, and a closed one makes room', () => {
    const streams = createOpenStreams()
    const [first] = Array.from({ length: 30 }, () => streams.open('ana'))
    expect(refusalOf(() => streams.open('ana'))).toMatchObject({
      status: 429,
      retryAfterSeconds: expect.any(Number),
    })
    expect(() => streams.open('ben')).not.toThrow()
    first?.abort()
    expect(() => streams.open('ana')).not.toThrow()
  })

  test('all end with the process', () => {
    const streams = createOpenStreams()
    const open = [streams.open('ana'), streams.open('ana'), streams.open('ben')]
    streams.close()
    expect(open.map(({ signal }) => signal.aborted)).toEqual([true, true, true])
  })

  test('that a client opens again while the process ends end at once', () => {
    const streams = createOpenStreams()
    streams.close()
    const again = Array.from({ length: 40 }, () => streams.open('ana'))
    expect(again.every(({ signal }) => signal.aborted)).toBe(true)
  })
})
