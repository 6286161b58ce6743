import { afterAll, beforeAll, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { fc } from '../../support/properties.ts'
import { addApplication, addEverything, type Ids, keepState, pathWith } from '../support/everything.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'
import { createClient, faultOf } from '../support/requests.ts'
import { changesOf, makeChange } from '../support/stored-changes.ts'

const rounds = process.env.QUARTERMASTER_SOAK ? 500 : 30

let gateway: TestGateway
let client: ReturnType<typeof createClient>
let restore: () => void
let ids: Ids

beforeAll(async () => {
  gateway = await startGateway()
  client = createClient(gateway)
  ids = await addEverything(gateway, 'acme', 'acme')
  await addApplication(gateway, 'acme', 'other', 'other')
  restore = keepState(gateway.cluster)
})
afterAll(async () => {
  client.close()
  await gateway.close()
})

test('for every object that kubectl can store, every GET answers as documented', async () => {
  const gets = endpoints.filter(({ method }) => method === 'get')
  const headers = { authorization: `Bearer ${tokenOf('admin')}` }
  const property = fc.asyncProperty(fc.array(changesOf(ids), { minLength: 3, maxLength: 6 }), async (all) => {
    restore()
    for (const each of all) makeChange(gateway.cluster, each)
    for (const { path } of gets) {
      const request = { method: 'GET', target: pathWith(path, ids), headers }
      const fault = faultOf(request, await client.send(request))
      if (fault !== undefined) throw new Error(fault)
    }
  })
  await fc.assert(property, { numRuns: rounds })
}, 300_000)
