import { beforeEach, describe, expect, test } from '@jest/globals'
import { previewDefinition } from '../../../../api-gateway/endpoints/definitions/definition-preview.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { catalogue } from '../../../../operator/drivers/catalogue.ts'
import { silentLog } from '../../../../operator/log.ts'
import { createPlanning } from '../../../../operator/planning/planning.ts'
import { addEnvironment, addResource, finish } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const defs = '/orgs/acme/resources/defs'
const dynamic = '/orgs/acme/resources/dynamic'
const s3 = { name: 'n', type: 's3', driver_type: 'quartermaster/echo' }
const inputs = { values: { region: 'a' }, secrets: { token: 'canary-1' } }

const gateway = await setUpGateway(async () => {
  const criteria = [{ app_id: 'shop' }]
  await gateway.send(`POST ${defs}`, { body: { ...s3, id: 's3', driver_inputs: inputs, criteria } })
  await gateway.send(`POST ${defs}`, { body: { ...s3, id: 'any', criteria: [{}] } })
  for (const environment of ['development', 'production']) deploy(environment)
  addEnvironment(gateway, 'staging', 'development') // never deployed
})

/** Environment with an s3 that is deployed as the definition `s3` is now. */
function deploy(environment: string) {
  const { cluster } = gateway
  addEnvironment(gateway, environment)
  const content = { applicationName: 'shop', modules: {}, shared: { main: { type: 's3' } } }
  cluster.put(DeploymentSet, newObject(DeploymentSet, { namespace: 'acme', name: 'shop.1' }, content))
  const name = `shop.${environment}.1`
  const spec = { environmentName: `shop.${environment}`, setName: 'shop.1' }
  cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, { namespace: 'acme', name }, spec))
  finish(gateway, name)
  const secret = { secret: cluster.secrets[0]?.metadata.name, key: 'token' }
  const definition = {
    definitionName: 's3',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { region: 'a' }, secretRefs: { token: secret } },
    criterion: { appId: 'shop', class: 'default' },
  }
  addResource(gateway, { type: 's3', environment }, { spec: { definition } })
}

interface Change {
  readonly env_id: string
  readonly [field: string]: unknown
}

async function preview(operation: string, body?: object): Promise<{ changes: Change[]; problems: Change[] }> {
  const { cluster } = gateway
  const writes = cluster.writes.length
  const [method, path] = operation.split(' ')
  const response = await gateway.send(`${method} ${path}?dry_run=true`, { body })
  expect(response.status).toBe(200)
  expect(cluster.writes).toHaveLength(writes)
  expect(JSON.stringify(response.body)).not.toContain('canary')
  return response.body
}

const main = { app_id: 'shop', res_id: 'shared.main', type: 's3', class: 'default', from_def: 's3' }

