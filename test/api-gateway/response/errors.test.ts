import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toErrorResponse } from '../../../api-gateway/response/errors.ts'
import { longestMessage } from '../../../api-gateway/response/shapes.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { ApiError, NoAnswer } from '../../../operator/kube/client/api-error.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { addEnvironment } from '../support/objects.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

const apps = 'POST /orgs/acme/apps'
const json = { 'content-type': 'application/json' }
const nested = (depth: number) => `{"id":"x1","name":"x","more":${'['.repeat(depth)}${']'.repeat(depth)}}`

describe('a body with an unexpected content type or encoding', () => {
  test.each<[string, string | Uint8Array, Record<string, string>, number]>([
    ['no JSON', '{"id":', json, 422],
    ['empty', '', json, 422],
    ['blank', '  \n ', json, 422],
    ['another content type', '{"id":"a1","name":"a"}', { 'content-type': 'text/plain' }, 422],
    ['a form', 'id=a1&name=a', { 'content-type': 'application/x-www-form-urlencoded' }, 422],
    ['YAML', 'id: a1', { 'content-type': 'application/yaml' }, 422],
    [
      'another charset',
      '{"id":"a1","name":"a"}',
      { 'content-type': 'application/json; charset=utf-16' },
      422,
    ],
    [
      'another charset after other parameters',
      '{"id":"a1","name":"a"}',
      { 'content-type': 'application/json; foo=bar; Charset="ISO-8859-1"' },
      422,
    ],
    ['two content types', '{"id":"a1","name":"a"}', { 'content-type': 'application/json, text/plain' }, 422],
    ['a type of JSON', '{"id":"a1","name":"a"}', { 'content-type': 'application/problem+json' }, 422],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), json, 422],
    ['compressed', '{"id":"a1","name":"a"}', { ...json, 'content-encoding': 'gzip' }, 422],
    ['null', 'null', json, 422],
    ['a string', '"a"', json, 422],
    ['a list', '[]', json, 422],
    ['a required field missing', '{"id":"a1"}', json, 422],
    ['a required field null', '{"id":"a1","name":null}', json, 422],
    ['a field of the wrong type', '{"id":1,"name":"a"}', json, 422],
    [
      'an inner field of the wrong type',
      '{"id":"a1","name":"a","env":{"id":"e1","name":1,"type":"x1"}}',
      json,
      422,
    ],
    ['an id that breaks the pattern', '{"id":"A_1","name":"a"}', json, 400],
    ['an id of one character', '{"id":"a","name":"a"}', json, 400],
    ['an id of 51 characters', `{"id":"${'a'.repeat(51)}","name":"a"}`, json, 400],
    ['an id with a double hyphen', '{"id":"a--b","name":"a"}', json, 400],
    ['a key __proto__', '{"id":"a1","name":"a","__proto__":{"polluted":true}}', json, 400],
    ['a deep key constructor', '{"id":"a1","name":"a","x":[{"constructor":{"prototype":{}}}]}', json, 400],
    ['65 levels', nested(64), json, 400],
    ['100,000 levels', nested(100_000), json, 400],
    ['too many keys', `{${Array.from({ length: 10_001 }, (_, i) => `"k${i}":1`).join(',')}}`, json, 400],
    ['a number that is no number', '{"id":"a1","name":"a","x":1e999}', json, 400],
    ['an integer that would be another one', '{"id":"a1","name":"a","x":9007199254740993}', json, 400],
    ['such an integer below zero', '{"id":"a1","name":"a","x":[ -9007199254740993]}', json, 400],
    ['a text that would be another one', '{"id":"a1","name":"a\\ud800"}', json, 400],
    [
      'a text whose halves are the wrong way round',
      '{"id":"a1","name":"a","x":["\\udc00\\ud800"]}',
      json,
      400,
    ],
    ['a key that would be another one', '{"id":"a1","name":"a","x":{"\\udfff":1}}', json, 400],
    ['nothing but such an integer', '9007199254740993', json, 400],
    [
      'an integer that would be answered with other digits',
      '{"id":"a1","name":"a","x":1152921504606846976}',
      json,
      400,
    ],
    ['such an integer beside 100,000 levels', `[12345678901234567,${nested(100_000)}]`, json, 400],
    ['a body too large', `{"id":"a1","name":"${'a'.repeat(1024 * 1024)}"}`, json, 400],
  ])('%s', async (_, text, headers, status) => {
    const response = await gateway.send(apps, { text, headers })
    expect(response.status).toBe(status)
    expect(response.body).toEqual({
      error: status === 422 ? 'Unprocessable' : 'Invalid',
      message: expect.any(String),
    })
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('unknown keys are ignored', async () => {
    const response = await gateway.send(apps, { body: { id: 'unknown-keys', name: 'a', colour: 'red' } })
    expect(response.status).toBe(201)
    expect(response.body).not.toHaveProperty('colour')
  })

  test('null for an optional field is the same as absent', async () => {
    const body = { id: 'nulls', name: 'a', env: null, skip_environment_creation: null }
    expect((await gateway.send(apps, { body })).status).toBe(201)
  })

  test.each([
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
    'Application/JSON; foo=bar',
    'application/json; odata.metadata=minimal; charset=utf-8; v="1;2"',
    'application/json;',
  ])('the content type may be %j', async (type) => {
    gateway.reset()
    const headers = { 'content-type': type }
    expect((await gateway.send(apps, { body: { id: 'charset', name: 'ü' }, headers })).body.name).toBe('ü')
  })

  test.each([
    ['in a list', '{"id":"a1","name":"a","x":{"y":[1,12345678901234567890]}}', "'x.y.1'"],
    ['beside others', '{"a":[9007199254740993],"b":9007199254740993}', "'a.0'"],
    ['alone', '-9007199254740993', 'the body'],
  ])('an integer that would be another one is named by its path: %s', async (_, text, where) => {
    expect((await gateway.send(apps, { text })).body.message).toContain(where)
  })

  test.each([
    '9007199254740991',
    '-9007199254740992',
    '9007199254740994',
    '1234567890123456789.0',
    '0.12345678901234567',
    '9007199254740993e0',
    '"9007199254740993"',
    '": 9007199254740993"',
  ])('%s is taken as it is', async (value) => {
    gateway.reset()
    const text = `{"id":"a1","name":"a","x":${value}}`
    expect((await gateway.send(apps, { text })).status).toBe(201)
  })
})

