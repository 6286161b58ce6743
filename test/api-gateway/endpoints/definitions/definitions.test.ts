import { describe, expect, test } from '@jest/globals'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const defs = '/orgs/acme/resources/defs'
const dynamic = '/orgs/acme/resources/dynamic'
const s3 = { id: 's3-any', name: 'Any s3', type: 's3', driver_type: 'quartermaster/echo' }

function specOf(id: string) {
  return gateway.cluster.store.get(ResourceDefinition, 'acme', id)?.spec
}

describe('a new definition', () => {
  test('answers 200 with the request body and nothing more', async () => {
    const body = {
      ...s3,
      driver_account: 'aws-main',
      driver_inputs: {
        values: { bucketName: 'x', nested: { snake_case: 1, camelCase: [null, '${context.app.id}'] } },
      },
      provision: {
        'aws-policy.default#x': { is_dependent: true, match_dependents: false, params: { Arn: 'a' } },
        dns: {},
      },
      criteria: [{ env_type: 'development', app_id: 'shop' }, { class: 'large' }],
    }
    const { status, body: answer } = await gateway.send(`POST ${defs}`, { body })
    expect(status).toBe(200)
    expect(answer).toMatchObject({
      ...body,
      org_id: 'acme',
      created_by: 'admin',
      is_default: false,
      is_deleted: false,
      provision: { ...body.provision, dns: { is_dependent: false } },
      criteria: [{ env_type: 'development', app_id: 'shop', class: 'default' }, { class: 'large' }],
    })
    expect(answer.criteria[0].id).toMatch(/^[0-9a-f]+$/)
    expect((await gateway.send(`GET ${defs}/s3-any`)).body).toEqual(answer)
    expect((await gateway.send(`GET ${defs}`)).body).toEqual([answer])
  })

  test('optional fields that were not sent stay away', async () => {
    const { body } = await gateway.send(`POST ${defs}`, { body: s3 })
    for (const field of [
      'driver_account',
      'driver_inputs',
      'driver_params',
      'account_id',
      'provision',
      'criteria',
    ]) {
      expect(body).not.toHaveProperty(field)
    }
  })

  test.each([
    ['driver_inputs: {}', { driver_inputs: {} }, { driver_inputs: {} }],
    ['criteria: []', { criteria: [] }, { criteria: [] }],
    ['an empty criterion', { criteria: [{}] }, { criteria: [{ class: 'default' }] }],
    [
      'a criterion with *',
      { criteria: [{ app_id: '*', env_type: 'development' }] },
      { criteria: [{ env_type: 'development', class: 'default' }] },
    ],
    [
      'references into another store',
      { driver_inputs: { secret_refs: { a: { store: 'vault', ref: 'x/y', version: '3' } } } },
      { driver_inputs: { secret_refs: { a: { store: 'vault', ref: 'x/y', version: '3' } } } },
    ],
    [
      'references into the cluster',
      { driver_inputs: { secret_refs: { a: { b: { store: 'kubernetes', ref: 'creds/token' } } } } },
      { driver_inputs: { secret_refs: { a: { b: { store: 'kubernetes', ref: 'creds/token' } } } } },
    ],
    ['an unknown driver', { driver_type: 'acme/terraform' }, { driver_type: 'acme/terraform' }],
    ['a custom type', { type: 'acme/s3' }, { type: 'acme/s3' }],
  ])('%s is returned unchanged', async (_, more, expected) => {
    const { status, body } = await gateway.send(`POST ${defs}`, { body: { ...s3, ...more } })
    expect(status).toBe(200)
    expect(body).toMatchObject(expected)
  })

  test.each<[string, object, number]>([
    ['criteria as an object', { criteria: {} }, 422],
    ['driver inputs as a list', { driver_inputs: [] }, 422],
    ['values that are no object', { driver_inputs: { values: 'x' } }, 422],
    ['a reference that names nothing', { driver_inputs: { secret_refs: { a: 'plain' } } }, 400],
    [
      'a reference out of the organization',
      { driver_inputs: { secret_refs: { a: { store: 'kubernetes', ref: 'ns/secret/key' } } } },
      400,
    ],
    ['a driver type without a vendor', { driver_type: 'echo' }, 400],
    ['a type that cannot be', { type: 's3 bucket' }, 400],
    ['a provision key that cannot be', { provision: { 'a b': {} } }, 400],
    [
      'an input that our driver does not take',
      {
        type: 'ingress',
        driver_type: 'quartermaster/ingress',
        driver_inputs: { values: { api_version: 'v2' } },
      },
      400,
    ],
    [
      'the same under the other vendor name',
      {
        type: 'ingress',
        driver_type: 'humanitec/ingress',
        driver_inputs: { values: { annotations: { a: 1 } } },
      },
      400,
    ],
    [
      'a placeholder in its place',
      {
        type: 'ingress',
        driver_type: 'quartermaster/ingress',
        driver_inputs: { values: { no_tls: '${resources.config.outputs.no_tls}' } },
      },
      200,
    ],
    [
      'a vendor that is not ours',
      { type: 'ingress', driver_type: 'initech/ingress', driver_inputs: { values: { api_version: 'v2' } } },
      200,
    ],
  ])('%s: %s', async (_, more, status) => {
    const response = await gateway.send(`POST ${defs}`, { body: { ...s3, ...more } })
    expect(response.status).toBe(status)
    expect(specOf('s3-any') !== undefined).toBe(status === 200)
  })

  test('with an id that is taken is a conflict', async () => {
    await gateway.send(`POST ${defs}`, { body: s3 })
    expect((await gateway.send(`POST ${defs}`, { body: { ...s3, criteria: [{}] } })).status).toBe(409)
  })

  test.each([
    ['the same criterion', 's3', [{ env_type: 'development' }], 409],
    ['the same, normalised', 's3', [{ app_id: '*', env_type: 'development', class: 'default' }], 409],
    ['the same among others', 's3', [{}, { env_type: 'development' }], 409],
    ['another criterion', 's3', [{ env_type: 'production' }], 200],
    ['another class', 's3', [{ env_type: 'development', class: 'large' }], 200],
    ['the override type', 'acme/s3', [{ env_type: 'development' }], 200],
  ])('%s as a definition has already', async (_, type, criteria, status) => {
    await gateway.send(`POST ${defs}`, { body: { ...s3, criteria: [{ env_type: 'development' }] } })
    const response = await gateway.send(`POST ${defs}`, { body: { ...s3, id: 's3-second', type, criteria } })
    expect(response.status).toBe(status)
    if (status === 409) expect(response.body.details).toEqual({ definition: 's3-any' })
  })
})

