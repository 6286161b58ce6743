import { beforeAll, describe, expect, test } from '@jest/globals'
import { exactly, listWith, makeWalker, type Walker, walk } from './client-steps.ts'

let walker: Walker
const it = () => walker
const text = expect.any(String)

beforeAll(async () => {
  walker = await makeWalker('app terraform-provider-humanitec/1.0.0; sdk humanitec-go-autogen/latest')
  await walker.send('POST ~/env-types', { id: 'qa', description: 'Tests' })
  await walker.send('POST ~/apps', { id: 'shop', name: 'Shop' })
})

describe('resource types: written by their qualified name, read from the list', () => {
  const inputs = { type: 'object', properties: { size: { type: 'string' } } }
  const outputs = { type: 'object', properties: { values: { type: 'object' }, secrets: { type: 'object' } } }
  const schemas = { inputs_schema: inputs, outputs_schema: outputs }
  const rest = { name: 'Store', use: 'direct', category: 'datastore', ...schemas }
  const exact = { inputs_schema: exactly(inputs), outputs_schema: exactly(outputs) }
  let type = ''
  const step = (request: string, more: object) => walker.follow({ request, status: 200, ...more })
  beforeAll(() => {
    type = `${walker.organization.id}/store`
  })

  test('create, list, replace, delete', async () => {
    const path = `~/resources/types/${encodeURIComponent(type)}`
    await step('POST ~/resources/types', { body: { type, ...rest }, expected: { type, ...rest, ...exact } })
    await step('GET ~/resources/types', { expected: listWith({ type, ...rest }) })
    await step(`PUT ${path}`, {
      body: { ...rest, name: 'Shelf' },
      expected: { type, ...rest, name: 'Shelf' },
    })
    for (const each of [type, 'mysql']) {
      const classes = `~/resources/types/${encodeURIComponent(each)}/classes`
      const small = { id: 'small', description: 'Small' }
      await step(`POST ${classes}`, { body: small, expected: { ...small, resource_type: each } })
      await step(`PATCH ${classes}/small`, {
        body: { description: 'Tiny' },
        expected: { description: 'Tiny' },
      })
      await step(`GET ${classes}/small`, { expected: { id: 'small', description: 'Tiny' } })
      await step(`DELETE ${classes}/small`, { status: 204 })
      await step(`GET ${classes}/small`, { status: 404 })
    }
    await step(`DELETE ${path}`, { status: 204 })
  })
})

describe('users, roles, tokens', () => {
  const user = { name: 'Robot', role: 'member' }
  walk(it, [
    {
      request: 'POST ~/users',
      body: user,
      status: 200,
      expected: { id: text, name: 'Robot', type: 'service', created_at: text },
      absent: ['email'],
      keep: { user: 'id' },
    },
    { request: 'GET ~/users/<user>', status: 200, expected: { ...user, type: 'service' } },
    {
      request: 'GET ~/users?type=user',
      status: 200,
      expected: listWith({ id: 'admin', role: 'administrator' }),
    },
    {
      request: 'PATCH ~/users/<user>',
      body: { role: 'manager' },
      status: 200,
      expected: { role: 'manager' },
    },
    { request: 'GET ~/users/<user>/perms', status: 200, expected: { objects: expect.any(Object) } },
    { request: 'GET ~/apps/shop/users/<user>', status: 404 },
    { request: 'PATCH ~/apps/shop/users/<user>', body: { role: 'owner' }, status: 404 },
    {
      request: 'POST /users/<user>/tokens',
      body: { id: 'ci', type: 'static', expires_at: '2099-01-01T00:00:00.000Z' },
      status: 200,
      expected: { token: text },
    },
    {
      request: 'GET /users/<user>/tokens/ci',
      status: 200,
      expected: { id: 'ci', description: '', expires_at: '2099-01-01T00:00:00.000Z' },
    },
    { request: 'DELETE /users/<user>/tokens/ci', status: 204 },
  ])

  const role = (path: string, first: object, second: object) =>
    walk(it, [
      { request: `POST ${path}`, body: { id: '<user>', ...first }, status: 200, expected: first },
      { request: `GET ${path}/<user>`, status: 200, expected: first },
      { request: `PATCH ${path}/<user>`, body: second, status: 200, expected: second },
      { request: `DELETE ${path}/<user>`, status: 204 },
      { request: `GET ${path}/<user>`, status: 404 },
    ])
  describe('a role on an application', () =>
    role('~/apps/shop/users', { role: 'developer' }, { role: 'owner' }))
  describe('a role on an environment type', () =>
    role('~/env-types/qa/users', { role: 'deployer' }, { role: 'deployer' }))

  describe('a role on an environment type is deleted with it: a later type of that id has only its own', () => {
    const deployer = { id: '<user>', role: 'deployer' }
    walk(it, [
      { request: 'POST ~/env-types/qa/users', body: deployer, status: 200 },
      { request: 'POST ~/env-types/development/users', body: deployer, status: 200 },
      { request: 'DELETE ~/env-types/qa', status: 204 },
      { request: 'GET ~/env-types/qa', status: 404 },
      { request: 'POST ~/env-types', body: { id: 'qa' }, status: 201 },
      { request: 'GET ~/env-types/qa/users/<user>', status: 404 },
      { request: 'GET ~/env-types/development/users/<user>', status: 200 },
    ])
  })

  describe('a user that is deleted is nowhere any more', () => {
    walk(it, [
      { request: 'POST ~/apps/shop/users', body: { id: '<user>', role: 'owner' }, status: 200 },
      { request: 'DELETE ~/users/<user>', status: 204 },
      { request: 'GET ~/users/<user>', status: 404 },
      { request: 'GET ~/apps/shop/users/<user>', status: 404 },
      { request: 'GET ~/env-types/development/users/<user>', status: 404 },
      { request: 'GET /users/<user>/tokens', status: 404 },
    ])
  })
})

