import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { fc } from '../../support/properties.ts'
import {
  acceptCredentials,
  addApplication,
  addEverything,
  type Ids,
  keepState,
} from '../support/everything.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { createClient, faultOf, type WildRequest, wildRequests } from '../support/requests.ts'

const requests = process.env.QUARTERMASTER_SOAK ? 20_000 : 1000
const perSequence = 4

let gateway: TestGateway
let client: ReturnType<typeof createClient>
let restore: () => void
let ids: Ids[]

beforeAll(async () => {
  gateway = await startGateway()
  client = createClient(gateway)
  const acme = await addEverything(gateway, 'acme', 'acme')
  const globex = await addEverything(gateway, 'globex', 'globex')
  const other = { ...acme, ...(await addApplication(gateway, 'acme', 'other', 'other')) }
  ids = [acme, acme, acme, globex, other]
  acceptCredentials(gateway.cluster)
  restore = keepState(gateway.cluster)
})
afterAll(async () => {
  client.close()
  await gateway.close()
})

/** Sends a request and, when it changed something, reads it back; returns the problems of the answers. */
async function faultsOf(request: WildRequest): Promise<string[]> {
  const response = await client.send(request)
  const faults = [faultOf(request, response)]
  const {
    method,
    target,
    headers: { authorization = '' },
  } = request
  if (method !== 'GET' && response.status < 300) {
    const [path = ''] = target.split('?')
    for (const place of [path, path.slice(0, path.lastIndexOf('/'))]) {
      const look = { method: 'GET', target: place, headers: { authorization } }
      if (place !== '') faults.push(faultOf(look, await client.send(look)))
    }
  }
  return faults.filter((fault) => fault !== undefined)
}

function shown({ body, ...rest }: WildRequest): string {
  return JSON.stringify({ ...rest, body: body?.toString() })
}

test('no request, however odd, gets an answer that the document does not know', async () => {
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  const sequence = fc.array(wildRequests(endpoints, ids), { minLength: perSequence, maxLength: perSequence })
  const property = fc.asyncProperty(sequence, async (all) => {
    restore()
    for (const request of all) {
      const faults = await faultsOf(request)
      if (faults.length > 0) {
        const errors = gateway.logged.map(({ fields }) => (fields as { error?: Error }).error?.stack)
        throw new Error(`${faults.join('; ')}: ${shown(request)} ${errors.join('\n')}`)
      }
    }
  })
  await fc.assert(property, { numRuns: requests / perSequence, endOnFailure: true })
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited)
  expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([])
  expect((await gateway.send('GET /livez', { as: null })).status).toBe(200)
}, 300_000)
