import { beforeEach, describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const types = '/orgs/acme/resources/types'
const s3 = `${types}/acme%2Fs3`
const classes = `${s3}/classes`
const bucket = {
  type: 'acme/s3',
  use: 'direct',
  name: 'Our S3',
  category: 'datastore',
  inputs_schema: {
    type: 'object',
    properties: { tier: { enum: ['a', null] }, Camel_case: { default: null } },
    required: ['tier'],
  },
  outputs_schema: {
    properties: {
      values: {
        type: 'object',
        properties: { bucket: { pattern: '^[a-z]+$', uiHints: { order: 1, group: 'g' } } },
      },
      secrets: { type: 'object', additionalProperties: false },
    },
    uiGroups: { g: { order: 1, type: 'row' } },
  },
}
const least = { type: 'acme/s3', use: 'direct' }
const label = { title: 'Name', description: 'Name of the bucket.' }
const hinted = {
  type: 'object',
  properties: {
    values: {
      type: 'object',
      properties: { bucket: { ...label, uiHints: { order: 2, group: 'first', width: 3 } } },
      required: ['bucket'],
    },
    secrets: { type: 'object', properties: { key: { title: 'Key', uiHints: { order: 1 } } } },
  },
  uiGroups: {
    all: { order: 1, type: 'section', title: 'All' },
    first: { order: 2, type: 'row', section: 'all' },
  },
}

async function create(more: object = {}) {
  const { status, body } = await gateway.send(`POST ${types}`, { body: { ...bucket, ...more } })
  expect(status).toBe(200)
  return body
}

function specOf(name: string) {
  return gateway.cluster.store.get(ResourceType, 'acme', name)?.spec
}

describe('a new type', () => {
  test('answers 200 with the request body', async () => {
    expect(await create()).toEqual(bucket)
    expect((await gateway.send(`GET ${s3}`)).body).toEqual(bucket)
  })

  test('answers all fields when the optional ones were not sent', async () => {
    const { body } = await gateway.send(`POST ${types}`, {
      body: { ...least, name: null, inputs_schema: null },
    })
    expect(body).toEqual({ ...least, name: 's3', category: '', inputs_schema: {}, outputs_schema: {} })
    expect(specOf('s3')).toEqual({ use: 'direct' })
  })

  test.each<[string, object]>([
    ['of the organization alone', { type: 'acme/my-bucket' }],
    ['for definitions alone', { use: 'indirect' }],
    ['whose outputs lack the outer properties', { outputs_schema: { values: { type: 'object' } } }],
    ['of draft-07', { inputs_schema: { $schema: 'http://json-schema.org/draft-07/schema#' } }],
    ['with all hints for the portal', { outputs_schema: hinted }],
    ['with references within', { inputs_schema: { $ref: '#/$defs/a', $defs: { a: { required: ['x'] } } } }],
  ])('%s', async (_, more) => {
    expect(await create(more)).toEqual({ ...bucket, ...more })
  })

  test.each<[string, object, number]>([
    ['without its organization', { type: 's3' }, 400],
    ['of another organization', { type: 'globex/s3' }, 400],
    ['without a name', { type: 'acme/' }, 400],
    ['of a name of one letter', { type: 'acme/s' }, 400],
    ['of a name with a capital', { type: 'acme/S3' }, 400],
    ['of a name with a double hyphen', { type: 'acme/s3--x' }, 400],
    ['of a name with a class', { type: 'acme/s3.large' }, 400],
    ['of a name with a second slash', { type: 'acme/s3/x' }, 400],
    ['of a name that is too long', { type: `acme/${'x'.repeat(64)}` }, 400],
    ['that is implicit', { use: 'implicit' }, 400],
    ['without a use', { use: undefined }, 422],
    ['with a schema that is no object', { inputs_schema: 'x' }, 422],
    ['with a schema of a text', { inputs_schema: { type: 'string' } }, 400],
    ['with a keyword of the wrong type', { inputs_schema: { properties: { a: { minLength: -1 } } } }, 400],
    [
      'with a pattern that has a lookahead',
      { inputs_schema: { properties: { a: { pattern: '(?=a)' } } } },
      400,
    ],
    ['with a remote reference', { outputs_schema: { $ref: 'https://x.example/y' } }, 400],
    [
      'with secrets that are no object',
      { outputs_schema: { properties: { secrets: { type: 'string' } } } },
      400,
    ],
  ])('%s: %s', async (_, more, status) => {
    const response = await gateway.send(`POST ${types}`, { body: { ...bucket, ...more } })
    expect(response.status).toBe(status)
    expect(gateway.cluster.store.list(ResourceType, 'acme')).toEqual([])
  })

  test('the refusal of a schema says which and where', async () => {
    const body = { ...bucket, outputs_schema: { values: { properties: { a: { type: 'bucket' } } } } }
    const { body: refusal } = await gateway.send(`POST ${types}`, { body })
    expect(refusal.error).toBe('Invalid')
    expect(refusal.message).toContain("'outputs_schema' under 'values'")
    expect(refusal.message).toContain('/properties/a/type')
  })

  test('of a name that is taken is a conflict', async () => {
    await create()
    const { status, body } = await gateway.send(`POST ${types}`, { body: least })
    expect([status, body.error]).toEqual([409, 'Conflict'])
    expect((await gateway.send(`GET ${s3}`)).body).toEqual(bucket)
  })
})

describe('the list of types', () => {
  test('has the built-in ones first, then those of the organization by name', async () => {
    for (const type of ['acme/s3', 'acme/aaa', 'acme/zzz']) await create({ type })
    gateway.cluster.put(
      ResourceType,
      newObject(ResourceType, { namespace: 'globex', name: 'mine' }, { use: 'direct' }),
    )
    const { body } = await gateway.send(`GET ${types}`)
    const names: string[] = body.map(({ type }: { type: string }) => type)
    expect(names.slice(-3)).toEqual(['acme/aaa', 'acme/s3', 'acme/zzz'])
    expect(names.slice(0, -3)).toContain('s3')
    expect(names.slice(0, -3).some((name) => name.includes('/'))).toBe(false)
  })
})

describe('a type in the path', () => {
  test.each([
    ['s3', 200],
    ['acme%2Fs3', 200],
    ['acme%2fs3', 200],
    ['acme%2Fmissing', 404],
    ['globex%2Fs3', 404],
    ['my-bucket', 404],
    ['acme/s3', 404],
    ['acme%252Fs3', 404],
  ])('GET %s: %s', async (id, status) => {
    await create()
    expect((await gateway.send(`GET ${types}/${id}`)).status).toBe(status)
  })

  test.each([
    ['PATCH', 's3', {}, 403],
    ['PUT', 's3', { use: 'direct' }, 403],
    ['DELETE', 's3', undefined, 403],
    ['PATCH', 'acme%2Fmissing', {}, 404],
    ['PUT', 'acme%2Fmissing', { use: 'direct' }, 404],
    ['DELETE', 'acme%2Fmissing', undefined, 404],
    ['PATCH', 'globex%2Fs3', {}, 404],
  ])('%s %s: it is built in or not there', async (method, id, body, status) => {
    gateway.cluster.put(
      ResourceType,
      newObject(ResourceType, { namespace: 'globex', name: 's3' }, { use: 'direct' }),
    )
    expect((await gateway.send(`${method} ${types}/${id}`, { body })).status).toBe(status)
  })
})

describe('a change', () => {
  test.each<[string, object]>([
    ['of nothing', {}],
    ['of the name', { name: 'New' }],
    ['of the use', { use: 'indirect' }],
    ['of a schema, as a whole', { inputs_schema: { properties: { other: {} } } }],
    ['of everything', { name: 'n', use: 'indirect', category: 'c', inputs_schema: {}, outputs_schema: {} }],
  ])('%s leaves the rest alone', async (_, body) => {
    await create()
    const response = await gateway.send(`PATCH ${s3}`, { body })
    expect(response).toMatchObject({ status: 200, body: { ...bucket, ...body } })
    expect((await gateway.send(`GET ${s3}`)).body).toEqual(response.body)
  })

  test.each<[string, object, number]>([
    ['to implicit', { use: 'implicit' }, 400],
    ['to a schema that cannot be used', { outputs_schema: { type: 'array' } }, 400],
    ['to a schema that is a list', { inputs_schema: [] }, 422],
  ])('%s: %s', async (_, body, status) => {
    await create()
    expect((await gateway.send(`PATCH ${s3}`, { body })).status).toBe(status)
    expect((await gateway.send(`GET ${s3}`)).body).toEqual(bucket)
  })

  test('that loses a race is made again', async () => {
    await create()
    gateway.cluster.failNext(
      'replace ResourceType',
      new ApiError(409, 'Conflict', 'the object has been modified'),
    )
    expect((await gateway.send(`PATCH ${s3}`, { body: { name: 'New' } })).status).toBe(200)
    expect(specOf('s3')?.displayName).toBe('New')
  })

  test('by PUT removes omitted fields, except the classes', async () => {
    await create()
    await gateway.send(`POST ${classes}`, { body: { id: 'large', description: 'Large ones.' } })
    const { status, body } = await gateway.send(`PUT ${s3}`, { body: { use: 'indirect', name: 'n' } })
    expect(status).toBe(200)
    expect(body).toEqual({
      type: 'acme/s3',
      use: 'indirect',
      name: 'n',
      category: '',
      inputs_schema: {},
      outputs_schema: {},
    })
    expect((await gateway.send(`GET ${classes}`)).body).toHaveLength(1)
    expect((await gateway.send(`PUT ${s3}`, { body: { name: 'n' } })).status).toBe(422)
  })
})

describe('a type that a definition uses', () => {
  const definition = { id: 's3-any', name: 'Any s3', type: 'acme/s3', driver_type: 'quartermaster/echo' }
  beforeEach(async () => {
    await create()
    await gateway.send('POST /orgs/acme/resources/defs', { body: definition })
  })

  test('cannot be deleted, and the refusal names the definitions', async () => {
    const { status, body } = await gateway.send(`DELETE ${s3}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'Invalid',
      details: { referencing_resources: { resource_definitions: ['s3-any'] } },
    })
    expect(body.message).toBe("type 'acme/s3' is used by the resource definition 's3-any'")
    expect(specOf('s3')).toBeDefined()
  })

  test('can be changed', async () => {
    expect((await gateway.send(`PATCH ${s3}`, { body: { inputs_schema: {} } })).status).toBe(200)
  })

  test('can be deleted when the definition is deleted', async () => {
    await gateway.send('DELETE /orgs/acme/resources/defs/s3-any')
    expect((await gateway.send(`DELETE ${s3}`)).status).toBe(204)
    expect((await gateway.send(`GET ${s3}`)).status).toBe(404)
  })

  test('cannot be deleted while a definition co-provisions it', async () => {
    await create({ type: 'acme/logs' })
    const body = { ...definition, id: 'with-logs', type: 'dns', provision: { 'acme/logs.large#main': {} } }
    await gateway.send('POST /orgs/acme/resources/defs', { body })
    const { status, body: answer } = await gateway.send(`DELETE ${types}/acme%2Flogs`)
    expect([status, answer.message]).toEqual([
      400,
      "type 'acme/logs' is used by the resource definition 'with-logs'",
    ])
  })

  test('does not hold another type', async () => {
    await create({ type: 'acme/s3-other' })
    expect((await gateway.send(`DELETE ${types}/acme%2Fs3-other`)).status).toBe(204)
  })
})
