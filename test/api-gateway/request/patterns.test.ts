import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { someInTurn } from '../../support/properties.ts'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const types = '/orgs/acme/resources/types'

describe('a pattern of a user that backtracking would not end', () => {
  const evil = [
    '^(a+)+$',
    '^(a*)*$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^(.*a){30}$',
    '^([a-zA-Z]+)*$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(?:a?){40}a{40}$',
    '^((ab)*|[ab]*)*c$',
    '([0-9]+)*$|^(\\s*)*$',
    '^\\w+([-+.]\\w+)*@\\w+([-.]\\w+)*$',
  ]
  const texts = ['a'.repeat(5000), `${'a'.repeat(5000)}!`, 'x'.repeat(5000), `${'ab'.repeat(2500)}d`]

  test.each(evil)('%s', async (pattern) => {
    const schema = {
      type: 'object',
      properties: { values: { properties: { name: { type: 'string', pattern } } } },
    }
    const driver = {
      id: 'evil',
      type: 's3',
      target: 'https://driver.example.com/',
      inputs_schema: schema,
      account_types: [],
    }
    const made = await gateway.send('POST /orgs/acme/resources/drivers', { body: driver })
    expect([200, 400]).toContain(made.status)
    for (const name of texts) {
      const definition = {
        id: 'db',
        name: 'Db',
        type: 's3',
        driver_type: 'acme/evil',
        driver_inputs: { values: { name } },
      }
      expect([200, 400, 409]).toContain(
        (await gateway.send('POST /orgs/acme/resources/defs', { body: definition })).status,
      )
    }
  })

  const properties = (count: number, schema: object) => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema])),
  })

  const differing = (count: number, patternOf: (i: number) => string) => ({
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`p${i}`, { pattern: patternOf(i + 1) }]),
    ),
  })

  test.each([
    ['refers to another schema', { $ref: 'https://evil.example/schema.json' }, 400],
    ['refers to a file', { $ref: 'file:///etc/passwd' }, 400],
    ['is as deep as a body may be', JSON.parse(`${'{"not":'.repeat(62)}{}${'}'.repeat(62)}`), 200],
    ['has many alternatives', { anyOf: Array.from({ length: 2000 }, (_, index) => ({ const: index })) }, 400],
    ['has many properties', properties(2000, { type: 'string', minLength: 1 }), 400],
    ['has a pattern that counts to a million', properties(1, { pattern: '^(a{1,1000}){1,1000}$' }), 400],
    ['counts in many patterns', differing(101, (i) => `a{1000}b{${i}}`), 400],
    ['counts in one pattern at many places', properties(101, { pattern: 'a{1000}' }), 200],
    ['has nested counts', differing(10, (i) => `(a{1,30}){1,33}b{${i}}`), 400],
    ['counts often in one pattern', properties(1, { pattern: 'a{1,1000}'.repeat(110) }), 400],
    ['has keys that count', { patternProperties: { ['a{9,999}'.repeat(110)]: true } }, 400],
    ['has a thousand usual properties', properties(1000, { type: 'string', pattern: '^[a-z]+$' }), 200],
    ['has keys that are patterns', { patternProperties: { '^(a+)+$': {} } }, 200],
    [
      'has code for a name',
      { properties: { "x']; process.exit(1); ['": { default: '*/ process.exit() /*' } } },
      200,
    ],
  ])('a schema that %s', async (_, schema, status) => {
    const body = { type: 'acme/evil', use: 'direct', inputs_schema: schema }
    const answer = await gateway.send(`POST ${types}`, { body })
    expect([answer.status, answer.body.message]).toEqual([
      status,
      status === 400 ? expect.any(String) : undefined,
    ])
  })
})

const unusual = [
  ['of 8 KiB', 'a'.repeat(8192)],
  ['of 8 KiB, encoded', '%C3%BC'.repeat(1365)],
  ['of 8 KiB of hyphens', `a${'-a'.repeat(4095)}`],
  ['with a NUL', 'a%00b'],
  ['with a line break', 'a%0D%0AX-Evil:%201'],
  ['named like a property of all objects', '__proto__'],
  ['named like a method of all objects', 'toString'],
  ['that leads upwards', '..%2F..%2Fetc%2Fpasswd'],
  ['that leads upwards for Windows', '..%5C..%5C'],
  ['that ends a query', 'a%3FfieldManager%3Dx%23'],
  ['with a placeholder', '%24%7Bcontext.env.id%7D'],
] as const

describe.each(unusual)('an id %s', (_, id) => {
  test('is not found, or not known, in a path', async () => {
    let count = 0
    for (const [turn, { method, path, access }] of endpoints.entries()) {
      if (access === 'public' || !path.includes('{')) continue
      if (!someInTurn(unusual, turn, 4).some(([, each]) => each === id)) continue
      const target = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
        name === 'org_id' ? 'acme' : id,
      )
      if (!target.includes(id)) continue
      const body = method === 'get' || method === 'delete' ? {} : { body: {} }
      const answer = await gateway.send(`${method.toUpperCase()} ${target}`, body)
      expect([path, [400, 403, 404, 422].includes(answer.status), answer.status]).toEqual([
        path,
        true,
        answer.status,
      ])
      expect(answer.headers.get('x-evil')).toBeNull()
      expect(JSON.stringify(answer.body).length).toBeLessThan(1000)
      count += 1
    }
    expect(count).toBeGreaterThan(30)
  })
})

describe('every operation', () => {
  const targets = [
    ...new Map(endpoints.map(({ path }) => [path, endpoints.filter((each) => each.path === path)])),
  ]

  test.each(targets)('%s answers other methods with Allow', async (path, operations) => {
    const allowed = operations.flatMap(({ method }) =>
      method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
    )
    const target = path.replaceAll(/\{\w+\}/g, 'acme')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
      (each) => !allowed.includes(each),
    )) {
      const answer = await gateway.send(`${method} ${target}`, { as: null })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allowed.join(', ')])
      expect(answer.body).toEqual({ error: 'MethodNotAllowed', message: expect.any(String) })
    }
  })

  test('hides internals when it fails, for every error', async () => {
    const inside = new Error(`connection to 10.1.2.3:2379 lost at ${import.meta.filename}`)
    const { store } = gateway.cluster
    const { get, list } = store
    const known = new Set(['User', 'AccessToken', 'Membership']) // else every request is refused
    const failing: Pick<typeof store, 'get' | 'list'> = {
      get(kind, namespace, name) {
        if (!known.has(kind.kind)) throw inside
        return get(kind, namespace, name)
      },
      list(kind, namespace) {
        if (!known.has(kind.kind)) throw inside
        return list(kind, namespace)
      },
    }
    Object.assign(store, failing)
    const failed = []
    for (const { method, path, access } of endpoints) {
      if (access === 'public') continue
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'org_id' ? 'acme' : 'shop'))
      const request = method === 'get' || method === 'delete' ? {} : { body: {} }
      const { status, body } = await gateway.send(`${method.toUpperCase()} ${target}`, request)
      if (status === 500) failed.push(body)
      else expect(JSON.stringify(body)).not.toMatch(/10\.1\.2\.3|\.ts|\.mjs|at /)
    }
    Object.assign(store, { get, list })
    expect(failed.length).toBeGreaterThan(20)
    for (const body of failed) {
      expect(body).toEqual({
        error: 'Internal',
        message: 'internal error; the log has details under the request id',
        details: { request_id: expect.any(String) },
      })
    }
  })
})
