import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { makeRestOrganization } from './twelve-endpoints.ts'

const { id: org, send, deploy } = await makeRestOrganization(sharedCluster(), 'types12')
const echo = 'quartermaster/echo'
const bucket = `${org}/s3`
const index = `${org}/search-index`
const typePath = (type: string) => `~/resources/types/${encodeURIComponent(type)}`
const outputs = (...names: string[]) => ({
  type: 'object',
  properties: {
    values: {
      type: 'object',
      properties: Object.fromEntries(
        names.map((name, order) => [name, { type: 'string', title: name, uiHints: { order, width: 2 } }]),
      ),
      required: names,
    },
    secrets: { type: 'object', properties: { key: { type: 'string' } } },
  },
  uiGroups: { main: { order: 1, type: 'section', title: 'Main' } },
})
const bucketBody = {
  type: bucket,
  use: 'direct',
  name: 'Own bucket',
  category: 'datastore',
  inputs_schema: {
    type: 'object',
    properties: { size: { type: 'integer', minimum: 1, maximum: 9 } },
    additionalProperties: false,
  },
  outputs_schema: outputs('bucket', 'region'),
}

interface Shown {
  readonly type: string
  readonly class: string
  readonly res_id: string
  readonly def_id: string
  readonly resource: Readonly<Record<string, unknown>>
}
const resources = async (environment = 'dev'): Promise<Shown[]> =>
  (await send(`GET ~/apps/shop/envs/${environment}/resources`)).body
const found = async (type: string, id: string, environment?: string) =>
  (await resources(environment)).find((each) => each.type === type && each.res_id === id)
const define = (id: string, type: string, values: object, more: object = {}) =>
  send('POST ~/resources/defs', {
    body: { id, name: id, type, driver_type: echo, driver_inputs: { values }, criteria: [{}], ...more },
  })
const module = (spec: object, externals: object) => ({
  modules: { add: { api: { profile: 'humanitec/default-module', spec, externals } } },
})
const errorsOf = async (deployment: string, environment = 'dev') =>
  (await send(`GET ~/apps/shop/envs/${environment}/deploys/${deployment}/errors`)).body

beforeAll(async () => {
  await define('built-in-s3', 's3', { bucket: 'built-in', region: 'none' })
})

describe('endpoint 4: a new custom type', () => {
  test('is answered 200, as it was sent', async () => {
    const { status, body } = await send('POST ~/resources/types', { body: bucketBody })
    expect([status, body]).toEqual([200, bucketBody])
  })

  test('with the required fields alone has all fields', async () => {
    const { body } = await send('POST ~/resources/types', { body: { type: index, use: 'indirect' } })
    expect(body).toEqual({
      type: index,
      use: 'indirect',
      name: 'search-index',
      category: '',
      inputs_schema: {},
      outputs_schema: {},
    })
  })

  test.each([
    ['a name that is taken', { type: bucket, use: 'direct' }, 409],
    ['use implicit', { type: `${org}/other`, use: 'implicit' }, 400],
    ['no organization', { type: 'other', use: 'direct' }, 400],
    ['another organization', { type: 'another/other', use: 'direct' }, 400],
    ['a class in its name', { type: `${org}/other.large`, use: 'direct' }, 400],
    ['no schema', { type: `${org}/other`, use: 'direct', inputs_schema: { type: 7 } }, 400],
    ['no use', { type: `${org}/other` }, 422],
    ['a schema of another form', { type: `${org}/other`, use: 'direct', inputs_schema: [] }, 422],
  ])('with %s is refused', async (_, body, status) => {
    expect((await send('POST ~/resources/types', { body })).status).toBe(status)
  })
})

describe('endpoint 5: the types', () => {
  test('are the built-in ones and those of the organization by their qualified names', async () => {
    const { body } = await send('GET ~/resources/types', { as: 'member' })
    const fields = ['category', 'inputs_schema', 'name', 'outputs_schema', 'type', 'use']
    for (const each of body) expect(Object.keys(each).sort()).toEqual(fields)
    const names = body.map(({ type }: { type: string }) => type)
    expect(names).toEqual(
      expect.arrayContaining(['dns', 'ingress', 's3', 'postgres', 'workload', bucket, index]),
    )
    expect(names.filter((each: string) => each.includes('/')).sort()).toEqual([bucket, index].sort())
    expect(body).toContainEqual(bucketBody)
  })
})

describe('a type in the path', () => {
  test.each([
    ['%2F', `${org}%2Fs3`, 200],
    ['%2f', `${org}%2fs3`, 200],
    ['a plain slash', `${org}/s3`, 404],
    ['%252F', `${org}%252Fs3`, 404],
    ['nothing before the name', 's3', 403],
  ])('with %s', async (_, segment, status) => {
    const patched = await send(`PATCH ~/resources/types/${segment}`, { body: { category: 'datastore' } })
    expect(patched.status).toBe(status)
  })
})

