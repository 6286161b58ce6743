import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Request, Response } from 'express'
import { createAudit } from '../../../../api-gateway/audit/audit.ts'
import { silentLog } from '../../../../operator/log.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'

const start = Date.UTC(2026, 5, 1)
const minute = 60_000
let now = start
let gateway: TestGateway

beforeEach(async () => {
  now = start
  gateway = await startGateway({ now: () => now })
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', { role: 'manager' })
})
afterEach(() => gateway.close())

const path = '/orgs/acme/audit-logs'

/** Deletes applications that are not there, one a minute. */
async function refuse(names: readonly string[], organization = 'acme'): Promise<void> {
  for (const name of names) {
    now += minute
    await gateway.send(`DELETE /orgs/${organization}/apps/${name}`)
  }
}

/** The target of a link as the gateway sees it, for a client behind a proxy with a path prefix. */
function behindPrefix(link: string, page: string): string {
  const prefix = '/api/quartermaster'
  const { pathname, search } = new URL(link, `https://proxy.test${prefix}${page}`)
  expect(pathname).toBe(prefix + path)
  return path + search
}

/** The names that a list of refusals holds. */
function namesIn(records: readonly { path_parameters: Record<string, string> }[]): unknown[] {
  return records.map(({ path_parameters }) => path_parameters['app_id'])
}

async function list(query = ''): Promise<unknown[]> {
  const { status, body } = await gateway.send(`GET ${path}${query}`)
  expect(status).toBe(200)
  return namesIn(body)
}

describe('the list of records', () => {
  test('has the newest first, and the fields that clients expect', async () => {
    await refuse(['one', 'two'])
    const { body } = await gateway.send(`GET ${path}`)
    expect(namesIn(body)).toEqual(['two', 'one'])
    expect(body[1]).toMatchObject({
      at: new Date(start + minute).toISOString(),
      user_id: 'admin',
      request_method: 'DELETE',
      request_path: '/orgs/acme/apps/one',
      response_status: 404,
      org_id: 'acme',
    })
  })

  test.each([
    ['a member who is no administrator', 'ana', 403],
    ['a user of another organization', 'stranger', 403],
    ['a caller without a role', null, 401],
  ])('is not for %s', async (_, as, status) => {
    gateway.addUser('stranger')
    gateway.addMember('globex', 'stranger', { role: 'administrator' })
    expect((await gateway.send(`GET ${path}`, { as })).status).toBe(status)
  })

  test('has no records of other organizations, and none without an organization', async () => {
    await refuse(['theirs'], 'globex')
    await gateway.send('DELETE /users/unknown/tokens/none')
    await gateway.send('GET /nothing')
    expect(await list()).toEqual([])
  })

  test.each([-60, 0, 60])(
    'has all of an organization, and nothing of an earlier one, with a clock %s minutes ahead of the API server',
    async (minutes) => {
      now = start + minutes * minute
      await refuse(['old'])
      gateway.cluster.addOrganization('acme', 'acme', new Date(now - minutes * minute).toISOString())
      await refuse(['new'])
      expect(await list()).toEqual(['new'])
    },
  )

  test.each([
    ['from, inclusive', `?from=${new Date(start + 2 * minute).toISOString()}`, ['three', 'two']],
    ['to, exclusive', `?to=${new Date(start + 2 * minute).toISOString()}`, ['one']],
    ['user_id', '?user_id=ana', []],
    ['no user_id', '?user_id=&result=', ['three', 'two', 'one']],
    ['result', '?result=refused', ['three', 'two', 'one']],
    ['another result', '?result=success', []],
  ])('is narrowed by %s', async (_, query, expected) => {
    await refuse(['one', 'two', 'three'])
    expect(await list(query)).toEqual(expected)
  })

  test.each([
    'per_page=0',
    'per_page=101',
    'per_page=many',
    'from=yesterday',
    'from=2026-12-31T23:59:60Z',
    'from=2026-01-01T00:00:00%2B02',
    'to=2026-12-31T23:59:60Z',
    'result=fine',
    'page=0-1',
  ])('%s is refused with 400', async (query) => {
    expect((await gateway.send(`GET ${path}?${query}`)).status).toBe(400)
  })

  test('has pages that Link connects, also when records arrive in between', async () => {
    await refuse(['one', 'two', 'three', 'four', 'five'])
    const pages: unknown[][] = []
    let next: string | undefined = `${path}?per_page=2&result=refused`
    while (next !== undefined) {
      const { body, headers } = await gateway.send(`GET ${next}`)
      pages.push(namesIn(body))
      const link = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
      next = link && behindPrefix(link, next)
      await refuse(['later'])
    }
    expect(pages).toEqual([['five', 'four'], ['three', 'two'], ['one']])
  })

  test('has pages of 50, of at most 100', async () => {
    await refuse(Array.from({ length: 101 }, (_, i) => `app-${i}`))
    expect(await list()).toHaveLength(50)
    expect(await list('?per_page=100')).toHaveLength(100)
  })
})

describe('the buffer of records', () => {
  const limit = 10

  function keeper() {
    const audit = createAudit({ log: silentLog, store: gateway.cluster.store, now: () => now, limit })
    const record = (organization: string, user: string, times = 1) => {
      const app_id = 'a'.repeat(8000)
      const request = {
        method: 'GET',
        path: `/orgs/${organization}/${app_id}`,
        params: { org_id: organization, app_id },
        query: {},
        socket: {},
      } as unknown as Request // what of it is read
      const response = { locals: { userName: user } } as unknown as Response // what of it is read
      for (let i = 0; i < times; i += 1) audit.record(request, response, 404)
    }
    const kept = (organization: string, user?: string) =>
      audit.newest(organization).filter(({ user_id }) => user === undefined || user_id === user).length
    return { audit, record, kept }
  }

  test('is the newest records up to the limit, and a few hundred bytes of each', () => {
    const { audit, record, kept } = keeper()
    record('acme', 'admin', 25)
    expect(kept('acme')).toBe(limit)
    expect(audit.newest('acme').map(({ id }) => Number(id.split('-')[1]))).toEqual(
      Array.from({ length: limit }, (_, i) => 25 - i),
    )
    expect(JSON.stringify(audit.newest('acme')).length).toBeLessThan(limit * 1500)
  })

  test('of one organization does not give way to the many records of another', () => {
    const { record, kept } = keeper()
    record('globex', 'admin', 3)
    record('acme', 'admin', 100)
    expect([kept('globex'), kept('acme')]).toEqual([3, 7])
  })

  test('of one organization has room although another one has filled it before', () => {
    const { record, kept } = keeper()
    record('acme', 'admin', 100)
    record('globex', 'admin', 3)
    expect([kept('globex'), kept('acme')]).toEqual([3, 7])
  })

  test('of members does not give way to the many refusals of strangers', () => {
    const { record, kept } = keeper()
    record('acme', 'admin', 3)
    record('acme', 'stranger', 50)
    record('acme', '', 50)
    expect([kept('acme', 'admin'), kept('acme')]).toEqual([3, limit])
  })

  test('of a missing organization is empty', () => {
    const { record, kept } = keeper()
    record('none', 'admin')
    expect(kept('none')).toBe(0)
  })
})