describe('a path', () => {
  test.each<[string, string, number]>([
    ['unknown', 'GET /nothing', 404],
    ['unknown below a known one', 'GET /orgs/acme/nothing', 404],
    ['in another case', 'GET /ORGS', 404],
    ['with a slash at the end', 'GET /orgs/', 404],
    ['with two slashes', 'GET //orgs', 404],
    ['broken percent-encoding', 'GET /orgs/acme/apps/%ZZ', 400],
    ['a slash within a segment', 'GET /orgs/acme/apps/a%2Fb', 404],
    ['dots within a segment', 'GET /orgs/acme/apps/..%2F..%2Fsecrets', 404],
    ['encoded twice', 'GET /orgs/acme/apps/a%252Fb', 404],
    ['a NUL', 'GET /orgs/acme/apps/a%00', 404],
    ['overlong UTF-8', 'GET /orgs/acme/apps/%C0%AF', 400],
    ['a selector', 'GET /orgs/acme/apps/a%3Fb%3D%2Cc', 404],
    ['capitals in an id', 'GET /orgs/acme/apps/Shop', 404],
    ['an id of one character', 'GET /orgs/acme/apps/a', 404],
    ['an application that is not there', 'GET /orgs/acme/apps/missing', 404],
    ['a definition that is not there', 'GET /orgs/acme/resources/defs/missing', 404],
    ['an organization that is not there', 'GET /orgs/nowhere/apps', 403],
    ['the method is not known there', 'PUT /orgs', 405],
    ['the method is not known there, without a token', 'DELETE /orgs/acme/apps', 405],
  ])('%s: %s', async (_, operation, status) => {
    const response = await gateway.send(operation)
    expect(response.status).toBe(status)
    expect(response.body).toEqual({ error: expect.any(String), message: expect.any(String) })
  })

  test('405 names the methods that the path allows', async () => {
    const { headers } = await gateway.send('PUT /orgs/acme/apps')
    expect(headers.get('allow')).toBe('GET, HEAD, POST')
  })

  test.each(['GET /orgs/acme/apps/shop-404/deltas/missing', 'GET /orgs/acme/apps/shop-404/sets/missing'])(
    '404 of deltas and sets is a JSON string: %s',
    async (operation) => {
      const response = await gateway.send(operation)
      expect(response.status).toBe(404)
      expect(typeof response.body).toBe('string')
    },
  )
})

describe('every answer', () => {
  test.each(['GET /orgs', 'GET /nothing', 'PUT /orgs', 'GET /livez', 'GET /openapi.json'])(
    '%s',
    async (operation) => {
      const { headers } = await gateway.send(operation)
      expect(headers.get('content-type')).toBe('application/json')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/)
      expect(headers.get('x-powered-by')).toBeNull()
      expect(headers.get('etag')).toBeNull()
    },
  )

  test.each([
    ['a request id is taken over', 'my-request_1', true],
    ['a short one is not', 'short', false],
    ['one with other characters is not', 'request id with spaces', false],
    ['a long one is not', 'x'.repeat(65), false],
  ])('%s', async (_, id, taken) => {
    const { headers } = await gateway.send('GET /orgs', { headers: { 'x-request-id': id } })
    expect(headers.get('x-request-id') === id).toBe(taken)
  })
})

