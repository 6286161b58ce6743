import { beforeAll, describe, expect, test } from '@jest/globals'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeRestOrganization, type Who } from './twelve-endpoints.ts'

const cluster = sharedCluster()
const { id: org, send } = await makeRestOrganization(cluster, 'refusals')
const everybody: readonly Who[] = ['member', 'viewer', 'developer', 'owner', 'manager', 'administrator']
const administrators: readonly Who[] = ['administrator']
const echo = 'quartermaster/echo'
const qualified = (name: string) => `${org}%2F${name}`

/** One of the twelve: the least that it needs, and who has it. */
interface Row {
  readonly operation: string
  readonly allowed: readonly Who[]
  readonly body?: unknown
  /** Methods that its path takes. */
  readonly methods: readonly string[]
  /** The same where something in the path is not there. */
  readonly missing?: string
}

let delta = ''
let serial = 0
/** An id that nothing has yet. */
const fresh = () => `new-${++serial}`
const shared = [{ shared: [{ op: 'add', path: '/spec/shared/x', value: { type: 'redis' } }] }]
const webhook = { url: 'hooks.example.com', headers: {}, payload: {}, triggers: [] }

beforeAll(async () => {
  delta = (await send('POST ~/apps/shop/deltas', { body: {} })).body.id
  await send('POST ~/resources/types', { body: { type: `${org}/kept`, use: 'direct' } })
  const body = { id: 'kept', name: 'Kept', type: 'redis', driver_type: echo, criteria: [] }
  await send('POST ~/resources/defs', { body })
})

const rows = (): Record<number, Row> => ({
  1: {
    operation: 'POST ~/resources/accounts',
    allowed: administrators,
    body: { id: fresh(), name: 'A', type: 'local', credentials: {} },
    methods: ['GET', 'HEAD', 'POST'],
  },
  2: {
    operation: 'POST ~/resources/dynamic',
    allowed: administrators,
    body: { id: fresh(), name: 'D', type: 'redis', driver_type: echo, criteria: [] },
    methods: ['GET', 'HEAD', 'POST'],
  },
  3: {
    operation: `PATCH ~/apps/shop/deltas/${delta}`,
    allowed: ['developer', 'owner', 'administrator'],
    body: shared,
    methods: ['GET', 'HEAD', 'PATCH', 'PUT'],
    missing: `PATCH ~/apps/shop/deltas/${'0'.repeat(40)}`,
  },
  4: {
    operation: 'POST ~/resources/types',
    allowed: administrators,
    body: { type: `${org}/${fresh()}`, use: 'direct' },
    methods: ['GET', 'HEAD', 'POST'],
  },
  5: { operation: 'GET ~/resources/types', allowed: everybody, methods: ['GET', 'HEAD', 'POST'] },
  6: {
    operation: `PATCH ~/resources/types/${qualified('kept')}`,
    allowed: administrators,
    body: { use: 'indirect' },
    methods: ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT'],
    missing: `PATCH ~/resources/types/${qualified('missing')}`,
  },
  7: {
    operation: `DELETE ~/resources/types/${qualified('missing')}`,
    allowed: administrators,
    methods: ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT'],
    missing: `DELETE ~/resources/types/${qualified('missing')}`,
  },
  8: {
    operation: 'GET ~/apps/shop/envs/dev/resources',
    allowed: ['viewer', 'developer', 'owner', 'administrator'],
    methods: ['GET', 'HEAD'],
    missing: 'GET ~/apps/shop/envs/missing/resources',
  },
  9: {
    operation: 'GET ~/resources/defs/kept/resources',
    allowed: administrators,
    methods: ['GET', 'HEAD'],
    missing: 'GET ~/resources/defs/missing/resources',
  },
  10: {
    operation: 'DELETE ~/apps/shop/envs/dev/resources/redis/shared.missing',
    allowed: administrators,
    methods: ['DELETE', 'GET', 'HEAD'],
    missing: 'DELETE ~/apps/shop/envs/dev/resources/redis.large/modules.a.externals.b',
  },
  11: {
    operation: 'POST ~/apps/shop/webhooks',
    allowed: ['owner', 'manager', 'administrator'],
    body: { id: fresh(), ...webhook },
    methods: ['GET', 'HEAD', 'POST'],
    missing: 'POST ~/apps/missing/webhooks',
  },
  12: {
    operation: 'GET /orgs',
    allowed: [...everybody, 'stranger'],
    methods: ['GET', 'HEAD'],
  },
})
const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
const row = (number: number): Row => rows()[number] as Row // the table has all twelve
const withBody = [1, 2, 3, 4, 6, 11]
const withPath = [3, 6, 7, 8, 9, 10, 11]