describe('a dry run', () => {
  test.each([defs, dynamic])('of a change that changes nothing, at %s', async (path) => {
    const { body } = await gateway.send(`GET ${path}/s3`)
    expect(await preview(`PUT ${path}/s3`, body)).toEqual({ changes: [], problems: [] })
    expect(await preview(`PATCH ${path}/s3`, { name: 'other' })).toEqual({ changes: [], problems: [] })
  })

  test('compares plans with the same accounts, even if one is made or deleted between them', async () => {
    const { cluster } = gateway
    const { metadata, spec } = cluster.store.get(ResourceDefinition, 'acme', 's3') as ResourceDefinition // set up
    const definition = newObject(ResourceDefinition, metadata, { ...spec, accountName: 'late' })
    cluster.put(ResourceDefinition, definition)
    let turns = 0
    const next = async () => {
      turns += 1
      const account = { namespace: 'acme', name: 'late' }
      if (turns === 1) cluster.put(ResourceAccount, newObject(ResourceAccount, account, { type: 'aws' }))
      if (turns === 4) cluster.drop(ResourceAccount, 'acme', 'late')
    }
    const planning = createPlanning(cluster.store, { catalogue, vendors: ['quartermaster'], log: silentLog })
    const tools = { cluster, planning }
    const same = await previewDefinition('acme', 's3', definition, tools, async (work) => work(next))
    expect([turns, same]).toEqual([6, { changes: [], problems: [] }])
  })

  test('of a definition that exists is a conflict, as its creation is', async () => {
    const body = { ...s3, id: 's3', driver_inputs: inputs, criteria: [{ app_id: 'shop' }] }
    for (const query of ['', '?dry_run=true'])
      expect((await gateway.send(`POST ${defs}${query}`, { body })).status).toBe(409)
  })

  test('lists the first problems, and counts the rest of each environment', async () => {
    const required = Array.from({ length: 20 }, (_, i) => `name-${i}`)
    const name = { namespace: 'acme', name: 'thing' }
    const thing = { use: 'direct' as const, inputsSchema: { type: 'object', required }, outputsSchema: {} }
    gateway.cluster.put(ResourceType, newObject(ResourceType, name, thing))
    const shared = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`t${i}`, { type: 's3' }]))
    const content = { applicationName: 'shop', modules: {}, shared }
    gateway.cluster.put(
      DeploymentSet,
      newObject(DeploymentSet, { namespace: 'acme', name: 'shop.1' }, content),
    )
    const provision = { 'acme/thing': {} }
    await gateway.send(`POST ${defs}`, { body: { ...s3, id: 'thing', type: 'acme/thing', criteria: [{}] } })
    const { changes, problems } = await preview(`PATCH ${defs}/s3`, { provision })
    const more = problems.filter(({ reason }) => reason === 'MoreProblems')
    expect(more.map(({ env_id, message }) => [env_id, message])).toEqual([
      ['production', '200 more problems, not listed'],
    ])
    expect(problems).toHaveLength(1001)
    const reported = changes.flatMap((change) => change['problems'] ?? [])
    expect(reported).toHaveLength(1000)
  })

  test('of PATCH lists the changes in every environment, and shows secrets by path alone', async () => {
    const driver_inputs = { values: { region: 'b', more: 1 }, secrets: { token: 'canary-2' } }
    const { changes, problems } = await preview(`PATCH ${defs}/s3`, { driver_inputs })
    const changed_inputs = [
      'driver_inputs.values.more',
      'driver_inputs.values.region',
      'driver_inputs.secret_refs.token',
    ]
    const change = { ...main, to_def: 's3', action: 'update', changed_inputs }
    expect(changes).toEqual(
      ['development', 'production'].map((env_id) => ({
        ...change,
        env_id,
        gu_res_id: expect.stringMatching(/^[0-9a-f]{40}$/),
      })),
    )
    expect(problems).toEqual([])
  })

  test('of PUT is of the definition as it would be written', async () => {
    const { changes } = await preview(`PUT ${dynamic}/s3`, { name: 'n', driver_type: 'acme/other' })
    expect(changes[0]).toMatchObject({
      action: 'replace',
      changed_inputs: ['driver_type', 'driver_inputs.values.region', 'driver_inputs.secret_refs.token'],
    })
  })

  test('of POST shows which resources the new definition would take over', async () => {
    const body = { ...s3, id: 'new', criteria: [{ app_id: 'shop', env_type: 'production' }] }
    const { changes } = await preview(`POST ${defs}`, body)
    expect(changes).toMatchObject([{ ...main, env_id: 'production', to_def: 'new', action: 'update' }])
    expect((await gateway.send(`GET ${defs}/new`)).status).toBe(404)
  })

  test.each([defs, dynamic])(
    'of new criteria shows the resources that change definition, at %s',
    async (path) => {
      const criteria = [{ app_id: 'shop', env_type: 'production' }, { class: 'large' }]
      const { changes } = await preview(`PUT ${path}/s3/criteria`, criteria)
      expect(changes).toMatchObject([
        { ...main, env_id: 'development', to_def: 'any', action: 'update' },
        { ...main, env_id: 'production', to_def: 's3', action: 'update', changed_inputs: [] },
      ])
      expect(await preview(`PUT ${path}/s3/criteria`, [{ app_id: 'shop' }])).toEqual({
        changes: [],
        problems: [],
      })
    },
  )

  test.each(['', '&force=true'])('of DELETE shows the definitions that replace it%s', async (more) => {
    const { status, body } = await gateway.send(`DELETE ${defs}/s3?dry_run=true${more}`)
    expect(status).toBe(200)
    expect(body.changes).toHaveLength(2)
    expect(body.changes[0]).toMatchObject({ ...main, env_id: 'development', to_def: 'any', action: 'update' })
    expect((await gateway.send(`GET ${defs}/s3`)).status).toBe(200)
  })

  test('of DELETE after which none fits names the problem of each environment', async () => {
    await gateway.send(`DELETE ${defs}/any`)
    const { changes, problems } = await preview(`DELETE ${defs}/s3`)
    const problem = { object: 's3.default#shared.main', reason: 'NoMatchingDefinition' }
    expect(changes).toMatchObject([
      { env_id: 'development', to_def: '', action: 'unchanged', problems: [problem] },
      { env_id: 'production', to_def: '', action: 'unchanged', problems: [problem] },
    ])
    expect(problems).toMatchObject([
      { app_id: 'shop', env_id: 'development', ...problem },
      { app_id: 'shop', env_id: 'production', ...problem },
    ])
  })

  describe('where workloads have the built-in definition', () => {
    const web = {
      spec: { containers: { main: { image: 'web', variables: { A: '${shared.main.region}' } } } },
    }
    const workload = { env_id: 'development', type: 'workload', res_id: 'modules.web' }
    const own = { id: 'own', name: 'n', type: 'workload', driver_type: 'quartermaster/echo' }
    beforeEach(() => {
      const content = { applicationName: 'shop', modules: { web }, shared: { main: { type: 's3' } } }
      const name = { namespace: 'acme', name: 'shop.1' }
      gateway.cluster.put(DeploymentSet, newObject(DeploymentSet, name, content))
    })

    test('of DELETE of a definition that took precedence shows that it applies again', async () => {
      await gateway.send(`POST ${defs}`, { body: { ...own, criteria: [{}] } })
      const definition = { definitionName: 'own', driverType: own.driver_type }
      addResource(gateway, { type: 'workload', resourceId: 'modules.web' }, { spec: { definition } })
      const { changes, problems } = await preview(`DELETE ${defs}/own`)
      expect(changes[0]).toMatchObject({
        ...workload,
        action: 'replace',
        from_def: 'own',
        to_def: 'default--workload',
      })
      expect(problems).toEqual([])
    })

    test('lists the workloads that a change affects', async () => {
      const provision = { 's3#extra': { match_dependents: true } }
      const { changes } = await preview(`PATCH ${defs}/s3`, { provision })
      expect(changes.map(({ type, action }) => [type, action])).toContainEqual(['workload', 'create'])
    })

    test('finds a cycle through a workload', async () => {
      const values = { region: 'a', users: "${resources['s3<workload'].guresid}" }
      const { problems } = await preview(`PATCH ${defs}/s3`, { driver_inputs: { values } })
      expect(problems.map(({ env_id, reason }) => [env_id, reason])).toEqual([
        ['development', 'Cycle'],
        ['production', 'Cycle'],
      ])
    })
  })

  test.each<[string, object, number]>([
    [`POST ${defs}?dry_run=true`, { ...s3, id: 's3' }, 409],
    [`POST ${defs}?dry_run=true`, { ...s3, id: 'new', criteria: [{}] }, 409],
    [`PUT ${defs}/s3?dry_run=true`, {}, 422],
    [
      `PATCH ${defs}/s3?dry_run=true`,
      { driver_inputs: { secrets: { a: 'b' }, secret_refs: { c: { value: 'd' } } } },
      400,
    ],
    [`PATCH ${defs}/missing?dry_run=true`, {}, 404],
    [`PUT ${defs}/s3/criteria?dry_run=true`, [{}], 409],
    [`PUT ${defs}/s3/criteria?dry_run=true`, [{ app_id: 'shop' }, { app_id: 'shop' }], 409],
    [`PUT ${defs}/s3/criteria?dry_run=true`, [{ app: 'shop' }], 422],
    [`PUT ${defs}/missing/criteria?dry_run=true`, [], 404],
    [`PATCH ${defs}/s3?dry_run=perhaps`, {}, 400],
  ])('%s is refused as the write would be', async (operation, body, status) => {
    expect((await gateway.send(operation, { body })).status).toBe(status)
  })

  test('of an organization shows nothing of another', async () => {
    const body = { ...s3, id: 's3', criteria: [{ app_id: 'shop' }] }
    const response = await gateway.send('POST /orgs/globex/resources/defs?dry_run=true', { body })
    expect(response.body).toEqual({ changes: [], problems: [] })
  })
})
