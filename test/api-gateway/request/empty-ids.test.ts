import { describe, expect, test } from '@jest/globals'
import { addEnvironment, finish } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const org = '/orgs/acme'
const app = `${org}/apps/shop`
const deploys = `${app}/envs/development/deploys`
const definition = { id: 's3', name: 'S3', type: 's3', driver_type: 'quartermaster/echo' }

/** The id of the set of a finished deployment. */
async function newSet(): Promise<string> {
  const id = (await gateway.send(`POST ${deploys}`, { body: {} })).body.set_id
  finish(gateway, 'shop.development.1')
  return id
}

describe('an empty optional id is absent', () => {
  test('in a deployment of a set', async () => {
    const set_id = await newSet()
    const body = { delta_id: '', set_id, mode: '' }
    expect(await gateway.send(`POST ${deploys}`, { body })).toMatchObject({ status: 201, body: { set_id } })
  })

  test.each([{ delta_id: '', set_id: '' }, { delta_id: '' }, { set_id: '' }])(
    'but %j alone does not redeploy the current content: 400',
    async (body) => {
      await newSet()
      expect((await gateway.send(`POST ${deploys}`, { body })).status).toBe(400)
      expect((await gateway.send(`POST ${deploys}`, { body: {} })).status).toBe(201)
    },
  )

  test.each([
    ['of a set', (set_id: string) => ({ set_id, delta_id: '', deployment_id: '' }), 201],
    ['of a deployment', () => ({ deployment_id: 'shop.development.1', delta_id: '', set_id: '' }), 201],
    ['of nothing', () => ({ delta_id: '', set_id: '', deployment_id: '' }), 400],
  ])('in a run %s', async (_, more, status) => {
    const body = { env_id: 'development', trigger: '', ...more(await newSet()) }
    expect((await gateway.send(`POST ${app}/pipeline-runs`, { body })).status).toBe(status)
  })

  test('in an environment', async () => {
    const body = { id: 'testing', name: 'Testing', type: '', from_deploy_id: '' }
    const answer = await gateway.send(`POST ${app}/envs`, { body })
    expect(answer).toMatchObject({ status: 201, body: { type: 'development' } })
  })

  test.each([
    ['POST', `${app}/deltas`],
    ['PUT', `${app}/deltas/known`],
  ])('in a delta: %s', async (method, path) => {
    const { id } = (await gateway.send(`POST ${app}/deltas`, { body: {} })).body
    const body = { id: '', metadata: { env_id: '' } }
    const { status } = await gateway.send(`${method} ${path.replace('known', id)}`, { body })
    expect(status).toBe(method === 'POST' ? 200 : 204)
    for (const delta of (await gateway.send(`GET ${app}/deltas`)).body)
      expect(delta.metadata).not.toHaveProperty('env_id')
  })

  test.each(['POST', 'PUT', 'PATCH'])('in a definition: %s', async (method) => {
    const { id, type, ...rest } = definition
    const names = { driver_account: '', account_id: '' }
    await gateway.send(`POST ${org}/resources/defs`, { body: { ...definition, id: 'known' } })
    const { status, body } = await (method === 'POST'
      ? gateway.send(`POST ${org}/resources/defs`, { body: { ...definition, ...names } })
      : gateway.send(`${method} ${org}/resources/defs/known`, {
          body: { ...rest, ...names, driver_type: '' },
        }))
    expect(status).toBe(200)
    expect(body).toMatchObject({ driver_type: definition.driver_type })
    expect(body).not.toHaveProperty('driver_account')
    expect(body).not.toHaveProperty('account_id')
  })

  test('as the store of a secret', async () => {
    const driver_inputs = { secret_refs: { key: { store: '', ref: 'creds/key' } } }
    const { body } = await gateway.send(`POST ${org}/resources/defs`, {
      body: { ...definition, driver_inputs },
    })
    expect(body.driver_inputs.secret_refs).toEqual({ key: { store: 'kubernetes', ref: 'creds/key' } })
    const value = { key: 'KEY', description: '', secret_ref: driver_inputs.secret_refs.key }
    expect(await gateway.send(`POST ${app}/values`, { body: value })).toMatchObject({
      status: 201,
      body: { secret_key: 'creds/key', secret_store_id: 'kubernetes' },
    })
  })

  test.each([
    ['POST', `${app}/envs/development/resources/graphs`, [{ id: 'shared.main', type: 'dns', class: '' }]],
    ['PUT', `${app}/values/KEY`, { key: '', value: 'new', description: '' }],
    ['PATCH', `${app}/webhooks/hook`, { id: '', disabled: true }],
  ])('in %s %s', async (method, path, body) => {
    await gateway.send(`POST ${org}/resources/defs`, {
      body: { ...definition, id: 'dns', type: 'dns', criteria: [{}] },
    })
    await gateway.send(`POST ${app}/values`, { body: { key: 'KEY', value: 'old', description: '' } })
    await gateway.send(`POST ${app}/webhooks`, { body: { id: 'hook', url: 'a.test', triggers: [] } })
    expect((await gateway.send(`${method} ${path}`, { body })).status).toBe(200)
  })
})

test.each<[string, object]>([
  [`POST ${app}/envs`, { id: '', name: 'Testing' }],
  [`POST ${app}/pipeline-runs`, { env_id: '', set_id: 'x' }],
  [`POST ${org}/resources/defs`, { ...definition, driver_type: '' }],
  [`PUT ${app}/deltas/known/metadata/env_id`, { toJSON: () => '' }],
])('an empty id that is needed is refused: %s', async (operation, body) => {
  const { id } = (await gateway.send(`POST ${app}/deltas`, { body: {} })).body
  expect((await gateway.send(operation.replace('known', id), { body })).status).toBe(400)
})
