import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { createDefinition, defs, dynamic, fullDefinition } from '../../support/definitions.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const full = fullDefinition
const create = (body: object = full) => createDefinition(gateway, body)

describe('a deleted definition', () => {
  beforeEach(() => {
    addEnvironment(gateway)
  })

  async function deleteUsed() {
    await create({ ...full, driver_inputs: { values: { region: 'a' } } })
    const driverInputs = {
      values: { region: 'old' },
      secretRefs: { token: { secret: 's3-inputs-1', key: 'token' } },
    }
    const definition = {
      definitionName: 's3',
      driverType: 'quartermaster/echo',
      accountName: 'aws',
      driverInputs,
      criterion: { appId: 'shop', class: 'default' },
    }
    const name = addResource(gateway, { type: 's3' }, { spec: { definition } })
    expect((await gateway.send(`DELETE ${defs}/s3?force=true`)).status).toBe(204)
    return name
  }

  test('is shown on request as its resources recorded it', async () => {
    await deleteUsed()
    expect((await gateway.send(`GET ${defs}/s3`)).status).toBe(404)
    expect((await gateway.send(`GET ${defs}/s3?deleted=false`)).status).toBe(404)
    expect((await gateway.send(`GET ${defs}`)).body).toEqual([])
    const { status, body } = await gateway.send(`GET ${defs}/s3?deleted=true`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 's3',
      type: 's3',
      is_deleted: true,
      driver_type: 'quartermaster/echo',
      driver_account: 'aws',
      driver_inputs: {
        values: { region: 'old' },
        secret_refs: { token: { store: 'kubernetes', ref: 's3-inputs-1/token', version: '1' } },
      },
      criteria: [{ app_id: 'shop', class: 'default' }],
    })
    await create({ ...full, id: 'other', criteria: [{}] })
    addResource(gateway, { type: 's3', definition: 'other', resourceId: 'shared.other' })
    const list = await gateway.send(`GET ${dynamic}?deleted=true`)
    expect(list.body).toMatchObject([
      { id: 's3', is_deleted: true, account_id: 'aws' },
      { id: 'other', is_deleted: false },
    ])
  })

  test('is shown as the newest deployment recorded it, with the criteria of all', async () => {
    const driverType = 'quartermaster/echo'
    const deploy = (resourceId: string, day: number, envType: string) => {
      const driverInputs = { values: { day } }
      const definition = { definitionName: 's3', driverType, driverInputs, criterion: { envType } }
      const metadata = { creationTimestamp: `2026-01-0${day}T00:00:00Z` }
      const spec = { definition, deploymentName: `shop.development.${day}` }
      addResource(gateway, { type: 's3', resourceId }, { spec, metadata })
    }
    deploy('shared.a', 2, 'production')
    deploy('shared.b', 1, 'production')
    deploy('shared.c', 3, 'development')
    expect((await gateway.send(`GET ${defs}/s3?deleted=true`)).body).toMatchObject({
      driver_inputs: { values: { day: 3 } },
      criteria: [{ env_type: 'production' }, { env_type: 'development' }],
      created_at: '2026-01-01T00:00:00Z',
    })
  })

  test('is shown as it is while its deletion waits', async () => {
    await create({ ...full, name: 'Files' })
    addResource(gateway, { type: 's3', definition: 's3' })
    const { cluster } = gateway
    const object = cluster.store.get(ResourceDefinition, 'acme', 's3')
    if (!object) throw new Error('no definition')
    const going = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['x/y'] }
    cluster.put(ResourceDefinition, { ...object, metadata: { ...object.metadata, ...going } })
    expect((await gateway.send(`GET ${defs}/s3`)).status).toBe(404)
    const { body } = await gateway.send(`GET ${defs}/s3?deleted=true`)
    expect(body).toMatchObject({ name: 'Files', is_deleted: true })
  })

  test('can be neither changed nor deleted, and disappears with its resources', async () => {
    const name = await deleteUsed()
    expect((await gateway.send(`PATCH ${defs}/s3`, { body: {} })).status).toBe(404)
    expect((await gateway.send(`DELETE ${defs}/s3`)).status).toBe(404)
    gateway.cluster.drop(ActiveResource, 'acme', name)
    expect((await gateway.send(`GET ${defs}/s3?deleted=true`)).status).toBe(404)
    expect((await gateway.send(`GET ${defs}?deleted=true`)).body).toEqual([])
  })
})

describe('the list', () => {
  test.each([
    ['', ['d-res', 'd-env', 'd-any', 's-shop', 's-live', 's-any', 's-large']],
    ['?res_type=dns', ['d-res', 'd-env', 'd-any']],
    ['?res_type=dns&env=test', ['d-res', 'd-any']],
    ['?res_type=dns&env=live&res=shared.other', ['d-env', 'd-any']],
    ['?res_type=s3&app=shop', ['s-shop', 's-live', 's-any', 's-large']],
    ['?res_type=s3&app=other&env=', ['s-live', 's-any', 's-large']],
    ['?res_type=s3&class=default', ['s-shop', 's-live', 's-any']],
    ['?class=large', ['s-large']],
    ['?res_type=s3&env_type=production', ['s-shop', 's-live', 's-any', 's-large']],
    ['?res_type=s3&env_type=development', ['s-shop', 's-any', 's-large']],
    ['?env_type=production&env=live&res=shared.x&res_type=s3', ['s-shop', 's-live', 's-any', 's-large']],
  ])('with "%s" has the definitions that can match, the best first', async (query, expected) => {
    for (const [id, type, criteria] of [
      ['s-any', 's3', [{}]],
      ['s-shop', 's3', [{ app_id: 'shop' }]],
      ['s-large', 's3', [{ class: 'large' }]],
      ['s-live', 's3', [{ env_type: 'production' }]],
      ['d-any', 'dns', [{}]],
      ['d-env', 'dns', [{ env_id: 'live' }]],
      ['d-res', 'dns', [{ res_id: 'shared.main' }]],
    ])
      await create({ ...full, id, type, criteria })
    const { status, body } = await gateway.send(`GET ${defs}${query}`)
    expect(status).toBe(200)
    expect(body.map(({ id }: { id: string }) => id)).toEqual(expected)
  })
})