describe('rule 11: the override of a built-in type', () => {
  const externals = { files: { type: 's3' } }
  const spec = { containers: { main: { variables: { BUCKET: '${externals.files.bucket}' } } } }

  test('without a definition changes nothing', async () => {
    expect((await deploy('dev', module(spec, externals))).status).toBe('succeeded')
    expect((await found('s3', 'modules.api.externals.files'))?.def_id).toBe('built-in-s3')
  })

  test('has a definition beside that of the built-in type, with equal criteria', async () => {
    const { status } = await define('own-s3', bucket, {
      bucket: '${context.res.type}',
      region: 'eu',
      search: `\${resources['${index}#shared.idx'].outputs.url}`,
    })
    expect(status).toBe(200)
    expect((await define('own-index', index, { url: '${context.res.id}' })).status).toBe(200)
  })

  test('is used for its simple name from then on, and existing resources are kept', async () => {
    const files = { type: 's3', params: { size: 3 } }
    const more = { main: { variables: { ALL: '${externals.files.bucket}${externals.files.region}' } } }
    const { status, id } = await deploy('dev', module({ containers: more }, { files }))
    expect([status, await errorsOf(id)]).toEqual(['succeeded', []])
    const own = await found(bucket, 'modules.api.externals.files')
    expect(own).toMatchObject({ def_id: 'own-s3', resource: { bucket, region: 'eu', search: 'shared.idx' } })
    expect(await found('s3', 'modules.api.externals.files')).toMatchObject({ def_id: 'built-in-s3' })
    expect(await found(index, 'shared.idx')).toMatchObject({ def_id: 'own-index' })
  })

  test('is found by endpoint 9, and deleted by endpoint 10 with its slash encoded', async () => {
    const via = await send('GET ~/resources/defs/own-s3/resources')
    expect(via.body.map(({ type }: Shown) => type)).toEqual([bucket])
    for (const slash of ['%2F', '%2f']) {
      const path = `~/apps/shop/envs/dev/resources/${bucket.replace('/', slash)}/modules.api.externals.files`
      expect([202, 204, 404]).toContain((await send(`DELETE ${path}`)).status)
    }
    await eventually('its end', 30_000, async () =>
      (await found(bucket, 'modules.api.externals.files')) ? undefined : true,
    )
  })

  test('fails a deployment in a context for which it has no definition', async () => {
    const criteria = (await send('GET ~/resources/defs/own-s3')).body.criteria
    await send('POST ~/resources/defs/own-s3/criteria', { body: { app_id: 'other' } })
    await send(`DELETE ~/resources/defs/own-s3/criteria/${criteria[0].id}?force=true`)
    const { status, id } = await deploy('dev', module({}, { files: { type: 's3' } }))
    expect(status).toBe('failed')
    expect(await errorsOf(id)).toMatchObject([{ object_id: `${bucket}.default#modules.api.externals.files` }])
    await send('POST ~/resources/defs/own-s3/criteria', { body: {} })
  })
})

describe('endpoint 6: the change of a type in use', () => {
  test.each([
    ['only its use', { use: 'indirect' }],
    ['its use back', { use: 'direct' }],
    ['all of it', { ...bucketBody, name: 'Renamed', outputs_schema: outputs('bucket') }],
  ])('%s: 200 with the whole type', async (_, body) => {
    const before = (await send(`GET ${typePath(bucket)}`)).body
    const { status, body: after } = await send(`PATCH ${typePath(bucket)}`, { body })
    expect([status, after]).toEqual([200, { ...before, ...body }])
  })

  test('is effective at once, for the next deployment', async () => {
    const before = await deploy('dev', module({}, { files: { type: 's3', params: { size: 9 } } }))
    const inputs = { ...bucketBody.inputs_schema, properties: { size: { type: 'integer', maximum: 5 } } }
    await send(`PATCH ${typePath(bucket)}`, { body: { inputs_schema: inputs } })
    const after = await deploy('dev', module({}, { files: { type: 's3', params: { size: 9 } } }))
    expect([before.status, after.status]).toEqual(['succeeded', 'failed'])
    await send(`PATCH ${typePath(bucket)}`, { body: { use: 'indirect' } })
    const indirect = await deploy('dev', module({}, { files: { type: 's3', params: { size: 1 } } }))
    expect(indirect.status).toBe('failed')
  })

  test.each([
    ['to implicit', { use: 'implicit' }, 400],
    ['to an invalid schema', { outputs_schema: { type: 'nothing' } }, 400],
    ['to another form', { use: 7 }, 422],
  ])('%s is refused', async (_, body, status) => {
    expect((await send(`PATCH ${typePath(bucket)}`, { body })).status).toBe(status)
  })
})

describe('endpoint 7: the deletion of a type', () => {
  test('is refused while a definition uses it: 400 with details', async () => {
    const { status, body } = await send(`DELETE ${typePath(bucket)}`)
    expect(status).toBe(400)
    expect(body).toEqual({ error: 'Invalid', message: expect.any(String), details: expect.any(Object) })
    expect(body.details.referencing_resources.resource_definitions).toEqual(['own-s3'])
  })

  test('succeeds without users: 204 without a body, and the type is deleted', async () => {
    await send('DELETE ~/resources/defs/own-s3?force=true')
    const { status, body } = await send(`DELETE ${typePath(bucket)}`)
    expect([status, body]).toEqual([204, undefined])
    expect((await send(`GET ${typePath(bucket)}`)).status).toBe(404)
    expect((await send(`DELETE ${typePath(bucket)}`)).status).toBe(404)
  })
})
