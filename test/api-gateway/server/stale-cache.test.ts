import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

let gateway: TestGateway

let isAlive = true

beforeAll(async () => {
  gateway = await startGateway({ isAlive: () => isAlive })
})
afterAll(() => gateway.close())

/** Puts the last contact of the gateway with the cluster so far in the past. */
function silence(milliseconds: number): void {
  Object.assign(gateway.cluster.store, { silentMs: () => milliseconds })
}

const session = { as: null, body: { token: tokenOf('admin') } }

describe('a gateway without contact with the cluster', () => {
  test.each<[long: string, milliseconds: number, operation: string, request: object, status: number]>([
    ['for a moment reads', 5000, 'GET /orgs/acme/apps', {}, 200],
    ['for almost five minutes reads', 299_000, 'GET /orgs/acme/apps', {}, 200],
    ['for almost five minutes opens sessions', 299_000, 'POST /auth/session', session, 200],
    ['for almost five minutes is ready', 299_000, 'GET /readyz', { as: null }, 200],
    ['for longer refuses every token', 301_000, 'GET /orgs/acme/apps', {}, 500],
    ['for longer refuses every token of a write', 301_000, 'DELETE /orgs/acme/apps/shop', {}, 500],
    ['for longer opens no session', 301_000, 'POST /auth/session', session, 500],
    ['for longer still wants a token', 301_000, 'GET /orgs/acme/apps', { as: null }, 401],
    ['for longer is not ready', 301_000, 'GET /readyz', { as: null }, 503],
    ['for longer is alive', 301_000, 'GET /livez', { as: null }, 200],
    ['for a moment again reads again', 10, 'GET /orgs/acme/apps', {}, 200],
  ])('%s', async (_, milliseconds, operation, request, status) => {
    silence(milliseconds)
    expect((await gateway.send(operation, request)).status).toBe(status)
  })
})

test('a gateway that a restart would heal is not alive', async () => {
  isAlive = false
  const { status, body } = await gateway.send('GET /livez', { as: null })
  expect([status, body]).toEqual([
    503,
    {
      error: 'Internal',
      message: 'a watch has no answer for minutes, although the API server answers: restart this process',
    },
  ])
  isAlive = true
  expect((await gateway.send('GET /livez', { as: null })).status).toBe(200)
})
