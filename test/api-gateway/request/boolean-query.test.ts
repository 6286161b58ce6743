import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { addEnvironment, addResource } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const names = new Set([
  'archived',
  'check_credential',
  'deleted',
  'detach',
  'dry_run',
  'force',
  'scheduled_deletion',
])
const switches = endpoints.flatMap(({ method, path, query = {} }) =>
  Object.keys(query)
    .filter((name) => names.has(name))
    .map((name) => [method.toUpperCase(), path, name] as const),
)
const app = '/orgs/acme/apps/shop'
const environment = `${app}/envs/development`

describe.each(switches)('%s %s?%s', (method, path, name) => {
  const target = path
    .replace('{org_id}', 'acme')
    .replace('{app_id}', 'shop')
    .replace('{env_id}', 'development')
    .replaceAll(/\{\w+\}/g, 'fade') // what may be hexadecimal too
  const send = (query: string) =>
    gateway.send(`${method} ${target}?${query}`, method.startsWith('P') ? { text: '' } : {})
  const isTaken = ({ body }: { body: { message?: string } }) => !String(body?.message).startsWith('query: ')

  const isRead = method === 'GET'
  const empty = ['=', '']
  test.each(['=true', '=True', '=TRUE', '=false', '=False', ...(isRead ? empty : [])])(
    '%j is taken',
    async (value) => {
      expect(isTaken(await send(name + value))).toBe(true)
    },
  )

  const wrong = ['=yes', '=1', '=%20', '=truefalse', `=true&${name}=true`]
  test.each([...wrong, ...(isRead ? [] : empty)])('%j is refused', async (value) => {
    expect([(await send(name + value)).status, isTaken(await send(name + value))]).toEqual([400, false])
  })
})

describe('an operation without a dry run refuses one, and does nothing', () => {
  const writes = endpoints
    .filter(({ method, query = {} }) => method !== 'get' && !('dry_run' in query))
    .map(({ method, path }) => [method.toUpperCase(), path] as const)

  test.each(writes)('%s %s', async (method, path) => {
    const target = path
      .replace('{org_id}', 'acme')
      .replace('{app_id}', 'shop')
      .replace('{env_id}', 'development')
      .replaceAll(/\{\w+\}/g, 'fade')
    for (const query of ['dry_run=true', 'dry_run=false&dry_run=True', 'dry_run']) {
      const { status, body } = await gateway.send(`${method} ${target}?${query}`, { body: {} })
      expect([status, body.message]).toEqual([400, expect.stringContaining('no dry run')])
    }
    expect(gateway.cluster.store.get(Environment, 'acme', 'shop.development')).toBeDefined()
  })
})

test.each([
  ['True', true],
  ['False', false],
])('detach=%s', async (value, isDetached) => {
  const metadata = { finalizers: ['quartermaster.dev/finalizer'] }
  const name = addResource(gateway, {}, { metadata })
  await gateway.send(`DELETE ${environment}/resources/dns/shared.main?detach=${value}`)
  const { annotations: marks = {} } = gateway.cluster.store.get(ActiveResource, 'acme', name)?.metadata ?? {}
  expect(marks[annotations.detach] !== undefined).toBe(isDetached)
})

test('?detach without a value deletes nothing', async () => {
  const name = addResource(gateway)
  const { status } = await gateway.send(`DELETE ${environment}/resources/dns/shared.main?detach`)
  const { deletionTimestamp } = gateway.cluster.store.get(ActiveResource, 'acme', name)?.metadata ?? {}
  expect([status, deletionTimestamp]).toEqual([400, undefined])
  expect(gateway.cluster.store.get(ActiveResource, 'acme', name)).toBeDefined()
})

test.each([
  ['True', ['shared.going']],
  ['FALSE', ['shared.main']],
  ['', ['shared.going', 'shared.main']],
])('scheduled_deletion=%s', async (value, expected) => {
  addResource(gateway)
  const metadata = { finalizers: ['quartermaster.dev/finalizer'], deletionTimestamp: '2026-03-01T00:00:00Z' }
  addResource(gateway, { resourceId: 'shared.going' }, { metadata })
  const { body } = await gateway.send(`GET ${environment}/resources?scheduled_deletion=${value}`)
  expect(body.map(({ res_id }: { res_id: string }) => res_id)).toEqual(expected)
})

test.each([
  ['True', 0],
  ['False', 1],
  ['', 1],
])('archived=%s', async (value, count) => {
  await gateway.send(`POST ${app}/deltas`, { body: {} })
  expect((await gateway.send(`GET ${app}/deltas?archived=${value}`)).body).toHaveLength(count)
})

const account = { id: 'cf', name: 'CF', type: 'any', credentials: { token: 'x' } }
const definition = { id: 's3', name: 'S3', type: 's3', driver_type: 'quartermaster/echo', criteria: [{}] }
test.each([
  [`POST ${environment}/deploys`, {}, 200, 201],
  [`POST ${app}/pipeline-runs`, { env_id: 'development', set_id: 'none' }, 400, 400],
  ['POST /orgs/acme/resources/accounts', account, 204, 200],
  ['POST /orgs/acme/resources/defs', definition, 200, 200],
])('%s?dry_run=True writes nothing, and is recorded as such', async (operation, body, tried, done) => {
  for (const value of ['True', 'TRUE']) {
    expect((await gateway.send(`${operation}?dry_run=${value}`, { body })).status).toBe(tried)
    const record = gateway.logged.findLast(({ message }) => message === 'audit')
    expect(record?.fields).toMatchObject({ dry_run: true })
  }
  for (const query of ['dry_run', 'dry_run='])
    expect((await gateway.send(`${operation}?${query}`, { body })).status).toBe(400)
  expect(gateway.cluster.writes).toEqual([])
  expect((await gateway.send(`${operation}?dry_run=false`, { body })).status).toBe(done)
})