describe('the message of an error', () => {
  const long = (length: number) => 'x'.repeat(length)

  test.each<[rule: string, error: Error, length: number]>([
    ['shows the beginning of a long name', new Problem('Invalid', `'${long(400_000)}' is no type`), 114],
    ['is not longer than documented', new Problem('Invalid', long(400_000)), longestMessage],
    ['of the API server too', new ApiError(422, 'Invalid', long(400_000)), longestMessage],
    ['even of ten million characters', new Problem('Invalid', `'${long(10_000_000)}'`), longestMessage],
  ])('%s', (_, error, length) => {
    expect(toErrorResponse(error).message).toHaveLength(length)
  })

  test('is short for a long text of a client', async () => {
    const externals = { cache: { type: long(400_000) } }
    addEnvironment(gateway)
    const body = { modules: { add: { backend: { spec: {}, externals } } } }
    const answer = await gateway.send('POST /orgs/acme/apps/shop/deltas', { body })
    expect(answer.status).toBe(400)
    expect(answer.body.message.length).toBeLessThan(500)
  })
})

test('an unexpected error says nothing but its request id, and is logged', async () => {
  gateway.cluster.failNext('create Application', new Error('connection to etcd-1 lost'))
  const headers = { 'x-request-id': 'request-0001' }
  const response = await gateway.send(apps, { body: { id: 'unlucky', name: 'a' }, headers })
  expect(response.status).toBe(500)
  expect(JSON.stringify(response.body)).not.toContain('etcd')
  expect(response.body.details).toEqual({ request_id: 'request-0001' })
  const line = gateway.logged.findLast(({ level }) => level === 'error')
  expect(line).toMatchObject({ fields: { requestId: 'request-0001' } })
})

test.each<[string, Error, isOfTheCluster: boolean]>([
  ['gives no answer', new NoAnswer('no answer of the API server to POST /apis: other side closed'), true],
  ['is away', new ApiError(503, 'ServiceUnavailable', 'no leader'), true],
  ['fails', new ApiError(500, 'InternalError', 'etcdserver: mvcc: database space exceeded'), true],
  ['does not serve the kind', new ApiError(404, 'Unknown', 'it does not serve this path'), true],
  ['is not to blame', new Error('out of luck'), false],
])('an answer says whether the cluster failed: it %s', (_, error, isOfTheCluster) => {
  const { status, message } = toErrorResponse(error)
  expect([status, message.includes('it may have made the change')]).toEqual([500, isOfTheCluster])
  expect(message).toContain('the log has details under the request id')
  expect(message).not.toContain('etcd')
})

test.each<[string, ApiError, retryAfterSeconds: number | undefined]>([
  ['is busy, and says for how long', new ApiError(429, 'TooManyRequests', 'try again', 7), 7],
  ['is busy', new ApiError(429, 'TooManyRequests', 'try again'), 1],
  ['is away', new ApiError(503, 'ServiceUnavailable', 'no leader'), 1],
  ['does not answer in time', new ApiError(504, 'Timeout', 'try again', 3), 3],
  ['fails', new ApiError(500, 'InternalError', 'unexpected'), undefined],
])('an answer says when to try again: the cluster %s', (_, error, retryAfterSeconds) => {
  expect(toErrorResponse(error).retryAfterSeconds).toBe(retryAfterSeconds)
})

test.each<[string, ApiError, number]>([
  ['is not of the form', new ApiError(422, 'Invalid', 'spec: Invalid value'), 400],
  ['is too large for the API server', new ApiError(413, 'RequestEntityTooLarge', 'limit is 3145728'), 400],
  ['is too large for etcd', new ApiError(500, '', 'etcdserver: request is too large'), 400],
  ['comes while the cluster is busy', new ApiError(429, 'TooManyRequests', 'try again', 7), 429],
  ['comes while the API server is away', new ApiError(503, 'ServiceUnavailable', 'no leader'), 500],
  ['fails', new ApiError(500, 'InternalError', 'unexpected'), 500],
  [
    'is denied by a webhook of the cluster',
    new ApiError(403, 'Forbidden', 'admission webhook "x" denied the request: no'),
    400,
  ],
  [
    'is denied by a policy of the cluster',
    new ApiError(
      403,
      'Forbidden',
      `x is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
    ),
    400,
  ],
  [
    'fails in a webhook',
    new ApiError(500, 'InternalError', 'admission webhook "x" denied the request: lost'),
    500,
  ],
  ['does not serve the kind at this time', new ApiError(404, 'Unknown', 'it does not serve this path'), 500],
  ['lacks a right of the gateway', new ApiError(403, 'Forbidden', 'cannot create resource "pods"'), 500],
])('when the cluster refuses because it %s', async (_, refusal, status) => {
  gateway.cluster.failNext('create Application', refusal)
  const answer = await gateway.send(apps, { body: { id: 'refused', name: 'Refused' } })
  expect(answer.status).toBe(status)
})

test('an answer names the webhook of the cluster that cannot be asked', async () => {
  const failure = 'Internal error occurred: failed calling webhook "x"'
  const refusal = new ApiError(500, 'InternalError', `${failure}: dial tcp 10.0.0.1:443: no route to host`)
  gateway.cluster.failNext('create Application', refusal)
  const { status, body } = await gateway.send(apps, { body: { id: 'refused', name: 'Refused' } })
  const message = `the cluster cannot make the change: ${failure}; try again later`
  expect({ status, body }).toMatchObject({ status: 500, body: { message } })
})
