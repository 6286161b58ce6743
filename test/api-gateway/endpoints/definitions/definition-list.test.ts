import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../../operator/api/active-resource.ts'
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
    const list = await gateway.send(`GET ${dynamic}?deleted=true`)
    expect(list.body).toMatchObject([
      { id: 's3', is_deleted: true, account_id: 'aws' },
      { id: 'other', is_deleted: false },
    ])
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
    ['', ['d-any', 's-any', 's-large', 's-live', 's-shop']],
    ['?res_type=dns', ['d-any']],
    ['?app=shop', ['d-any', 's-any', 's-large', 's-live', 's-shop']],
    ['?app=other&env=', ['d-any', 's-any', 's-large', 's-live']],
    ['?res_type=s3&class=default', ['s-any', 's-live', 's-shop']],
    ['?class=large', ['s-large']],
    ['?res_type=s3&env_type=production', ['s-any', 's-large', 's-live', 's-shop']],
    ['?res_type=s3&env_type=development', ['s-any', 's-large', 's-shop']],
    ['?env_type=production&env=live&res=shared.x&res_type=s3', ['s-any', 's-large', 's-live', 's-shop']],
  ])('with "%s" has the definitions that can match', async (query, expected) => {
    for (const [id, type, criteria] of [
      ['s-any', 's3', [{}]],
      ['s-shop', 's3', [{ app_id: 'shop' }]],
      ['s-large', 's3', [{ class: 'large' }]],
      ['s-live', 's3', [{ env_type: 'production' }]],
      ['d-any', 'dns', [{}]],
    ])
      await create({ ...full, id, type, criteria })
    const { status, body } = await gateway.send(`GET ${defs}${query}`)
    expect(status).toBe(200)
    const ids: string[] = body.map(({ id }: { id: string }) => id)
    expect([...ids].sort()).toEqual(expected)
    if (ids.includes('s-shop')) expect(ids.indexOf('s-shop')).toBeLessThan(ids.indexOf('s-any'))
  })
})