describe('both spellings', () => {
  const older = { account_id: 'aws-main', driver_params: { values: { a: 1 } } }
  const current = { driver_account: 'aws-main', driver_inputs: { values: { a: 1 } } }
  test.each([
    ['older names on the older path', dynamic, older, older],
    ['older names on the current path', defs, older, older],
    ['current names on the current path', defs, current, current],
    ['current names on the older path', dynamic, current, current],
  ])('%s get the same answer', async (_, path, sent, answered) => {
    const { status, body } = await gateway.send(`POST ${path}`, { body: { ...s3, ...sent } })
    expect(status).toBe(200)
    expect(body).toMatchObject(answered)
    expect(
      Object.keys(body)
        .filter((key) => key.startsWith('driver_') || key === 'account_id')
        .sort(),
    ).toEqual([...Object.keys(answered), 'driver_type'].sort())
    expect((await gateway.send(`GET ${dynamic}/s3-any`)).body).toMatchObject(older)
    expect((await gateway.send(`GET ${defs}/s3-any`)).body).toMatchObject(current)
  })

  test.each<[rule: string, method: string, body: object, status: number]>([
    ['that differ', 'POST', { driver_account: 'aws-main', account_id: 'other' }, 400],
    ['that are equal', 'POST', { driver_account: 'aws-main', account_id: 'aws-main' }, 200],
    ['one of them null', 'POST', { driver_account: 'aws-main', account_id: null }, 200],
    ['that differ', 'PUT', { name: 'n', driver_account: 'aws-main', account_id: 'other' }, 400],
    ['that differ', 'PATCH', { driver_account: 'aws-main', account_id: 'other' }, 400],
    [
      'where one removes a field that the other sets',
      'PATCH',
      { driver_account: null, account_id: 'a' },
      400,
    ],
    ['that are equal', 'PATCH', { driver_account: 'a', account_id: 'a' }, 200],
  ])('accounts in both %s: %s %j answers %i', async (_, method, body, status) => {
    if (method !== 'POST') await gateway.send(`POST ${defs}`, { body: { ...s3, driver_account: 'first' } })
    gateway.cluster.writes.length = 0
    const [path, sent] = method === 'POST' ? [defs, { ...s3, ...body }] : [`${defs}/s3-any`, body]
    expect((await gateway.send(`${method} ${path}`, { body: sent })).status).toBe(status)
    expect(gateway.cluster.writes.length > 0).toBe(status === 200)
  })

  test('both at once are merged', async () => {
    const mixed = {
      driver_params: { values: { a: 1 }, secrets: { s: 'x' } },
      driver_inputs: { values: { b: 2 } },
    }
    const { body } = await gateway.send(`POST ${dynamic}`, { body: { ...s3, ...mixed } })
    expect(body.driver_params.values).toEqual({ a: 1, b: 2 })
    expect(Object.keys(body.driver_params.secret_refs)).toEqual(['s'])
  })
})

