import { Agent, request as httpRequest } from 'node:http'
import type { Endpoint } from '../../../api-gateway/endpoint.ts'
import { openApiDocument, parameterNames } from '../../../api-gateway/openapi/document.ts'
import { withNulls } from '../../../api-gateway/request/wire.ts'
import { fc } from '../../support/properties.ts'
import { inheritedNames, type Mutation, mutated, mutation, oddValue, valuesOf } from './arbitraries.ts'
import { checkResponse } from './document-check.ts'
import { type Ids, pathWith } from './everything.ts'
import { type TestGateway, tokenOf } from './gateway.ts'
import { messageText } from './response-text.ts'

/** Made once: to make it takes longer than to use it. */
const webSegment = fc.webSegment()

/** Any request. */
export interface WildRequest {
  readonly method: string
  /** Path and query, byte for byte. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

interface WildResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

const segments = [
  '..',
  '.',
  '%2e%2e',
  '..%2f..%2fsecrets',
  '%2F',
  'a%2Fb%2Fc',
  '%252e%252e%252f',
  '%00',
  'a%00b',
  '%ff',
  '%c0%ae',
  '%ED%A0%80',
  '%',
  '%zz',
  '%F0%9F%92%A9',
  '%C3%A9',
  'a'.repeat(63),
  'a'.repeat(300),
  'a'.repeat(9000),
  'a,b=c',
  'a;b',
  '*',
  '-',
  '0',
  'A_B',
  '$%7Bx%7D',
  'explain',
  'metadata',
  'diff',
  ...inheritedNames,
]

/** Body fields that contain the same id as a path parameter. */
const fieldsFor: Readonly<Record<string, readonly string[]>> = {
  account_id: ['driver_account'],
  class_id: ['class'],
  deploy_id: ['from_deploy_id', 'value_set_version_id'],
  env_type_id: ['env_type'],
  user_id: ['id'],
  value_key: ['key'],
}

/** Requests to an operation: as the document wants them, and changed in all ways that we could think of. */
export function wildRequests(
  endpoints: readonly Endpoint[],
  idsOf: readonly Ids[],
): fc.Arbitrary<WildRequest> {
  const names: Record<string, string[]> = {}
  for (const ids of idsOf) {
    for (const [parameter, id] of Object.entries(ids)) {
      for (const name of [parameter, ...(fieldsFor[parameter] ?? [])])
        names[name] = [...(names[name] ?? []), id]
    }
  }
  const valueOf = valuesOf(openApiDocument(endpoints, 'test'), names)
  const ids = fc.constantFrom(...idsOf)
  const odd = fc.oneof(fc.constantFrom(...segments), webSegment)
  return fc.oneof(...endpoints.map((each) => requestTo(each)))

  function requestTo({ method, path, query = {}, body, access }: Endpoint): fc.Arbitrary<WildRequest> {
    const parameter = fc.tuple(fc.constantFrom('org_id', ...parameterNames(path)), odd)
    const value = body ? valueOf(withNulls(body)) : fc.constant(undefined)
    return fc
      .record({
        ids,
        others: often(4, fc.constant([]), fc.array(parameter, { minLength: 1, maxLength: 2 })),
        query: queryOf(query, valueOf),
        body: body ? often(9, bodyOf(value), rawBody) : often(9, fc.constant(undefined), bodyOf(oddValue)),
        headers: often(6, fc.constant({}), oddHeaders),
        as: often(12, fc.constant('admin'), fc.constantFrom('', 'acme-robot', 'unknown')),
        method: often(40, fc.constant(method), fc.constantFrom('head', 'options', 'trace', 'put', 'delete')),
      })
      .map(({ ids: chosen, others, query: parts, body: content, headers, as, method: verb }) => {
        const changed = Object.fromEntries(others)
        const at = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => changed[name] ?? whole)
        return {
          method: verb.toUpperCase(),
          target: pathWith(at, chosen) + (parts.length > 0 ? `?${parts.join('&')}` : ''),
          headers: {
            ...(as === '' || access === 'public' ? {} : { authorization: `Bearer ${tokenOf(as)}` }),
            ...(content === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(content === undefined ? {} : { body: content }),
        }
      })
  }
}

function often<T, U>(weight: number, usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare })
}

