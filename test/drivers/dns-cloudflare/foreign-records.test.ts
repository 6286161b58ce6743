import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type DnsWorld, eventually, installationId, numberedId, startDnsWorld } from '../support/dns-world.ts'

let world: DnsWorld
beforeAll(async () => {
  world = await startDnsWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

describe('records of others', () => {
  const name = `shop-dev-${numberedId(1).slice(0, 8)}`
  const foreignMark = (installation: string, id: string) => `quartermaster:${installation}:${id}`

  test.each([
    ['by hand', null],
    ['of another cluster', foreignMark('ffffffff', numberedId(1))],
    ['of another resource', foreignMark(installationId, numberedId(2))],
  ])('%s are never touched', async (_, comment) => {
    await world.control('POST', '/__records', { name, content: '192.0.2.10', comment })
    const before = world.fake.records()
    for (const driver of [world.process(), world.process()]) {
      for (const values of [{}, { target: 'lb.test' }, { proxied: true }]) {
        await expect(driver.provision(world.numbered(1, values))).rejects.toMatchObject({
          reason: 'Conflict',
        })
      }
      await eventually(() => driver.deprovision(world.deprovisionOf(world.numbered(1))))
    }
    expect(world.fake.records()).toEqual(before)
  })

  test('one created a moment before is found', async () => {
    const driver = world.process()
    await driver.provision(world.numbered(7)) // the list of the zone is known now
    await world.control('POST', '/__records', { name, content: '192.0.2.10' })
    await expect(driver.provision(world.numbered(1))).rejects.toMatchObject({ reason: 'Conflict' })
  })

  test('a record of ours that another client deletes is created again', async () => {
    const driver = world.process({ overlayMs: 0 })
    await driver.provision(world.numbered(1))
    await world.control('DELETE', `/__records/${world.fake.records()[0]?.id}`)
    await driver.provision(world.numbered(1))
    expect(world.shown()).toHaveLength(1)
  })

  test('a hand that takes ours away just after we made it', async () => {
    const driver = world.process()
    await driver.provision(world.numbered(1))
    await driver.provision(world.numbered(2))
    for (const { id } of world.fake.records()) await world.control('DELETE', `/__records/${id}`)
    await driver.provision(world.numbered(1, { target: '192.0.2.2' }))
    await eventually(() => driver.deprovision(world.deprovisionOf(world.numbered(2))))
    expect(world.shown()).toMatchObject([{ content: '192.0.2.2' }])
  })

  test('a hand that changes ours is set right', async () => {
    const driver = world.process()
    await driver.provision(world.numbered(1))
    await pause(5)
    const [ours] = world.fake.records()
    await world.control('PATCH', `/__records/${ours?.id}`, { content: '203.0.113.1', ttl: 120 })
    await driver.provision(world.numbered(1))
    expect(world.shown()).toMatchObject([{ content: '192.0.2.10', ttl: 1 }])
  })
})

test.each([
  ['whose name is known: nothing is written', true, 0],
  ['whose name is hidden: what was written is deleted again', false, 2],
])('a domain outside of the zone, %s', async (_, isKnown, writes) => {
  await world.control('POST', '/__zones', { id: '1'.repeat(32), name: 'other.test' })
  if (!isKnown) {
    const hidden = { method: 'GET', path: '/zones/[0-9a-f]+$' }
    await world.misbehave({ match: hidden, do: 'status', status: 403, times: -1 })
  }
  const driver = world.process()
  const request = world.request({ values: { zone_id: '1'.repeat(32) } })
  await expect(driver.provision(request)).rejects.toMatchObject({ reason: 'WrongZone' })
  expect(world.shown()).toEqual([])
  expect((await world.takeCalls()).filter((each) => each.startsWith('POST'))).toHaveLength(writes)
})