describe('webhooks are returned as sent', () => {
  const webhook = {
    id: 'chat',
    url: 'https://example.com/chat',
    headers: {},
    payload: null,
    triggers: [{ scope: 'environment', type: 'created' }],
    disabled: false,
  }
  const changed = { ...webhook, payload: { text: '${event}' }, disabled: true }
  walk(it, [
    { request: 'POST ~/apps/shop/webhooks', body: webhook, status: 201, expected: webhook },
    { request: 'GET ~/apps/shop/webhooks/chat', status: 200, expected: { ...webhook, headers: exactly({}) } },
    {
      request: 'PATCH ~/apps/shop/webhooks/chat',
      body: changed,
      status: 200,
      expected: changed,
    },
    { request: 'DELETE ~/apps/shop/webhooks/chat', status: 204 },
    { request: 'GET ~/apps/shop/webhooks/chat', status: 404 },
  ])
})

describe('an existing object is refused', () => {
  const chat = { id: 'chat', url: 'example.com', disabled: true }
  const driver = {
    id: 'ours',
    type: 's3',
    target: 'https://example.com',
    inputs_schema: {},
    account_types: [],
  }
  const type = (id: string) => ({ id, name: id, type: 'development' })
  const taken: readonly [path: string, body: object, status: number][] = [
    ['~/env-types', { id: 'taken' }, 201],
    ['~/apps', { id: 'taken', name: 'Taken' }, 201],
    ['~/apps/shop/envs', type('taken'), 201],
    ['~/apps/shop/values', { key: 'TAKEN', description: null, value: '' }, 201],
    ['~/apps/shop/envs/development/values', { key: 'TAKEN', description: null, value: '' }, 201],
    ['~/apps/shop/webhooks', chat, 201],
    ['~/resources/drivers', driver, 200],
    ['~/resources/accounts', { id: 'taken', name: 'Taken', type: 'local', credentials: {} }, 200],
  ]
  walk(
    it,
    taken.flatMap(([path, body, status]) => [
      { request: `POST ${path}`, body, status },
      { request: `POST ${path}`, body, status: 409, expected: { error: 'Conflict', message: text } },
    ]),
  )
})

describe('an application is deleted: the client polls until 404', () => {
  walk(it, [
    { request: 'DELETE ~/apps/shop/envs/development', status: 204, again: [202] },
    { request: 'DELETE ~/apps/shop', status: 204, again: [202] },
    { request: 'GET ~/apps/shop', status: 404 },
    {
      request: 'POST ~/apps',
      body: { id: 'shop', name: 'Shop', skip_environment_creation: true },
      status: 201,
    },
    { request: 'DELETE ~/apps/shop', status: 204, again: [202] },
    { request: 'DELETE ~/apps/shop', status: 404 },
  ])
})