function queryOf(
  query: Readonly<Record<string, object>>,
  valueOf: (schema: object) => fc.Arbitrary<unknown>,
): fc.Arbitrary<string[]> {
  const declared = Object.entries(query).map(([name, schema]) =>
    valueOf(schema).map((value) => `${name}=${encodeURIComponent(wellFormed(String(value)))}`),
  )
  const odd = fc
    .tuple(
      fc.constantFrom(...Object.keys(query), ...inheritedNames, 'page', 'a[b]', 'a[]', 'é', ''),
      fc.constantFrom('', '=', '=true', '=[]', '=%00', '=%ff', '=%', '=null', '[x]=1', '=1&a=2', '=%F0%9F'),
    )
    .map(([name, rest]) => encodeURI(name) + rest)
  const usual: fc.Arbitrary<string[]> = fc.subarray(declared).chain((some) => fc.tuple(...some))
  return often(5, usual, fc.array(odd, { maxLength: 3 }))
}

function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

function bodyOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const changes: fc.Arbitrary<Mutation[]> = often(1, fc.constant([]), fc.array(mutation, { maxLength: 2 }))
  return fc
    .tuple(value, changes)
    .map(([root, all]) => Buffer.from(JSON.stringify(all.reduce(mutated, root)) ?? ''))
}

const brokenTexts = [
  '',
  ' ',
  '{',
  '[]',
  '{}',
  'null',
  '""',
  '1e999',
  '{"a":1e999}',
  'NaN',
  '{"a":1,"a":2}',
  '{"id":"a"}{}',
  'id: yaml\n',
  '\ufeff{}',
  '"\\ud800"',
  '{"\\u0000":1}',
  '['.repeat(50_000),
  '{"a":'.repeat(5000),
  `{"id":"${'x'.repeat(60_000)}"}`,
  `[${'0,'.repeat(30_000)}0]`,
]

const rawBody: fc.Arbitrary<Buffer> = fc.oneof(
  oddValue.map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...brokenTexts).map((text) => Buffer.from(text)),
)

const oddHeaders = fc.constantFrom<Record<string, string>[]>(
  { 'content-type': '' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-yaml' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-encoding': 'gzip' },
  { accept: 'text/html' },
  { 'humanitec-user-agent': 'app x; sdk y' },
  { 'idempotency-key': 'k' },
  { 'idempotency-key': 'k'.repeat(5000) },
  { 'x-request-id': '"><script>' },
  { authorization: 'Bearer' },
  { authorization: 'JWT eyJhbGciOiJub25lIn0.e30.' },
  { 'x-http-method-override': 'DELETE' },
  { 'if-match': '*' },
)

/** Sends requests over few connections that stay open. */
export function createClient({ port }: Pick<TestGateway, 'port'>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const send = ({ method, target, headers, body }: WildRequest) =>
    new Promise<WildResponse>((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(body.length) }
      const options = { host: '127.0.0.1', port, agent, method, path: target }
      const sent = httpRequest({ ...options, headers: { ...headers, ...length } }, (response) => {
        const { statusCode: status = 0, headers } = response
        messageText(response).then((text) => resolve({ status, headers, text }), reject)
      })
      sent.once('error', reject)
      sent.end(body)
    })
  return { send, close: () => agent.destroy() }
}

const stackPattern =
  /\n\s+at |node_modules|\.ts:\d|\/work\/|\[object Object\]|Cannot read prop|is not a function/

const textPaths = ['/metrics', '/docs', '/auth/sign-in']

function parsedText(text: string, type: unknown): unknown {
  if (type === 'application/json') return text === '' ? undefined : JSON.parse(text)
  return type === 'text/event-stream' ? text : undefined
}

/** The problem of a response to any request; undefined when it is valid. */
export function faultOf(
  { method, target }: WildRequest,
  { status, headers, text }: WildResponse,
): string | undefined {
  if (status >= 500 && !target.startsWith('/readyz')) return `status ${status}`
  const type = headers['content-type']
  const isText =
    type === 'text/event-stream' || (textPaths.some((path) => target.startsWith(path)) && status === 200)
  if (text !== '' && type !== 'application/json' && !isText) return `content type '${String(type)}'`
  if (status === 405 && headers['allow'] === undefined) return 'no header Allow'
  if (stackPattern.test(text) && !isText) return 'it shows the inside'
  try {
    if (status !== 405) checkResponse({ method, target, status, headers, body: parsedText(text, type) })
  } catch (error) {
    return String(error)
  }
  return undefined
}
