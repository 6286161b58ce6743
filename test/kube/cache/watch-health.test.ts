import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createWatchHealth, probeOver } from '../../../operator/kube/cache/watch-health.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { casesOf, fc } from '../../support/properties.ts'

/** How often the kubelet asks. */
const tickMs = 10_000
/** A watch that was interrupted is tried again within this time. */
const retryMs = 50_000

/** What happens for a number of ticks: whether the API server is there, and whether the watch works by itself. */
interface Phase {
  readonly ticks: number
  readonly isServerThere: boolean
  readonly isWatchDead: boolean
}

interface Tick {
  readonly isWell: boolean
  /** For how long the watch was dead although the API server was there. */
  readonly deadMs: number
}

/** Plays the phases, one after the other. */
async function play(phases: readonly Phase[]): Promise<Tick[]> {
  let [now, answeredAt, returnedAt, deadSince] = [0, 0, 0, Number.NaN]
  let isThere = true
  const health = createWatchHealth(
    { unansweredMs: () => now - answeredAt },
    async () => {
      if (!isThere) throw new Error('connection refused')
    },
    () => now,
  )
  const ticks: Tick[] = []
  for (const { ticks: count, isServerThere, isWatchDead } of phases) {
    for (let tick = 0; tick < count; tick += 1) {
      now += tickMs
      if (isServerThere && !isThere) returnedAt = now
      isThere = isServerThere
      // A working watch hears a line, or is tried again soon after the API server is back.
      if (isThere && !isWatchDead && now - returnedAt >= retryMs) answeredAt = now
      const isDead = isThere && isWatchDead
      deadSince = isDead ? (Number.isNaN(deadSince) ? now : deadSince) : Number.NaN
      const isWell = health.isWell()
      await Promise.resolve()
      ticks.push({ isWell, deadMs: isDead ? now - deadSince : 0 })
    }
  }
  return ticks
}

const phaseOf = (isWatchDead: fc.Arbitrary<boolean>) =>
  fc.record({ ticks: fc.integer({ min: 1, max: 80 }), isServerThere: fc.boolean(), isWatchDead })
const phases = (isWatchDead: fc.Arbitrary<boolean>) => fc.array(phaseOf(isWatchDead), { maxLength: 6 })

describe('a process', () => {
  test('is well while its watches work, in any state of the API server', async () => {
    await fc.assert(
      fc.asyncProperty(phases(fc.constant(false)), async (given) => {
        expect((await play(given)).every(({ isWell }) => isWell)).toBe(true)
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('is well while the API server is away, also when its watches would not work', async () => {
    await fc.assert(
      fc.asyncProperty(phases(fc.boolean()), async (given) => {
        const away = given.map((each) => ({ ...each, isServerThere: false }))
        expect((await play(away)).every(({ isWell }) => isWell)).toBe(true)
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('is not well when a watch is dead for eight minutes beside an API server that answers, and never before five', async () => {
    await fc.assert(
      fc.asyncProperty(phases(fc.boolean()), async (given) => {
        for (const { isWell, deadMs } of await play(given)) if (deadMs >= 480_000) expect(isWell).toBe(false)
        const fresh = await play([{ ticks: 60, isServerThere: true, isWatchDead: true }])
        for (const { isWell, deadMs } of fresh) if (deadMs < 300_000) expect(isWell).toBe(true)
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('is well again when its watch is answered', async () => {
    const dead = { ticks: 60, isServerThere: true, isWatchDead: true }
    const ticks = await play([dead, { ...dead, ticks: 1, isWatchDead: false }])
    expect([ticks.at(-2)?.isWell, ticks.at(-1)?.isWell]).toEqual([false, true])
  })
})

test('while a watch is dead, the API server is asked every 30 seconds, and not again before it answers', async () => {
  let now = 0
  const probes: ReturnType<typeof Promise.withResolvers<void>>[] = []
  const probe = () => {
    const answer = Promise.withResolvers<void>()
    probes.push(answer)
    return answer.promise
  }
  const health = createWatchHealth({ unansweredMs: () => 400_000 }, probe, () => now)
  const askedAt = async (ms: number) => {
    now = ms
    health.isWell()
    await Promise.resolve()
    return probes.length
  }
  expect(await askedAt(0)).toBe(1)
  expect(await askedAt(60_000)).toBe(1)
  probes[0]?.resolve()
  await setImmediate()
  expect(await askedAt(60_000)).toBe(2)
  probes[1]?.resolve()
  await setImmediate()
  expect(await askedAt(89_999)).toBe(2)
  expect(await askedAt(90_000)).toBe(3)
})

test('a probe opens a new client, and closes it also when the API server does not answer', async () => {
  const opened: string[] = []
  const open = (isThere: boolean) => () =>
    ({
      async request(method: string, path: string) {
        opened.push(`${method} ${path}`)
        if (!isThere) throw new Error('connection refused')
      },
      close: async () => void opened.push('close'),
    }) as unknown as KubeClient // the parts that a probe uses
  await probeOver(open(true))
  await expect(probeOver(open(false))).rejects.toThrow('refused')
  expect(opened).toEqual(['GET /version', 'close', 'GET /version', 'close'])
})
