import { describe, expect, test } from '@jest/globals'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { createDefinition, defs, dynamic, fullDefinition } from '../../support/definitions.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const full = fullDefinition
const create = (body: object = full) => createDefinition(gateway, body)

function specOf(id = 's3') {
  return gateway.cluster.store.get(ResourceDefinition, 'acme', id)?.spec
}

describe('PUT of a definition', () => {
  test('removes omitted optional fields; type, criteria and driver stay', async () => {
    const { criteria, created_at } = await create()
    const { status, body } = await gateway.send(`PUT ${defs}/s3`, { body: { name: 'New' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 's3',
      name: 'New',
      type: 's3',
      driver_type: full.driver_type,
      criteria,
      created_at,
    })
    for (const field of ['driver_account', 'driver_inputs', 'provision'])
      expect(body).not.toHaveProperty(field)
    expect((await gateway.send(`GET ${defs}/s3`)).body).toEqual(body)
  })

  test('accepts either spelling, and answers in the same spelling', async () => {
    await create()
    const changes = {
      name: 'N',
      driver_type: 'acme/x',
      account_id: 'b',
      driver_params: { values: { a: 1 } },
      provision: {},
    }
    const { status, body } = await gateway.send(`PUT ${defs}/s3`, { body: changes })
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...changes, criteria: [{ app_id: 'shop' }] })
    expect(body.driver_params).toEqual({ values: { a: 1 } })
    expect(body).not.toHaveProperty('driver_inputs')
    const older = await gateway.send(`PUT ${dynamic}/s3`, { body: { name: 'N', driver_inputs: {} } })
    expect(older.body.driver_inputs).toEqual({})
  })

  test.each([defs, dynamic])('with the very answer of %s changes nothing', async (path) => {
    await create()
    const before = specOf()
    const { body } = await gateway.send(`GET ${path}/s3`)
    const written = gateway.cluster.writes.length
    const response = await gateway.send(`PUT ${path}/s3`, { body })
    expect(response.body).toEqual(body)
    expect(specOf()).toEqual(before)
    expect(gateway.cluster.writes).toHaveLength(written)
  })

  test.each<[string, object, number]>([
    ['no name', {}, 422],
    ['driver inputs as a list', { name: 'n', driver_inputs: [] }, 422],
    ['a driver type without a vendor', { name: 'n', driver_type: 'echo' }, 400],
    ['a provision key that cannot be', { name: 'n', provision: { 'a b': {} } }, 400],
    ['a placeholder without end', { name: 'n', driver_inputs: { values: { a: '${context.app.id' } } }, 400],
    ['a malformed param', { name: 'n', provision: { s3: { params: { a: '${a b}' } } } }, 400],
    [
      'inputs that our driver does not take',
      { name: 'n', driver_type: 'quartermaster/ingress', driver_inputs: { values: { api_version: 'v2' } } },
      400,
    ],
    [
      'null for an optional field',
      { name: 'n', driver_account: null, driver_inputs: null, provision: null },
      200,
    ],
  ])('%s: %s', async (_, body, status) => {
    await create()
    const before = specOf()
    expect((await gateway.send(`PUT ${defs}/s3`, { body })).status).toBe(status)
    if (status !== 200) expect(specOf()).toEqual(before)
  })

  test('is refused without inputs that the driver requires', async () => {
    await create({ ...full, driver_type: 'acme/x' })
    const { cluster } = gateway
    const definition = cluster.store.get(ResourceDefinition, 'acme', 's3')
    if (!definition) throw new Error('no definition')
    const driverType = 'quartermaster/dns-cloudflare'
    cluster.put(ResourceDefinition, { ...definition, spec: { ...definition.spec, driverType } })
    expect((await gateway.send(`PUT ${defs}/s3`, { body: { name: 'n' } })).status).toBe(400)
  })
})

