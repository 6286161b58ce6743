import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

/** The counted requests of a route, by status. */
async function countsOf(method: string, route: string): Promise<Record<string, number>> {
  const { body } = await gateway.send('GET /metrics', { as: null })
  const lines = String(body).matchAll(
    /^quartermaster_gateway_requests_total\{method="(\w+)",route="([^"]*)",status="([^"]*)"\} (\d+)$/gm,
  )
  const own = [...lines].filter(([, ...labels]) => labels[0] === method && labels[1] === route)
  return Object.fromEntries(own.map(([, , , status = '', count]) => [status, Number(count)]))
}

/** Waits for a count: metrics are rendered once a second. */
async function untilCounted(method: string, route: string): Promise<Record<string, number>> {
  for (;;) {
    const counts = await countsOf(method, route)
    if (Object.keys(counts).length > 0) return counts
    await sleep(50)
  }
}

test('a request whose client leaves before the answer is counted without a status', async () => {
  const socket = connect(gateway.port, '127.0.0.1')
  await once(socket, 'connect')
  const head = `Host: a\r\nAuthorization: Bearer ${tokenOf('admin')}\r\nContent-Type: application/json`
  socket.write(
    `POST /orgs/acme/apps HTTP/1.1\r\n${head}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
  )
  await once(socket, 'data') // the gateway waits for the body
  socket.destroy()
  expect(await untilCounted('POST', '/orgs/{org_id}/apps')).toEqual({ none: 1 })
})

test('a request is counted with the status of its answer', async () => {
  await gateway.send('GET /orgs/acme/apps/shop')
  expect(await untilCounted('GET', '/orgs/{org_id}/apps/{app_id}')).toEqual({ '404': 1 })
})
