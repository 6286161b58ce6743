import { beforeAll, expect, test } from '@jest/globals'
import { eventually, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'latest')
const deploys = '/apps/shop/envs/dev/deploys'
const type = 'redis'

async function send(operation: string, body?: unknown) {
  const [method = '', path = ''] = operation.split(' ')
  const answer = await organization.rest(method, path, body)
  expect([operation, answer.status < 300]).toEqual([operation, true])
  return answer.body
}

async function deploy(body: object): Promise<string> {
  const { id } = await send(`POST ${deploys}`, body)
  return eventually('the end of the deployment', 30_000, async () => {
    const { status } = await send(`GET ${deploys}/${id}`)
    return ['succeeded', 'failed'].includes(status) ? (status as string) : undefined
  })
}

beforeAll(async () => {
  await organization.application('shop')
  await organization.environment('shop', 'dev')
})

test('a deployment uses the definition that its client wrote just before, every time', async () => {
  const web = { profile: 'humanitec/default-module', spec: {}, externals: { cache: { type } } }
  const { id: delta_id } = await send('POST /apps/shop/deltas', { modules: { add: { web } } })
  const inputs = (host: string) => ({ driver_inputs: { values: { host, port: 1 } } })
  const definition = { id: 'cache', name: 'Cache', type, driver_type: 'quartermaster/echo', criteria: [{}] }
  await send('POST /resources/defs', { ...definition, ...inputs('first') })
  expect(await deploy({ delta_id })).toBe('succeeded')
  for (let round = 0; round < 20; round += 1) {
    await send('PATCH /resources/defs/cache', inputs(`host-${round}`))
    expect(await deploy({})).toBe('succeeded')
    const resource = (await organization.resources()).find(({ spec }) => spec.type === type)
    expect(resource?.status?.outputs).toMatchObject({ host: `host-${round}` })
  }
})
