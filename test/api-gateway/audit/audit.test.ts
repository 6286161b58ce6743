import { describe, expect, test } from '@jest/globals'
import type { Endpoint } from '../../../api-gateway/endpoint.ts'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { startGateway, tokenOf } from '../support/gateway.ts'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', { role: 'member' })
  gateway.addUser('stranger')
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'robot', { role: 'member' })
})

/** The lines of the audit stream. */
function stream() {
  return gateway.logged.filter(({ message }) => message === 'audit').map(({ fields }) => fields)
}

/** The path of an operation with something in the place of every parameter. */
function pathOf({ path }: Endpoint): string {
  return path
    .replace('{org_id}', 'acme')
    .replace('{app_id}', 'shop')
    .replaceAll(/\{\w+\}/g, 'zz')
}

const canary = 'canary-4711'
const secretBody = { token: canary, credentials: { token: canary }, value: canary, [canary]: canary }
const unknownToken = { authorization: `Bearer qm_ana_${canary}` }
const operations = endpoints.map((each) => ({ name: `${each.method} ${each.path}`, each }))

describe.each(operations)('$name', ({ each }) => {
  const method = each.method.toUpperCase()
  test.each<[who: string, as: string | null, headers: Record<string, string>, userId: string]>([
    ['a caller without a token', null, {}, ''],
    ['an unknown token', null, unknownToken, ''],
    ['a user of no organization', 'stranger', {}, 'stranger'],
    ['an administrator', 'admin', {}, 'admin'],
  ])(
    'by %s is one record, unless it is a read that succeeds; no secret is in it',
    async (_, as, more, userId) => {
      const headers = { ...more, cookie: canary, 'x-canary': canary }
      const body = method === 'GET' ? {} : { body: secretBody }
      const { status } = await gateway.send(`${method} ${pathOf(each)}?secret=${canary}`, {
        as,
        headers,
        ...body,
      })
      const isRecorded = method !== 'GET' || (status >= 400 && status < 500)
      const record = {
        stream: 'audit',
        user_id: each.access === 'public' ? '' : userId,
        request_method: method,
        request_path: pathOf(each),
        route: each.path,
        response_status: status,
        result: status < 400 ? 'success' : status < 500 ? 'refused' : 'failed',
      }
      expect(stream()).toEqual(isRecorded ? [expect.objectContaining(record)] : [])
      expect(JSON.stringify(gateway.logged)).not.toContain(canary)
    },
  )
})

