import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { type DnsWorld, eventually, startDnsWorld } from '../support/dns-world.ts'

let world: DnsWorld
beforeAll(async () => {
  world = await startDnsWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

/** Short for a server that never answers, and long otherwise. */
const timeoutMs = 1500
const writes = { path: 'batch' }
const lists = { method: 'GET', path: 'dns_records' }

describe('an answer that is lost', () => {
  const misbehaviours: [rule: string, rule_: FreeForm][] = [
    ['the connection breaks after it was done', { do: 'reset', commit: 'before' }],
    ['the connection breaks before it was done', { do: 'reset', commit: 'never' }],
    ['it is done after the connection broke', { do: 'reset', commit: 'after', delayMs: 50 }],
    ['502 after it was done', { do: 'status', status: 502, commit: 'before' }],
    ['502 before it was done', { do: 'status', status: 502 }],
    ['garbage after it was done', { do: 'garbage', commit: 'before' }],
    ['a redirect', { do: 'redirect', status: 307 }],
    ['no answer in time', { do: 'hang', commit: 'before' }],
    ['an answer without end', { do: 'flood', delayMs: 5, commit: 'before' }],
  ]

  test.each(misbehaviours)('of a creation: %s', async (_, rule) => {
    let now = Date.now()
    const driver = world.process({ timeoutMs, clock: () => now })
    await world.misbehave({ match: writes, ...rule })
    await expect(driver.provision(world.numbered(1))).rejects.toMatchObject({ reason: 'OutcomeUnknown' })
    await expect(driver.provision(world.numbered(1))).rejects.toMatchObject({ reason: 'OutcomeUnknown' })
    await pause(100) // late changes are done by then
    now += 10_000
    await eventually(() => driver.provision(world.numbered(1)))
    expect(world.shown()).toHaveLength(1)
  })

  test.each(misbehaviours)('of a removal: %s', async (_, rule) => {
    const driver = world.process({ timeoutMs })
    await driver.provision(world.numbered(1))
    await world.misbehave({ match: writes, ...rule })
    const deprovision = world.deprovisionOf(world.numbered(1))
    await expect(driver.deprovision(deprovision)).rejects.toMatchObject({ reason: 'OutcomeUnknown' })
    await eventually(() => driver.deprovision(deprovision))
    expect(world.shown()).toEqual([])
  })

  const refusal: [string, FreeForm] = [
    'a refusal for no reason that is known',
    { do: 'status', status: 400, errors: [{ code: 9000, message: 'not today' }] },
  ]

  test.each([...misbehaviours, refusal])('of a list: %s', async (_, rule) => {
    const driver = world.process({ timeoutMs })
    await world.misbehave({ match: lists, ...rule })
    await expect(driver.provision(world.numbered(1))).rejects.toMatchObject({ reason: 'ProviderUnavailable' })
    await driver.provision(world.numbered(1))
    expect(world.shown()).toHaveLength(1)
  })

  test('of the zone is no reason to do nothing', async () => {
    await world.misbehave({ match: { method: 'GET', path: '/zones/[0-9a-f]+$' }, do: 'status', status: 500 })
    await world.process().provision(world.numbered(1))
    expect(world.shown()).toHaveLength(1)
  })

  test('again and again is a failure', async () => {
    const driver = world.process({ settleMs: 1 })
    await world.misbehave({ match: writes, do: 'status', status: 502, times: -1 })
    const reasons: string[] = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await driver.provision(world.numbered(1)).catch((error) => reasons.push(error.reason))
      await pause(5)
    }
    expect(reasons).toEqual([
      'OutcomeUnknown',
      'OutcomeUnknown',
      'ProviderUnavailable',
      'ProviderUnavailable',
    ])
  })
})

describe('a list that is late', () => {
  test('makes no second record', async () => {
    await world.misbehave({ match: { path: 'nothing' }, do: 'status' }, 600)
    const driver = world.process()
    await driver.provision(world.numbered(1))
    await driver.provision(world.numbered(1, { target: '192.0.2.2' }))
    await driver.provision(world.numbered(1, { target: '192.0.2.2' }))
    expect(world.shown()).toMatchObject([{ content: '192.0.2.2' }])
    const fresh = world.process()
    await eventually(() => fresh.provision(world.numbered(1, { target: '192.0.2.2' })))
    expect(world.shown()).toMatchObject([{ content: '192.0.2.2' }])
  })

  test.each<[rule: string, code: number, status: number]>([
    ['lacks a record', 81_057, 400],
    ['shows a record that is gone', 81_044, 404],
  ])('is the reason for a wait, also when it %s', async (_, code, status) => {
    const own = world.numbered(1)
    await world.process().provision(own)
    await world.misbehave({
      match: writes,
      do: 'status',
      status,
      errors: [{ code, message: 'Record.' }],
      times: 2,
    })
    await expect(world.process().provision(world.numbered(1, { target: '192.0.2.2' }))).rejects.toMatchObject(
      {
        reason: 'RecordExists',
        message: expect.stringMatching(/^the provider's list of records is late: /),
      },
    )
  })

  test('hides no record that has to go', async () => {
    await world.misbehave({ match: { path: 'nothing' }, do: 'status' }, 3000)
    await world.process().provision(world.numbered(1))
    const fresh = world.process({ confirmMs: 3500 })
    const deprovision = world.deprovisionOf(world.numbered(1))
    await expect(fresh.deprovision(deprovision)).rejects.toMatchObject({ reason: 'ConfirmingAbsence' })
    await eventually(() => fresh.deprovision(deprovision))
    expect(world.shown()).toEqual([])
  })
})

test('a caller whose time is over does not wait for the answer of the provider', async () => {
  await world.misbehave({ match: lists, do: 'slow', delayMs: 3000 })
  const driver = world.process()
  const call = driver.provision({ ...world.numbered(1), signal: AbortSignal.timeout(50) })
  await expect(call).rejects.toMatchObject({ reason: 'ProviderUnavailable' })
  await eventually(() => driver.provision(world.numbered(1)))
  expect(world.shown()).toHaveLength(1)
})
