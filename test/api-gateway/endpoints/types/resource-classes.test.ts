import { describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceClass } from '../../../../operator/api/resource-class.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  for (const [namespace, name] of [
    ['acme', 's3'],
    ['acme', 'mysql'],
    ['globex', 's3'],
  ] as const)
    gateway.cluster.put(ResourceType, newObject(ResourceType, { namespace, name }, { use: 'direct' }))
})

const all = '/orgs/acme/resources/classes'
const of = (type: string, organization = 'acme') =>
  `/orgs/${organization}/resources/types/${encodeURIComponent(type)}/classes`
const large = { id: 'large', description: 'Large ones.' }

function putClass(typeName: string, className: string, namespace = 'acme') {
  const metadata = { namespace, name: `${typeName}.${className}` }
  gateway.cluster.put(ResourceClass, newObject(ResourceClass, metadata, { typeName, className }))
}

async function idsIn(path: string) {
  const { body } = await gateway.send(`GET ${path}`)
  return body.map((each: { resource_type: string; id: string }) => `${each.resource_type} ${each.id}`)
}

describe.each([
  ['a custom type', 'acme/s3'],
  ['a built-in type', 's3'],
  ['a built-in type that is overridden', 'mysql'],
  ['the override', 'acme/mysql'],
])('classes of %s', (_, type) => {
  const classes = of(type)

  test('can be added and deleted', async () => {
    const { status, body } = await gateway.send(`POST ${classes}`, { body: large })
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...large, resource_type: type, created_at: expect.any(String) })
    expect((await gateway.send(`GET ${classes}`)).body).toEqual([body])
    expect((await gateway.send(`GET ${all}`)).body).toEqual([body])
    expect((await gateway.send(`GET ${classes}/large`)).body).toEqual(body)
    const patched = await gateway.send(`PATCH ${classes}/large`, { body: { description: 'x' } })
    expect(patched).toMatchObject({ status: 200, body: { ...body, description: 'x' } })
    expect((await gateway.send(`GET ${classes}/large`)).body).toEqual(patched.body)
    expect((await gateway.send(`DELETE ${classes}/large`)).status).toBe(204)
    expect((await gateway.send(`GET ${classes}/large`)).status).toBe(404)
    expect(await idsIn(classes)).toEqual([])
    expect((await gateway.send(`POST ${classes}`, { body: large })).status).toBe(200)
  })

  test.each<[string, unknown, number]>([
    [`POST ${classes}`, { id: 'a b', description: '' }, 400],
    [`POST ${classes}`, { id: '', description: '' }, 400],
    [`POST ${classes}`, { id: 'x'.repeat(64), description: '' }, 400],
    [`POST ${classes}`, { id: 'small' }, 422],
    [`POST ${classes}`, { description: '' }, 422],
    [`POST ${classes}`, { id: 'known', description: '' }, 409],
    [`GET ${classes}/missing`, undefined, 404],
    [`PATCH ${classes}/missing`, { description: '' }, 404],
    [`PATCH ${classes}/known`, {}, 422],
    [`DELETE ${classes}/missing`, undefined, 404],
  ])('%s %j: %s', async (operation, body, status) => {
    await gateway.send(`POST ${classes}`, { body: { id: 'known', description: '' } })
    expect((await gateway.send(operation, { body })).status).toBe(status)
    expect(await idsIn(all)).toEqual([`${type} known`])
  })

  test.each(['default', '0', 'a--b'])("'%s' is a class like any other", async (id) => {
    expect((await gateway.send(`POST ${classes}`, { body: { id, description: '' } })).status).toBe(200)
    expect((await gateway.send(`GET ${classes}/${id}`)).body.id).toBe(id)
  })

  test('two at once of one name: one is refused', async () => {
    const answers = await Promise.all([1, 2].map(() => gateway.send(`POST ${classes}`, { body: large })))
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 409])
  })

  test('that definitions use may go: they are names and no more', async () => {
    const body = {
      id: 'large-one',
      name: 'n',
      type,
      driver_type: 'quartermaster/echo',
      criteria: [{ class: 'large' }],
    }
    await gateway.send(`POST ${classes}`, { body: large })
    expect((await gateway.send('POST /orgs/acme/resources/defs', { body })).status).toBe(200)
    expect((await gateway.send(`DELETE ${classes}/large`)).status).toBe(204)
  })
})

describe('classes', () => {
  test('of a built-in type and of its override are two lists', async () => {
    await gateway.send(`POST ${of('mysql')}`, { body: large })
    await gateway.send(`POST ${of('acme/mysql')}`, { body: { ...large, id: 'small' } })
    expect(await idsIn(of('mysql'))).toEqual(['mysql large'])
    expect(await idsIn(of('acme/mysql'))).toEqual(['acme/mysql small'])
  })

  test('are listed together, built-in types first, without those of other organizations', async () => {
    for (const type of ['acme/s3', 's3', 'acme/mysql', 'mysql'])
      await gateway.send(`POST ${of(type)}`, { body: large })
    await gateway.send(`POST ${of('s3', 'globex')}`, { body: { ...large, id: 'theirs' } })
    expect(await idsIn(all)).toEqual(['mysql large', 's3 large', 'acme/mysql large', 'acme/s3 large'])
    expect((await gateway.send(`GET ${of('s3')}/theirs`)).status).toBe(404)
    expect((await gateway.send(`DELETE ${of('s3')}/theirs`)).status).toBe(404)
  })

  test.each([
    ['of a missing custom type', 'acme/missing'],
    ['of a type of another organization', 'globex/s3'],
    ['of a type that is not built in', 'my-bucket'],
  ])('%s are not there', async (_, type) => {
    expect((await gateway.send(`GET ${of(type)}`)).status).toBe(404)
    expect((await gateway.send(`POST ${of(type)}`, { body: large })).status).toBe(404)
  })

  test.each([
    ['a custom type', 'acme/s3', 200],
    ['a built-in type: names of objects have none', 's3', 400],
  ])('with a capital or an underscore, of %s', async (_, type, status) => {
    for (const id of ['Large', 'very_large', 'large-'])
      expect((await gateway.send(`POST ${of(type)}`, { body: { id, description: '' } })).status).toBe(status)
  })

  test('of a built-in type can be created by kubectl; those of other types are ignored', async () => {
    putClass('s3', 'fast')
    putClass('my-bucket', 'fast')
    expect(await idsIn(all)).toEqual(['s3 fast'])
    const { body } = await gateway.send(`GET ${of('s3')}/fast`)
    expect(body).toMatchObject({ id: 'fast', description: '', created_by: '' })
    expect((await gateway.send(`PATCH ${of('s3')}/fast`, { body: { description: 'x' } })).status).toBe(200)
  })

  test('a change that loses a race is made again', async () => {
    await gateway.send(`POST ${of('s3')}`, { body: large })
    gateway.cluster.failNext('replace ResourceClass', new ApiError(409, 'Conflict', 'modified'))
    const { status } = await gateway.send(`PATCH ${of('s3')}/large`, { body: { description: 'x' } })
    expect(status).toBe(200)
  })

  test('of a custom type stay when the type is replaced, and go with it', async () => {
    await gateway.send(`POST ${of('acme/s3')}`, { body: large })
    await gateway.send('PUT /orgs/acme/resources/types/acme%2Fs3', { body: { use: 'indirect' } })
    expect(await idsIn(all)).toEqual(['acme/s3 large'])
    await gateway.send('DELETE /orgs/acme/resources/types/acme%2Fs3')
    expect(await idsIn(all)).toEqual([])
  })
})
