import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '../support/client.ts'
import { type SecondGateway, startSecondGateway } from '../support/second-gateway.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeRestOrganization, sendTo } from './twelve-endpoints.ts'

const cluster = sharedCluster()
const { id: org, users, send } = await makeRestOrganization(cluster, 'sessions')
const withHeader = (authorization: string, operation = 'GET /orgs') =>
  send(operation, { as: 'anonymous', headers: { authorization } })

describe('a session token, for humans', () => {
  let session = ''
  let cookie = ''
  beforeAll(async () => {
    const body = { token: cluster.adminToken }
    const answer = await send('POST /auth/session', { as: 'anonymous', body })
    session = answer.body.token
    cookie = answer.headers.get('set-cookie') ?? ''
  })

  test.each(['Bearer', 'JWT'])('is taken as `Authorization: %s`', async (scheme) => {
    const { status, body } = await withHeader(`${scheme} ${session}`)
    expect([status, body.map(({ id }: { id: string }) => id)]).toEqual([200, expect.arrayContaining([org])])
  })

  test('is in the cookie `token`', () => {
    expect(cookie.split(';')[0]).toBe(`token=${session}`)
  })

  test.each(['Basic', 'Token', 'bearer:', ''])('by the scheme %j is refused: 403', async (scheme) => {
    expect((await withHeader(`${scheme} ${session}`.trim())).status).toBe(403)
  })
})

describe('an API token, for machines', () => {
  const user = users.viewer
  const path = `/users/${user}/tokens`

  test('is generated for a service user, and revoked by an administrator: 403 within a second', async () => {
    const { status, body } = await send(`POST ${path}`, { body: { id: 'narrow', description: 'x' } })
    expect([status, body]).toEqual([200, { token: expect.stringMatching(/^qm_/), type: 'static' }])
    const header = `Bearer ${body.token}`
    expect((await withHeader(header, 'GET ~/apps/shop/envs/dev/resources')).status).toBe(200)
    expect((await send(`DELETE ${path}/narrow`, { as: 'viewer' })).status).toBe(403)
    expect((await send(`DELETE ${path}/narrow`)).status).toBe(204)
    await eventually('403', 1000, async () => (await withHeader(header)).status === 403 || undefined)
  })

  test('is no `JWT`: 403', async () => {
    expect((await withHeader(`JWT ${cluster.adminToken}`)).status).toBe(403)
  })
})

describe('the rate of requests', () => {
  let slow: SecondGateway
  beforeAll(async () => {
    slow = await startSecondGateway(cluster, 'slow-gateway', {
      QUARTERMASTER_REQUESTS_PER_SECOND: '1',
      QUARTERMASTER_REQUEST_BURST: '3',
    })
  })
  afterAll(() => slow?.stop())

  test('above the limit is answered 429 with Retry-After, and after that time requests are taken again', async () => {
    const get = () => sendTo(slow.url, 'GET /orgs', {}, cluster.adminToken)
    const begun = performance.now()
    const answers = await Promise.all(Array.from({ length: 30 }, get))
    const seconds = (performance.now() - begun) / 1000
    const taken = answers.filter(({ status }) => status === 200).length
    const refused = answers.filter(({ status }) => status === 429)
    expect(taken + refused.length).toBe(answers.length)
    expect(taken).toBeGreaterThanOrEqual(3)
    expect(taken).toBeLessThanOrEqual(3 + seconds)
    expect(refused).not.toEqual([])
    for (const { headers, body } of refused) {
      expect(body).toEqual({ error: 'TooManyRequests', message: expect.any(String) })
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    const waits = refused.map(({ headers }) => Number(headers.get('retry-after')))
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(...waits) * 1000 + 100)
    })
    expect((await get()).status).toBe(200)
  })
})
