import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { closeServer } from '../../../dev/close-server.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { markOf } from '../../../operator/drivers/dns-cloudflare/record.ts'
import { type DnsWorld, eventually, installationId, numberedId, startDnsWorld } from '../support/dns-world.ts'

let world: DnsWorld
let server: Server
let baseUrl: string
/** What a list without a name shows, page by page, and the records as they are. */
let pages: FreeForm[][]
let records: FreeForm[]
/** The number of pages that each page names, when it is not that of all. */
let totals: number[]
/** The number of records that each page names. */
let counts: number[]
const lists: (string | null)[] = []

async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost')
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const answer = (result: unknown, info: object = { total_pages: 1 }) => {
    response.end(JSON.stringify({ success: true, errors: [], result, result_info: info }))
  }
  if (request.method === 'POST') {
    const { deletes, patches, posts } = JSON.parse(Buffer.concat(chunks).toString()) as Record<
      'deletes' | 'patches' | 'posts',
      FreeForm[]
    >
    records = records
      .filter(({ id }) => deletes.every((each) => each['id'] !== id))
      .map((each) => ({ ...each, ...patches.find(({ id }) => id === each['id']) }))
    const made = posts.map((each, index) => ({ ...each, id: `${index}`.repeat(32) }))
    records.push(...made)
    const patched = records.filter((each) => patches.some(({ id }) => id === each['id']))
    answer({ deletes, patches: patched, posts: made })
    return
  }
  if (!request.url?.includes('dns_records')) {
    answer({ name: world.fake.zoneName })
    return
  }
  const name = searchParams.get('name.exact')
  lists.push(name)
  if (name !== null) answer(records.filter((each) => each.name === name))
  else {
    const index = Number(searchParams.get('page')) - 1
    const info = { total_pages: totals[index] ?? pages.length, total_count: counts[index] }
    answer(pages[index] ?? [], info)
  }
}

beforeAll(async () => {
  world = await startDnsWorld()
  server = createServer((request, response) => void answerTo(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`
})
afterAll(async () => {
  await closeServer(server)
  await world.close()
})

const recordOf = (n: number) => ({
  id: String(n).padStart(32, '0'),
  type: 'A',
  name: `shop-dev-${numberedId(n).slice(0, 8)}.${world.fake.zoneName}`,
  content: '192.0.2.10',
  ttl: 1,
  proxied: false,
  comment: markOf(installationId, numberedId(n)),
})

beforeEach(() => {
  totals = []
  counts = []
})

async function remove(n: number, driver = world.process({ baseUrl })): Promise<void> {
  await eventually(() => driver.deprovision(world.deprovisionOf(world.numbered(n))))
}

test.each([
  ['has started', false],
  ['has run for a while', true],
])('a record that moved to the page before is removed by a process that %s', async (_, isOld) => {
  const driver = world.process({ baseUrl })
  records = [recordOf(1), recordOf(2), recordOf(3)]
  pages = [[]]
  if (isOld) await remove(4, driver)
  // Another client deleted the first record after its page was read.
  pages = [[recordOf(0), recordOf(1)], [recordOf(3)]]
  await remove(2, driver)
  expect(records.map(({ id }) => id)).toEqual([recordOf(1).id, recordOf(3).id])
})

test('one that was alone in the last page, which is gone by then, is removed', async () => {
  records = [recordOf(1), recordOf(2)]
  pages = [[recordOf(0), recordOf(1)], []]
  totals = [2, 1]
  await remove(2)
  expect(records.map(({ id }) => id)).toEqual([recordOf(1).id])
})

test('one that moved to the page after, and is in both, is one record', async () => {
  records = [recordOf(1), recordOf(2), recordOf(3)]
  // Another client made a record after the first page was read.
  pages = [
    [recordOf(1), recordOf(2)],
    [recordOf(2), recordOf(3)],
  ]
  const driver = world.process({ baseUrl })
  await eventually(() => driver.provision(world.numbered(2)))
  expect(records).toHaveLength(3)
})

test('one that is in no list is gone', async () => {
  records = [recordOf(1)]
  pages = [[recordOf(1)], []]
  await expect(remove(2)).resolves.toBeUndefined()
})

test('a list of one page needs no second one', async () => {
  records = [recordOf(1)]
  pages = [[recordOf(1)]]
  lists.length = 0
  await remove(2)
  expect(new Set(lists)).toEqual(new Set([null]))
})

describe('a provision with another target', () => {
  const provision = async () => {
    const driver = world.process({ baseUrl })
    await eventually(() => driver.provision(world.numbered(2, { target: '192.0.2.20' })))
  }

  test('changes a record that moved to the page before, and makes no second one', async () => {
    records = [recordOf(1), recordOf(2), recordOf(3)]
    pages = [[recordOf(0), recordOf(1)], [recordOf(3)]]
    counts = [4, 3]
    await provision()
    expect(records.filter(({ name }) => name === recordOf(2).name)).toMatchObject([
      { id: recordOf(2).id, content: '192.0.2.20' },
    ])
  })

  test('of a new record needs no second list when no record moved', async () => {
    records = [recordOf(0), recordOf(1), recordOf(3)]
    pages = [[recordOf(0), recordOf(1)], [recordOf(3)]]
    counts = [3, 3]
    lists.length = 0
    await provision()
    expect(records).toHaveLength(4)
    expect(lists).toEqual([null, null])
  })
})
