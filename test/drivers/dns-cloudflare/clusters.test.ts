import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type DnsWorld,
  eventually,
  installationId,
  numbers,
  reasonsOf,
  startDnsWorld,
} from '../support/dns-world.ts'

const count = 100
const other = 'ffffffff'

let world: DnsWorld
beforeAll(async () => {
  world = await startDnsWorld()
})
afterAll(() => world.close())

const owners = () => world.shown().map(({ comment }) => comment?.split(':')[1])

test('of two clusters that want the same names the first keeps them, and neither gives way to the other', async () => {
  const first = world.process()
  const second = world.process({ installationId: other, loadbalancer: '192.0.2.20' })
  expect(reasonsOf(await world.provisionAll(first, count))).toEqual({ done: count })
  const before = world.shown()
  await world.takeCalls()

  for (let round = 0; round < 3; round += 1) {
    expect(reasonsOf(await world.provisionAll(second, count))).toEqual({ Conflict: count })
    expect(reasonsOf(await world.provisionAll(first, count))).toEqual({ done: count })
  }
  expect(world.shown()).toEqual(before)
  const calls = await world.takeCalls()
  expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([])

  // A name that one releases, the other may have.
  for (const n of numbers(count)) {
    await first.deprovision(world.deprovisionOf(world.numbered(n)))
    if (n === 0) await eventually(() => second.deprovision(world.deprovisionOf(world.numbered(1))))
  }
  expect(world.shown()).toEqual([])
  expect(reasonsOf(await world.provisionAll(second, count))).toEqual({ done: count })
  expect(new Set(owners())).toEqual(new Set([other]))
  expect(owners()).not.toContain(installationId)
})

test('of two clusters that made the same names at the same moment one keeps each, and both agree which', async () => {
  await world.reset()
  const first = world.process()
  const second = world.process({ installationId: other, loadbalancer: '192.0.2.20' })
  const together = () => Promise.all([first, second].map((each) => world.provisionAll(each, 20)))
  await world.control('POST', '/__misbehave', { rules: [], listingDelayMs: 5000 })
  await together()
  expect(world.shown()).toHaveLength(40) // neither saw the other
  await world.control('POST', '/__misbehave', { rules: [], listingDelayMs: 0 })
  for (let round = 0; round < 3; round += 1) {
    for (const each of [first, second]) await world.provisionAll(each, 20)
  }
  const names = world.shown().map(({ name }) => name)
  expect(new Set(names).size).toBe(20)
  expect(names).toHaveLength(20)
  const [mine, theirs] = await together()
  expect((reasonsOf(mine ?? []).done ?? 0) + (reasonsOf(theirs ?? []).done ?? 0)).toBe(20)
})
