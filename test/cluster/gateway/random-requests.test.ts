import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import type { Ids } from '../../api-gateway/support/everything.ts'
import { tokenOf } from '../../api-gateway/support/gateway.ts'
import { createClient, faultOf, type WildRequest, wildRequests } from '../../api-gateway/support/requests.ts'
import { fc } from '../../support/properties.ts'
import { eventually } from '../support/client.ts'
import { makeEverything, makeMember, makeUser } from '../support/everything.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const requests = process.env.QUARTERMASTER_SOAK ? 10_000 : 600
const client = createClient({ port: Number(new URL(cluster.gatewayUrl).port) })
/** Operations that need another server, or that delete objects shared by all test files. */
const elsewhere = /check|redeliver|^\/users|current-user|^\/auth/

let user: Awaited<ReturnType<typeof makeUser>>
let ids: Ids

beforeAll(async () => {
  user = await makeUser(cluster, 'fuzzer')
  const made = await makeEverything(cluster, 'fuzz')
  ids = made.ids
  await makeMember(made.organization, user, { role: 'administrator' })
  const look = {
    method: 'GET',
    target: `/orgs/${ids['org_id']}/apps`,
    headers: { authorization: `Bearer ${user.token}` },
  }
  await eventually('access', 30_000, async () =>
    (await client.send(look)).status === 200 ? true : undefined,
  )
})
afterAll(async () => {
  client.close()
  await user?.remove()
})

/** The same by a user of this cluster. */
function asUser({ headers, ...rest }: WildRequest): WildRequest {
  const { authorization, ...others } = headers
  if (authorization !== `Bearer ${tokenOf('admin')}`) return { headers, ...rest }
  return { headers: { ...others, authorization: `Bearer ${user.token}` }, ...rest }
}

test(`${requests} requests, however odd, get answers from the real gateway that the document knows`, async () => {
  const operations = endpoints.filter(({ path }) => !elsewhere.test(path))
  // Requests that delete the application would leave the others without objects.
  const kept = operations.filter(({ method, path }) => method !== 'delete' || path.split('/').length > 7)
  const faults: string[] = []
  for (const each of fc.sample(wildRequests(kept, [ids]), requests)) {
    const request = asUser(each)
    const fault = faultOf(request, await client.send(request))
    const { method, target, body } = request
    if (fault !== undefined)
      faults.push(`${method} ${target} ${body?.toString().slice(0, 300) ?? ''}: ${fault}`)
  }
  expect(faults).toEqual([])
  expect((await client.send({ method: 'GET', target: '/livez', headers: {} })).status).toBe(200)
}, 600_000)