describe('PATCH of a definition', () => {
  test.each<[string, object, object, string[]]>([
    ['nothing', {}, {}, []],
    ['a name', { name: 'New' }, { name: 'New' }, []],
    ['another driver', { driver_type: 'acme/x' }, { driver_type: 'acme/x' }, []],
    [
      'null removes the field',
      { driver_account: null, provision: null },
      {},
      ['driver_account', 'provision'],
    ],
    [
      'null in the older spelling',
      { account_id: null, driver_params: null },
      {},
      ['driver_account', 'driver_inputs'],
    ],
    ['null for a required field', { name: null, driver_type: null }, {}, []],
    [
      'a part of the inputs replaces that part',
      { driver_inputs: { values: { b: 2 } } },
      { driver_inputs: { values: { b: 2 } } },
      [],
    ],
    ['provision as a whole', { provision: { dns: {} } }, { provision: { dns: { is_dependent: false } } }, []],
    ['type and criteria stay', { name: 'New', type: 'dns', criteria: [] }, { name: 'New' }, []],
  ])('%s', async (_, changes, expected, gone) => {
    const before = await create()
    const { status } = await gateway.send(`PATCH ${defs}/s3`, { body: changes })
    expect(status).toBe(200)
    const { body } = await gateway.send(`GET ${defs}/s3`)
    const wanted = { ...before, ...expected }
    for (const field of gone) delete wanted[field]
    if ('driver_inputs' in expected)
      wanted.driver_inputs = { ...before.driver_inputs, ...(expected.driver_inputs as object) } // as the row says
    const { active_version_id: _a, current_version_id: _b, ...rest } = wanted
    expect(body).toMatchObject(rest)
    const { updated_at: changedAt, updated_by: changedBy, ...kept } = body
    expect(Object.keys(kept).sort()).toEqual(Object.keys(wanted).sort())
    expect(changedAt === undefined || Date.parse(changedAt) > 0).toBe(true)
    expect(changedBy).toBe(changedAt === undefined ? undefined : 'admin')
    if ('provision' in expected) expect(body.provision).toEqual(expected.provision)
    if ('driver_inputs' in expected) expect(body.driver_inputs).toEqual(wanted.driver_inputs)
  })

  test('null takes one part of the inputs away', async () => {
    const { driver_inputs: inputs } = await create()
    const send = async (changes: object) =>
      (await gateway.send(`PATCH ${defs}/s3`, { body: { driver_inputs: changes } })).body.driver_inputs
    expect(await send({ values: null })).toEqual({ secret_refs: inputs.secret_refs })
    expect(await send({ secret_refs: null })).toEqual({})
  })

  test('a definition whose inputs the driver does not take can still get another name', async () => {
    await create({ ...full, driver_type: 'acme/x', driver_inputs: { values: { api_version: 'v2' } } })
    const driver = { driver_type: 'quartermaster/ingress' }
    expect((await gateway.send(`PATCH ${defs}/s3`, { body: driver })).status).toBe(400)
    const { cluster } = gateway
    const definition = cluster.store.get(ResourceDefinition, 'acme', 's3')
    if (definition)
      cluster.put(ResourceDefinition, {
        ...definition,
        spec: { ...definition.spec, driverType: driver.driver_type },
      })
    expect((await gateway.send(`PATCH ${defs}/s3`, { body: { name: 'x' } })).status).toBe(200)
    expect((await gateway.send(`PATCH ${defs}/s3`, { body: { driver_inputs: {} } })).status).toBe(400)
  })

  test('a missing definition is 404', async () => {
    expect((await gateway.send(`PATCH ${defs}/missing`, { body: {} })).status).toBe(404)
    expect((await gateway.send(`PUT ${defs}/missing`, { body: { name: 'n' } })).status).toBe(404)
  })
})

describe('secret inputs that change', () => {
  test.each([
    ['PUT', { name: 'n', driver_inputs: { secrets: { token: 'canary-3' } } }],
    ['PATCH', { driver_inputs: { secrets: { token: 'canary-3' } } }],
    ['PATCH', { driver_inputs: { secret_refs: { token: { value: 'canary-3' } } } }],
  ])('%s makes a new Secret of the definition, and the old one is left', async (method, body) => {
    const before = await create()
    const response = await gateway.send(`${method} ${defs}/s3`, { body })
    const [old, fresh, ...more] = gateway.cluster.secrets
    expect(more).toEqual([])
    expect(fresh?.metadata.name).not.toBe(old?.metadata.name)
    expect(fresh?.metadata.ownerReferences).toEqual(old?.metadata.ownerReferences)
    expect(response.body.driver_inputs.secret_refs).toEqual({
      token: { store: 'kubernetes', ref: `${fresh?.metadata.name}/token`, version: '1' },
    })
    expect(response.body.active_version_id).not.toBe(before.active_version_id)
    expect(JSON.stringify([response.body, specOf(), gateway.logged])).not.toContain('canary')
  })

  test('the returned references stay, and others can be added', async () => {
    const { driver_inputs: inputs } = await create()
    const before = specOf()?.driverInputs?.secretRefs
    const { tls } = inputs.secret_refs
    const other = { store: 'vault', ref: 'x', version: '1' }
    const body = { driver_inputs: { secret_refs: { tls, other, fresh: { value: 'canary-4' } } } }
    const response = await gateway.send(`PATCH ${defs}/s3`, { body })
    expect(response.body.driver_inputs.secret_refs).toMatchObject({ tls, other })
    expect(specOf()?.driverInputs?.secretRefs).toMatchObject({ tls: before?.['tls'], other })
    expect(specOf()?.driverInputs?.secretRefs?.['tls']).toEqual(before?.['tls'])
    expect(gateway.cluster.secrets).toHaveLength(2)
  })

  test('a Secret that cannot be made leaves the definition as it was', async () => {
    await create()
    const before = specOf()
    gateway.cluster.failNext('create Secret', new ApiError(500, 'InternalError', 'no'))
    const body = { driver_inputs: { secrets: { token: 'x' } } }
    expect((await gateway.send(`PATCH ${defs}/s3`, { body })).status).toBe(500)
    expect(specOf()).toEqual(before)
  })
})

describe('a change that meets another', () => {
  test('is made to the newer object, with one Secret', async () => {
    await create()
    const { cluster } = gateway
    cluster.failNext('replace ResourceDefinition', new ApiError(409, 'Conflict', 'modified'))
    const body = { name: 'New', driver_inputs: { secrets: { token: 'x' } } }
    expect((await gateway.send(`PATCH ${defs}/s3`, { body })).status).toBe(200)
    expect(specOf()).toMatchObject({ displayName: 'New' })
    expect(cluster.secrets).toHaveLength(2)
  })
})
