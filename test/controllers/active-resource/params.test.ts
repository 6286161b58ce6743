import { describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { createSecretReader } from '../../../operator/controllers/shared/secrets.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { echo } from '../../../operator/drivers/echo/driver.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { createWorld, type World } from '../support/world.ts'

test("params of a driver's neighbours have the outputs of what they refer to", async () => {
  const seen: unknown[] = []
  const reader: Driver = {
    descriptor: driver('reader', { neighbours: { routes: 'dns<route' } }),
    async provision({ neighbours }) {
      seen.push(neighbours.routes?.map(({ params }) => params))
      return { outputs: { values: {}, secrets: {} }, objects: [] }
    },
    async deprovision() {},
  }
  const world = createWorld([echo, reader])
  const made = (type: string, driverType: string, changes: Partial<ActiveResource['spec']>, values = {}) => {
    const definition = {
      definitionName: type,
      driverType: `quartermaster/${driverType}`,
      driverInputs: { values },
    }
    return world.put(activeResource({ type, resourceId: `shared.${type}` }, { definition, ...changes }))
  }
  const base = made('s3', 'echo', {}, { prefix: 'v1' })
  const named = { references: { 'shared.base': [base.metadata.name] }, dependsOn: [base.metadata.name] }
  const route = made('route', 'echo', { params: { path: '/${shared.base.prefix}' }, ...named })
  const of = { references: { 'dns<route': [route.metadata.name] }, dependsOn: [route.metadata.name] }
  const ingress = made('ingress', 'reader', of)
  for (const each of [base, route, ingress]) expect(await world.reconcile(each)).toBeUndefined()
  expect(seen).toEqual([[{ path: '/v1' }]])

  world.cluster.drop(ActiveResource, base.metadata.namespace, base.metadata.name)
  const again = made('s3', 'echo', {}, { prefix: 'v2' })
  expect(await world.reconcile(ingress)).toMatchObject({ reason: 'DependencyNotReady', retryAfterSeconds: 1 })
  for (const each of [again, route, ingress]) expect(await world.reconcile(each)).toBeUndefined()
  expect(seen).toEqual([[{ path: '/v1' }], [{ path: '/v2' }]])
})

test('a workload gets the parts of pods of its resources, not those of a workload that is deployed before it', async () => {
  const seen: unknown[] = []
  const renderer: Driver = {
    descriptor: driver('renderer'),
    async provision({ parts = [] }) {
      seen.push(parts.map(({ descriptor }) => descriptor))
      return { outputs: { values: {}, secrets: {} }, objects: [] }
    },
    async deprovision() {},
  }
  const world = createWorld([echo, renderer])
  const manifests = [{ location: 'containers', data: { name: 'agent', image: 'agent:1' } }]
  const made = (type: string, resourceId: string, driverType: string, dependsOn: string[] = []) => {
    const driverInputs = { values: { manifests } }
    const definition = { definitionName: type, driverType: `quartermaster/${driverType}`, driverInputs }
    return world.put(activeResource({ type, resourceId }, { definition, dependsOn }))
  }
  const volume = made('volume', 'modules.web.externals.data', 'echo')
  const first = made('workload', 'modules.first', 'echo')
  const web = made('workload', 'modules.web', 'renderer', [first.metadata.name, volume.metadata.name])
  for (const each of [volume, first, web]) expect(await world.reconcile(each)).toBeUndefined()
  expect(seen).toEqual([['volume.default#modules.web.externals.data']])
})

test.each<[rule: string, port: unknown, size: unknown, problem: object | undefined]>([
  ['fits', 5, '${shared.base.port}', undefined],
  ['is a text within a longer text', 5, '${shared.base.port}0', { reason: 'InvalidParams' }],
  [
    'does not fit',
    'many',
    '${shared.base.port}',
    { reason: 'InvalidParams', message: "param 'size' of type 'acme/db': must be integer" },
  ],
  ['was checked by the plan without a placeholder', 5, 'many', undefined],
])('a value that a placeholder puts into the params of a custom type %s', async (_, port, size, problem) => {
  const world = createWorld([echo])
  const inputsSchema = { type: 'object', properties: { size: { type: 'integer' } } }
  const own = newObject(ResourceType, { namespace: 'acme', name: 'db' }, { use: 'direct', inputsSchema })
  world.cluster.put(ResourceType, own)
  const definition = { definitionName: 'own', driverType: 'quartermaster/echo' }
  const base = world.put(
    activeResource(
      { type: 's3', resourceId: 'shared.base' },
      { definition: { ...definition, driverInputs: { values: { port } } } },
    ),
  )
  const db = world.put(
    activeResource(
      { type: 'acme/db', resourceId: 'shared.db' },
      {
        definition,
        params: { size },
        references: { 'shared.base': [base.metadata.name] },
        dependsOn: [base.metadata.name],
      },
    ),
  )
  expect(await world.reconcile(base)).toBeUndefined()
  const outcome = expect(await world.reconcile(db))
  if (problem) outcome.toMatchObject(problem)
  else outcome.toBeUndefined()
})

describe('the schemas of a type that changed since the last deployment', () => {
  const maker: Driver = {
    descriptor: { ...driver('maker'), repairs: true },
    async provision() {
      if (isDown) throw new Error('down')
      return { outputs: { values: { name: 'a' }, secrets: {} }, objects: [] }
    },
    async deprovision() {},
  }
  let isDown = false

  async function createWithChangedType() {
    const world = createWorld([echo, maker])
    const put = (size: string, name: string) => {
      const inputsSchema = { properties: { size: { type: size } } }
      const outputsSchema = { properties: { values: { properties: { name: { type: name } } } } }
      const spec = { use: 'direct' as const, inputsSchema, outputsSchema }
      world.cluster.put(ResourceType, newObject(ResourceType, { namespace: 'acme', name: 'db' }, spec))
    }
    put('integer', 'string')
    const ofBase = {
      definitionName: 'base',
      driverType: 'quartermaster/echo',
      driverInputs: { values: { port: 5 } },
    }
    const base = world.put(activeResource({ type: 's3', resourceId: 'shared.base' }, { definition: ofBase }))
    const db = world.put(
      activeResource(
        { type: 'acme/db', resourceId: 'shared.db' },
        {
          definition: { definitionName: 'own', driverType: 'quartermaster/maker' },
          params: { size: '${shared.base.port}' },
          references: { 'shared.base': [base.metadata.name] },
          dependsOn: [base.metadata.name],
        },
      ),
    )
    for (const each of [base, db]) expect(await world.reconcile(each)).toBeUndefined()
    put('string', 'integer')
    return { world, db }
  }
  const mark = ({ tools }: World, resource: ActiveResource) =>
    tools.renewals.start(
      'acme/shop.dev',
      { uid: 'd', isForced: false, secrets: createSecretReader(tools.cluster.client) },
      [resource],
    )

  test('do not refuse a repair, also one that fails first, but a deployment after it', async () => {
    const { world, db } = await createWithChangedType()
    expect(await world.reconcile(db, { isResync: true })).toBeUndefined()
    isDown = true
    expect(await world.reconcile(db, { isResync: true })).toMatchObject({ reason: 'ProvisionFailed' })
    isDown = false
    expect(await world.reconcile(db)).toBeUndefined()
    mark(world, db)
    expect(await world.reconcile(db)).toMatchObject({ reason: 'InvalidParams' })
  })

  test('do not refuse a resource whose outputs become secret at once', async () => {
    const { world, db } = await createWithChangedType()
    const outputsSchema = { properties: { secrets: { properties: { name: { type: 'integer' } } } } }
    const spec = { use: 'direct' as const, outputsSchema }
    world.cluster.put(ResourceType, newObject(ResourceType, { namespace: 'acme', name: 'db' }, spec))
    expect(await world.reconcile(db)).toBeUndefined()
    expect(world.statusOf(db)).toMatchObject({ outputs: {}, secretOutputPaths: ['/name'] })
    mark(world, db)
    expect(await world.reconcile(db)).toMatchObject({ reason: 'InvalidOutputs' })
  })

  test('refuse a resource that the last deployment refused', async () => {
    const { world, db } = await createWithChangedType()
    mark(world, db)
    expect(await world.reconcile(db)).toMatchObject({ reason: 'InvalidParams' })
    world.tools.renewals.end('acme/shop.dev', 'd')
    expect(await world.reconcile(db, { isResync: true })).toMatchObject({ reason: 'InvalidParams' })
    world.restart()
    expect(await world.reconcile(db, { isResync: true })).toMatchObject({ reason: 'InvalidParams' })
  })
})