describe('a record', () => {
  test('has the user, the operation, the address and the result', async () => {
    const headers = { 'x-request-id': 'request-0001' }
    const body = { id: 'blog', name: 'Blog' }
    expect((await gateway.send('POST /orgs/acme/apps', { headers, body })).status).toBe(201)
    expect(stream()).toEqual([
      {
        stream: 'audit',
        id: expect.stringMatching(/^[0-9a-f]{8}-\d{12}$/),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        org_id: 'acme',
        user_id: 'admin',
        via: 'token:admin',
        request_method: 'POST',
        request_path: '/orgs/acme/apps',
        route: '/orgs/{org_id}/apps',
        path_parameters: { org_id: 'acme' },
        response_status: 201,
        result: 'success',
        request_id: 'request-0001',
        source_address: '127.0.0.1',
      },
    ])
  })

  test.each<[outcome: string, operation: string, request: object, record: object]>([
    ['no token: 401', 'GET /orgs/acme/apps', { as: null }, { response_status: 401, reason: 'Unauthorized' }],
    [
      'not a member: 403',
      'GET /orgs/acme/apps',
      { as: 'stranger' },
      { response_status: 403, reason: 'Forbidden', user_id: 'stranger', org_id: 'acme' },
    ],
    [
      'not enough rights: 403',
      'DELETE /orgs/acme/apps/shop',
      { as: 'ana' },
      { response_status: 403, user_id: 'ana', path_parameters: { org_id: 'acme', app_id: 'shop' } },
    ],
    ['not there: 404', 'GET /orgs/acme/apps/nothing', {}, { response_status: 404, reason: 'NotFound' }],
    ['no such path: 404', 'GET /orgs/acme/nothing', {}, { response_status: 404, org_id: 'acme' }],
    ['no such method: 405', 'PUT /orgs/acme/apps', { body: {} }, { response_status: 405, org_id: 'acme' }],
    ['no such organization: 403', 'GET /orgs/none/apps', {}, { response_status: 403, user_id: 'admin' }],
    ['not JSON: 422', 'POST /orgs/acme/apps', { text: canary }, { response_status: 422, user_id: 'admin' }],
    [
      'a token of a service user: 201, in the organization of the user',
      'POST /users/robot/tokens',
      { body: { id: 'ci' } },
      { result: 'success', org_id: 'acme', path_parameters: { user_id: 'robot' } },
    ],
    [
      'a dry run, which writes nothing',
      'POST /orgs/acme/apps/shop/pipeline-runs?dry_run=true',
      { body: { trigger: 'deployment_request', env_id: 'dev', delta_id: 'none' } },
      { dry_run: true },
    ],
    [
      'the start of a session, with the user of its token',
      'POST /auth/session',
      { as: null, body: { token: tokenOf('ana') } },
      { result: 'success', user_id: 'ana' },
    ],
    [
      'a token in a path, which is taken out',
      `DELETE /orgs/acme/apps/${tokenOf('ana')}`,
      {},
      {
        request_path: '/orgs/acme/apps/[redacted]',
        path_parameters: { org_id: 'acme', app_id: '[redacted]' },
      },
    ],
  ])('%s', async (_outcome, operation, request, record) => {
    await gateway.send(operation, request)
    expect(stream()).toEqual([expect.objectContaining(record)])
  })

  test.each([
    ['that can be asked to write nothing', 'POST /orgs/acme/resources/defs', 200, true],
    ['that cannot, and refuses', 'POST /orgs/acme/users', 400, undefined],
  ])('of an operation %s', async (_, operation, answer, expected) => {
    const definition = { id: 's3', name: 'S3', type: 's3', driver_type: 'quartermaster/echo' }
    const body = { ...definition, role: 'member' }
    const { status } = await gateway.send(`${operation}?dry_run=true`, { body })
    const [record] = stream() as { dry_run?: boolean }[]
    expect([status, record?.dry_run]).toEqual([answer, expected])
  })

  test('of a write that went wrong says failed', async () => {
    gateway.cluster.failNext('create Application', new ApiError(500, 'InternalError', 'broken'))
    await gateway.send('POST /orgs/acme/apps', { body: { id: 'blog', name: 'Blog' } })
    expect(stream()).toEqual([
      expect.objectContaining({ response_status: 500, result: 'failed', reason: 'Internal' }),
    ])
  })

  test('of a write that the end of the gateway interrupts says failed, once', async () => {
    const ending = await startGateway()
    const answer = Promise.withResolvers<never>()
    const begun = Promise.withResolvers<void>()
    ending.cluster.create = () => {
      begun.resolve()
      return answer.promise
    }
    const leaving = new AbortController()
    const options = { body: { id: 'blog', name: 'Blog' }, signal: leaving.signal }
    const sent = ending.send('POST /orgs/acme/apps', options).catch(() => 'cut')
    await begun.promise
    leaving.abort()
    expect(await sent).toBe('cut')
    const records = () =>
      ending.logged.filter(({ message }) => message === 'audit').map(({ fields }) => fields)
    await ending.close()
    const expected = { user_id: 'admin', response_status: 500, result: 'failed', reason: 'Internal' }
    expect(records()).toEqual([expect.objectContaining(expected)])
    answer.reject(new Error('the client is closed'))
    await new Promise(setImmediate)
    expect(records()).toHaveLength(1)
  })

  test('of a session says so', async () => {
    const { body } = await gateway.send('POST /auth/session', { as: null, body: { token: tokenOf('ana') } })
    const headers = { authorization: `Bearer ${body.token}` }
    await gateway.send('DELETE /orgs/acme/apps/shop', { as: null, headers })
    expect(stream().at(-1)).toMatchObject({ user_id: 'ana', via: 'session', result: 'refused' })
    expect(JSON.stringify(gateway.logged)).not.toContain(body.token)
  })

  test('of a caller who is over the limit says who it was', async () => {
    const logged: unknown[] = []
    const log = {
      debug() {},
      info: (_: string, fields?: object) => logged.push(fields),
      warn() {},
      error() {},
    }
    const settings = { requestsPerSecond: 1, burst: 1 }
    const limited = await startGateway({ settings, auditLog: log })
    try {
      await limited.send('GET /orgs')
      expect((await limited.send('GET /orgs')).status).toBe(429)
    } finally {
      await limited.close()
    }
    expect(logged).toEqual([
      expect.objectContaining({ response_status: 429, user_id: 'admin', via: 'token:admin' }),
    ])
  })

  test('of a long path holds its beginning', async () => {
    await gateway.send(`GET /orgs/acme/apps/${'a'.repeat(8000)}`)
    const [record] = stream() as { request_path: string; path_parameters: { app_id: string } }[]
    expect(record?.request_path).toHaveLength(512)
    expect(record?.path_parameters.app_id).toHaveLength(512)
  })

  test('is never written to the cluster', async () => {
    await gateway.send('DELETE /orgs/acme/apps/nothing')
    expect(stream()).toHaveLength(1)
    expect(gateway.cluster.writes).toEqual([])
  })
})
