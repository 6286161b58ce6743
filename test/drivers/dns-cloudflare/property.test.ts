import { beforeAll, expect, test } from '@jest/globals'
import type { StoredRecord } from '../../../dev/fake-cloudflare/records.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { type Made, wildcardCertificate } from '../../support/certificates.ts'
import { fc } from '../../support/properties.ts'
import { type DnsWorld, eventually, installationId, startDnsWorld } from '../support/dns-world.ts'

const runs = process.env.QUARTERMASTER_SOAK ? 1000 : 40
const times = { collectMs: 1, settleMs: 60, confirmMs: 60, overlayMs: 150, timeoutMs: 60 }
const targets = ['192.0.2.1', '192.0.2.2', '2001:db8::1', 'lb.test', 'lb2.test']
const resources = 3

type Step =
  | { readonly do: 'provision'; readonly n: number; readonly target: string; readonly isAwaited: boolean }
  | { readonly do: 'deprovision'; readonly n: number; readonly isAwaited: boolean }
  | { readonly do: 'crash' }
  | { readonly do: 'lose'; readonly rule: FreeForm }
  | { readonly do: 'delayLists'; readonly delayMs: number }
  | { readonly do: 'addForeign'; readonly n: number; readonly type: string; readonly comment: string | null }
  | { readonly do: 'editForeign' | 'dropForeign' | 'editOurs' | 'dropOurs'; readonly nth: number }

const resource = fc.nat(resources - 1)
const isAwaited = fc.boolean()
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('provision' as const),
      n: resource,
      target: fc.constantFrom(...targets),
      isAwaited,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('deprovision' as const), n: resource, isAwaited }) },
  { weight: 2, arbitrary: fc.constant({ do: 'crash' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('lose' as const),
      rule: fc.record({
        match: fc.constantFrom({ path: 'batch' }, { method: 'GET' }),
        do: fc.constantFrom('reset', 'status', 'garbage', 'hang'),
        status: fc.constantFrom(500, 502, 429),
        retryAfter: fc.constant(1),
        commit: fc.constantFrom('before', 'after', 'never'),
        delayMs: fc.constantFrom(1, 30),
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('delayLists' as const), delayMs: fc.constantFrom(0, 40) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('addForeign' as const),
      n: resource,
      type: fc.constantFrom('A', 'CNAME', 'TXT'),
      comment: fc.constantFrom(null, 'mine', `quartermaster:ffffffff:${guResId(0)}`),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'editForeign' as const,
        'dropForeign' as const,
        'editOurs' as const,
        'dropOurs' as const,
      ),
      nth: fc.nat(5),
    }),
  },
)

let certificate: Made
beforeAll(async () => {
  certificate = await wildcardCertificate('example.test')
})

test('for every history, records of others are unchanged and no resource has two', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
      const world = await startDnsWorld(certificate)
      try {
        await play(world, steps)
      } finally {
        await world.close()
      }
    }),
    { numRuns: runs },
  )
}, 1_000_000)

/** Runs the steps, and then retries until everything is as last requested. */
async function play(world: DnsWorld, steps: readonly Step[]): Promise<void> {
  const wanted = new Map<number, string | undefined>()
  const foreign = new Map<string, FreeForm>()
  let driver = world.process(times)
  const busy = new Map<number, Promise<unknown>>()

  /** One call at a time for each resource, as the caller of a driver does it. */
  async function call(n: number, isAwaited: boolean, run: () => Promise<unknown>): Promise<void> {
    await busy.get(n)
    const ended = run().catch(() => {}) // tried again at the end
    busy.set(n, ended)
    if (isAwaited) await ended
  }

  const ask = (n: number) => {
    const target = wanted.get(n)
    const request = requestOf(world, n, target)
    if (target !== undefined) return driver.provision(request)
    return driver.deprovision(world.deprovisionOf(request))
  }

  for (const each of steps) {
    switch (each.do) {
      case 'provision':
        wanted.set(each.n, each.target)
        await call(each.n, each.isAwaited, () => ask(each.n))
        break
      case 'deprovision':
        wanted.set(each.n, undefined)
        await call(each.n, each.isAwaited, () => ask(each.n))
        break
      case 'crash':
        driver.close()
        driver = world.process(times)
        break
      case 'lose':
        await world.misbehave(each.rule)
        break
      case 'delayLists':
        await world.control('POST', '/__misbehave', { listingDelayMs: each.delayMs })
        break
      case 'addForeign': {
        const { type, comment } = each
        const name = nameOf(each.n)
        const content = type === 'A' ? '203.0.113.9' : 'foreign.test'
        const added = await world.control('POST', '/__records', { name, type, content, comment })
        foreign.set(String(added.id), added)
        break
      }
      case 'editForeign':
      case 'dropForeign':
      case 'editOurs':
      case 'dropOurs':
        await byHand(world, each, foreign)
    }
  }

  await Promise.all(busy.values())
  await world.control('DELETE', '/__misbehave')
  await Promise.all([...wanted.keys()].map((n) => converge(() => ask(n))))

  judge(world.fake.records(), wanted, foreign)
}