describe('secret inputs', () => {
  const secrets = {
    token: 'canary-1',
    tls: { 'tls.crt': 'canary-2', 'tls.key': 'canary-3' },
    'odd key/ü': 'canary-4',
    'file.json': 'canary-5',
    list: ['canary-6', 7],
    '..': 'canary-7',
  }

  test.each([
    ['plain', { secrets }],
    [
      'as values of references',
      { secret_refs: { token: { value: 'canary-1' }, deep: { x: { value: 'canary-2' } } } },
    ],
  ])('%s become a Secret that the definition owns, and are never returned', async (_, inputs) => {
    const { status, body } = await gateway.send(`POST ${defs}`, { body: { ...s3, driver_inputs: inputs } })
    expect(status).toBe(200)
    const [secret] = gateway.cluster.secrets
    const owner = gateway.cluster.store.get(ResourceDefinition, 'acme', 's3-any')
    expect(secret?.metadata).toMatchObject({
      namespace: 'acme',
      ownerReferences: [{ kind: 'ResourceDefinition', name: 's3-any', uid: owner?.metadata.uid }],
    })
    expect(JSON.stringify([body, owner, gateway.logged])).not.toContain('canary')
    const leaf = { store: 'kubernetes', ref: `${secret?.metadata.name}/token`, version: '1' }
    expect(body.driver_inputs.secret_refs.token).toEqual(leaf)
    expect(body.driver_inputs).not.toHaveProperty('values')
  })

  test('keep their shape, and each has a key that the API server accepts', async () => {
    const { body } = await gateway.send(`POST ${defs}`, { body: { ...s3, driver_inputs: { secrets } } })
    const { secret_refs: refs } = body.driver_inputs
    expect(Object.keys(refs)).toEqual(Object.keys(secrets))
    expect(Object.keys(refs.tls)).toEqual(['tls.crt', 'tls.key'])
    const data = (gateway.cluster.secrets[0]?.['data'] ?? {}) as Record<string, string> // a Secret
    expect(Object.keys(data)).toHaveLength(7)
    for (const key of Object.keys(data)) expect(key).toMatch(/^(?!\.)[-._a-zA-Z0-9]{1,253}$/)
    const read = ({ ref }: { ref: string }) =>
      Buffer.from(data[ref.split('/')[1] ?? ''] ?? '', 'base64').toString()
    expect(read(refs.token)).toBe('canary-1')
    expect(read(refs.tls['tls.key'])).toBe('canary-3')
    expect(read(refs['file.json'])).toBe('"canary-5"')
    expect(read(refs.list)).toBe('["canary-6",7]')
  })

  test('that cannot be kept leave no definition', async () => {
    gateway.cluster.failNext('create Secret', new ApiError(500, 'InternalError', 'no'))
    const response = await gateway.send(`POST ${defs}`, { body: { ...s3, driver_inputs: { secrets } } })
    expect(response.status).toBe(500)
    expect(specOf('s3-any')).toBeUndefined()
  })
})

describe('deletion of a definition', () => {
  test('that no resource uses', async () => {
    await gateway.send(`POST ${defs}`, { body: s3 })
    expect((await gateway.send(`DELETE ${defs}/s3-any?force=false`)).status).toBe(204)
    expect((await gateway.send(`GET ${defs}/s3-any`)).status).toBe(404)
    expect((await gateway.send(`DELETE ${defs}/s3-any`)).status).toBe(404)
  })

  test.each([
    ['', 409],
    ['?force=false', 409],
    ['?force=true', 204],
    ['?force=perhaps', 400],
    ['?force=true&force=true', 400],
  ])('that a resource uses, with "%s"', async (query, status) => {
    addEnvironment(gateway)
    addResource(gateway, { type: 's3', definition: 's3-any' })
    await gateway.send(`POST ${defs}`, { body: { ...s3, criteria: [{ env_type: 'development' }] } })
    await gateway.send(`POST ${defs}`, { body: { ...s3, id: 's3-other', criteria: [{}] } })
    const response = await gateway.send(`DELETE ${defs}/s3-any${query}`)
    expect(response.status).toBe(status)
    if (status !== 409) return
    expect(response.body).toEqual([
      {
        app_id: 'shop',
        env_id: 'development',
        res_id: 'shared.main',
        from_def: 's3-any',
        to_def: 's3-other',
      },
    ])
  })

  test('of workloads that a resource uses, whose place a built-in one takes', async () => {
    addEnvironment(gateway)
    addResource(gateway, { type: 'workload', resourceId: 'modules.web', definition: 'own' })
    await gateway.send(`POST ${defs}`, { body: { ...s3, id: 'own', type: 'workload' } })
    const response = await gateway.send(`DELETE ${defs}/own`)
    expect(response.status).toBe(409)
    expect(response.body).toMatchObject([{ from_def: 'own', to_def: 'default--workload' }])
  })
})

test('the built-in types are listed', async () => {
  const { body } = await gateway.send('GET /orgs/acme/resources/types')
  expect(body).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'dns', use: 'direct' })]))
})