/** Whether a body is the error object. */
const isError = (body: unknown) =>
  typeof (body as { error?: unknown })?.error === 'string' &&
  typeof (body as { message?: unknown })?.message === 'string'

describe.each(numbers)('endpoint %i', (number) => {
  test('without the header Authorization: 401', async () => {
    const { operation, body } = row(number)
    const { status, body: error } = await send(operation, { as: 'anonymous', body })
    expect([status, isError(error)]).toEqual([401, true])
  })

  test.each(['qm_nobody_secret', 'eyJhbGciOiJub25lIn0.e30.'])('with the token %s: 403', async (token) => {
    const { operation, body } = row(number)
    const headers = { authorization: `Bearer ${token}` }
    const { status, body: error } = await send(operation, { as: 'anonymous', body, headers })
    expect([status, isError(error)]).toEqual([403, true])
  })

  test('is for the roles of the specification alone', async () => {
    for (const as of [...everybody, 'stranger'] as const) {
      const { operation, body, allowed } = row(number)
      const { status } = await send(operation, { as, body })
      expect([as, status === 403 ? 'refused' : 'allowed']).toEqual([
        as,
        allowed.includes(as) ? 'allowed' : 'refused',
      ])
      expect([200, 201, 403, 404]).toContain(status)
    }
  })

  test('by another method: 405, and Allow lists the existing ones', async () => {
    const { operation, methods } = row(number)
    const [, path = ''] = operation.split(' ')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (methods.includes(method)) continue
      const { status, headers, body } = await send(`${method} ${path}`)
      expect([method, status, isError(body)]).toEqual([method, 405, true])
      expect((headers.get('allow') ?? '').split(', ').sort()).toEqual(methods)
    }
  })
})

describe.each(withPath)('endpoint %i', (number) => {
  test('of something that is not there: 404', async () => {
    const { missing = '', body } = row(number)
    const { status, body: error } = await send(missing, { body })
    expect([status, number === 3 ? typeof error : isError(error)]).toEqual([
      404,
      number === 3 ? 'string' : true,
    ])
  })
})

describe.each(withBody)('endpoint %i', (number) => {
  test.each([
    ['that is empty', ''],
    ['that is blank', ' \n'],
    ['that is no JSON', '{"id":'],
    ['that is text', 'id=x'],
    ['that is a number', '7'],
    ['that is null', 'null'],
    ['that is a list of texts', '["x"]'],
    ['that is an object where a list is due, or a list', number === 3 ? '{"shared":[]}' : '[]'],
  ])('with a body %s: 422', async (_, text) => {
    const { status, body } = await send(row(number).operation, { text })
    expect([status, isError(body)]).toEqual([422, true])
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
    '',
  ])('with the content type %j: 422', async (type) => {
    const { operation, body } = row(number)
    const { status } = await send(operation, { body, headers: { 'content-type': type } })
    expect(status).toBe(422)
  })

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'with the content type %s is taken',
    async (type) => {
      const { operation, body } = row(number)
      const { status } = await send(operation, { body, headers: { 'content-type': type } })
      expect(status).toBe(number === 11 ? 201 : 200)
    },
  )
})

test.each([
  ['GET /orgs/', 404],
  ['GET ~/resources/nothing', 404],
  ['GET /v1/orgs', 404],
  ['GET ~/apps/shop/envs/dev/resources?scheduled_deletion=perhaps', 400],
  ['DELETE ~/apps/shop/envs/dev/resources/redis/shared.missing?detach=perhaps', 400],
  ['DELETE ~/apps/shop/envs/dev/resources/redis/shared.missing?detach=', 400],
  ['DELETE ~/apps/shop/envs/dev/resources/redis/shared.missing?detach=true&detach=true', 400],
  ['POST ~/resources/accounts?dry_run=1', 400],
  ['DELETE ~/apps/shop/envs/dev/resources/redis..large/shared.missing', 404],
  ['DELETE ~/apps/shop/envs/dev/resources/redis%2Fx%2Fy/shared.missing', 404],
  ['DELETE ~/resources/types/%E0%A4%A', 400],
])('%s: %i', async (operation, status) => {
  const { status: actual, body } = await send(operation)
  expect([actual, isError(body)]).toEqual([status, true])
})