function judge(
  records: readonly StoredRecord[],
  wanted: ReadonlyMap<number, string | undefined>,
  foreign: ReadonlyMap<string, FreeForm>,
): void {
  expect(records.filter(({ id }) => foreign.has(id))).toEqual(
    expect.arrayContaining([...foreign.values()].map((each) => expect.objectContaining(each))),
  )
  expect(records.filter(({ id }) => foreign.has(id))).toHaveLength(foreign.size)
  for (const [n, target] of wanted) {
    const own = ownOf(records, n)
    const isTaken = records.some((each) => foreign.has(each.id) && each.name === `${nameOf(n)}.example.test`)
    if (target === undefined) expect(own).toEqual([])
    else if (!isTaken) expect(own).toMatchObject([{ content: target }])
    expect(own.length).toBeLessThanOrEqual(isTaken ? 2 : 1)
  }
}

async function byHand(
  world: DnsWorld,
  { do: deed, nth }: { readonly do: string; readonly nth: number },
  foreign: Map<string, FreeForm>,
): Promise<void> {
  const isForeign = deed.endsWith('Foreign')
  const candidates = world.fake.records().filter(({ id }) => foreign.has(id) === isForeign)
  const chosen = candidates[nth % Math.max(1, candidates.length)]
  if (!chosen) return
  const path = `/__records/${chosen.id}`
  const method = deed.startsWith('drop') ? 'DELETE' : 'PATCH'
  const body = method === 'DELETE' ? undefined : { ttl: 120 + nth }
  const edited = await world.control(method, path, body).catch((error: unknown) => {
    if (isForeign) throw error // ours may be deleted by now
    return undefined
  })
  if (method === 'DELETE') foreign.delete(chosen.id)
  else if (isForeign && edited) foreign.set(chosen.id, edited)
}

/** Until it is as requested, twice: the second check shows the effect of late answers of an earlier call. */
async function converge(ask: () => Promise<unknown>): Promise<void> {
  const asked = () =>
    ask().catch((error) => {
      if (error.reason !== 'Conflict') throw error
    })
  // A later rival of another cluster has to give way; the records are checked nevertheless.
  const settled = () => {
    let refusals = 0
    return eventually(async () => {
      await asked().catch((error) => {
        if (error.reason !== 'RecordExists' || (refusals += 1) < 20) throw error
      })
    }, 30)
  }
  await settled()
  await new Promise((resolve) => setTimeout(resolve, times.overlayMs))
  await settled()
}

function requestOf(world: DnsWorld, n: number, target = '192.0.2.1') {
  return world.request({ guResId: guResId(n), values: { target } })
}

function ownOf(records: readonly StoredRecord[], n: number): StoredRecord[] {
  return records.filter(({ comment }) => comment === `quartermaster:${installationId}:${guResId(n)}`)
}

function nameOf(n: number): string {
  return `shop-dev-${guResId(n).slice(0, 8)}`
}

function guResId(n: number): string {
  return String(n).repeat(40)
}
