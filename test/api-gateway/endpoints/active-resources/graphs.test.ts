import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { graphIdOf } from '../../../../api-gateway/endpoints/active-resources/graph-id.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { compareText } from '../../../../operator/domain/base/json.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const app = '/orgs/acme/apps/shop'
const graphs = `POST ${app}/envs/development/resources/graphs`

function define(type: string, changes: Partial<ResourceDefinition['spec']> = {}) {
  const name = `${type.replace('/', '-')}-any`
  const spec = { type, driverType: 'quartermaster/echo', criteria: [{}], ...changes }
  gateway.cluster.put(ResourceDefinition, newObject(ResourceDefinition, { namespace: 'acme', name }, spec))
}

function names(nodes: { type: string; class: string; id: string }[]): string[] {
  return nodes.map(({ type, class: resourceClass, id }) => `${type}.${resourceClass}#${id}`)
}

describe('a resource graph', () => {
  test('lists nodes in the order of provisioning, with their references', async () => {
    define('dns', {
      driverInputs: {
        values: { target: '${resources.base-env#base-env.outputs.x}' },
        secretRefs: { token: { secret: 'hidden' } },
      },
    })
    define('base-env', { driverInputs: { values: { x: 1 } } })
    const { status, body } = await gateway.send(graphs, { body: [{ id: 'shared.main', type: 'dns' }] })
    expect(status).toBe(200)
    const { nodes, ...rest } = body
    expect(rest).toEqual({
      id: expect.any(String),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      created_at: expect.any(String),
      used_at: rest.created_at,
    })
    expect(names(nodes)).toEqual(['base-env.default#base-env', 'dns.default#shared.main'])
    expect(nodes[1]).toEqual({
      type: 'dns',
      class: 'default',
      id: 'shared.main',
      guresid: expect.stringMatching(/^[0-9a-f]{40}$/),
      resource: {},
      driver: { target: '${resources.base-env#base-env.outputs.x}' },
      def_id: 'dns-any',
      def_version_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      criteria_id: expect.any(String),
      driver_type: 'quartermaster/echo',
      resource_schema: expect.any(Object),
      depends_on: [nodes[0].guresid],
      in_place_driver_change: false,
    })
    expect(JSON.stringify(body)).not.toContain('hidden')
    const again = await gateway.send(graphs, { body: [{ id: 'shared.main', type: 'dns' }] })
    expect(again.body.id).toBe(body.id)
    const older = await gateway.send(`POST ${app}/envs/development/resources/graph`, {
      body: [{ id: 'shared.main', type: 'dns' }],
    })
    expect([older.status, older.body]).toEqual([200, nodes])
    expect(gateway.cluster.writes).toEqual([])
  })

  test.each<[string, object[], string[]]>([
    ['a class in the type', [{ id: 'shared.a', type: 's3.fast' }], ['s3.fast#shared.a']],
    ['a class', [{ id: 'shared.a', type: 's3', class: 'fast' }], ['s3.fast#shared.a']],
    ['a private one', [{ id: 'modules.w.externals.a', type: 's3' }], ['s3.default#modules.w.externals.a']],
    [
      'a private one and its workload',
      [
        { id: 'modules.w.externals.a', type: 's3' },
        { id: 'modules.w', type: 'workload' },
      ],
      ['s3.default#modules.w.externals.a', 'workload.default#modules.w'],
    ],
    ['a second implicit one', [{ id: 'other', type: 'k8s-cluster' }], ['k8s-cluster.default#other']],
    [
      'two of one id',
      [
        { id: 'shared.a', type: 's3' },
        { id: 'shared.a', type: 'k8s-cluster' },
      ],
      ['k8s-cluster.default#shared.a', 's3.default#shared.a'],
    ],
    [
      'a simple type with an override',
      [{ id: 'shared.a', type: 'postgres' }],
      ['acme/postgres.default#shared.a'],
    ],
    [
      'one twice',
      [
        { id: 'shared.a', type: 's3' },
        { id: 'shared.a', type: 's3' },
      ],
      ['s3.default#shared.a'],
    ],
    ['a workload', [{ id: 'modules.w', type: 'workload' }], ['workload.default#modules.w']],
    ['an id of JavaScript', [{ id: 'shared.__proto__', type: 's3' }], ['s3.default#shared.__proto__']],
    ['nothing', [], []],
  ])('of %s', async (_, body, expected) => {
    define('s3', { criteria: [{}, { class: 'fast' }] })
    define('k8s-cluster', { criteria: [{ resId: 'other' }, { resId: 'shared.a' }] })
    define('acme/postgres')
    const metadata = { namespace: 'acme', name: 'postgres' }
    gateway.cluster.put(ResourceType, newObject(ResourceType, metadata, { use: 'direct' }))
    const answer = await gateway.send(graphs, { body })
    expect(answer.status).toBe(200)
    expect(names(answer.body.nodes).sort()).toEqual(expected)
  })

  test('is refused with every bad node', async () => {
    const { status, body } = await gateway.send(graphs, {
      body: [
        { id: 'shared.a', type: 's3' },
        { id: 'shared.b', type: 'dns' },
        { id: '#', type: 'dns' },
        { id: 'shared.c', type: 'a b' },
      ],
    })
    expect(status).toBe(400)
    const problems = body.details.problems as { object: string; reason: string }[] // what is sent
    expect(problems.map(({ object, reason }) => `${reason} ${object}`).sort()).toEqual([
      'InvalidName a b.default#shared.c',
      'InvalidName dns.default##',
      'NoMatchingDefinition dns.default#shared.b',
      'NoMatchingDefinition s3.default#shared.a',
    ])
  })

  test.each<[string, unknown, number]>([
    ['no list', { id: 'a' }, 422],
    ['no id', [{ type: 's3' }], 422],
    ['no type', [{ id: 'shared.a' }], 422],
    ['params that are no object', [{ id: 'shared.a', type: 's3', resource: 1 }], 422],
  ])('of %s is refused', async (_, body, status) => {
    expect((await gateway.send(graphs, { body })).status).toBe(status)
  })
})

/** The id of the set that the deployment of a delta makes. */
async function setOf(delta: object): Promise<string> {
  const delta_id = (await gateway.send(`POST ${app}/deltas`, { body: delta })).body.id
  const { body } = await gateway.send(`POST ${app}/envs/development/deploys`, { body: { delta_id } })
  return body.set_id
}

describe('the resources of a set', () => {
  const web = {
    profile: 'humanitec/default-module',
    spec: { containers: { web: { image: 'nginx', variables: { HOST: '${shared.main.host}' } } } },
    externals: { db: { type: 's3.fast', params: { size: 1 } }, same: { type: 'dns', id: 'main' } },
  }
  const add = { modules: { add: { web } }, shared: [{ op: 'add', path: '/main', value: { type: 'dns' } }] }

  test('are its workloads and their dependencies, each once', async () => {
    const { status, body } = await gateway.send(`GET ${app}/sets/${await setOf(add)}/resources`)
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        id: 'modules.web',
        type: 'workload',
        class: 'default',
        resource: { profile: web.profile, spec: web.spec },
      },
      { id: 'modules.web.externals.db', type: 's3', class: 'fast', resource: { size: 1 } },
      { id: 'shared.main', type: 'dns', class: 'default' },
    ])
  })

  test('have the graph of the deployment', async () => {
    define('s3', { criteria: [{ class: 'fast' }] })
    define('dns', { driverInputs: { values: { host: 'h' } } })
    define('workload')
    const { body: resources } = await gateway.send(`GET ${app}/sets/${await setOf(add)}/resources`)
    const { body } = await gateway.send(graphs, { body: resources })
    expect(names(body.nodes)).toHaveLength(3)
    expect(body.nodes[2].depends_on).toEqual(
      [body.nodes[0].guresid, body.nodes[1].guresid].toSorted(compareText),
    )
  })

  test('have the graph of a shared dependency of another class, under the name that Score documents give it', async () => {
    define('redis', { criteria: [{}, { class: 'fast' }], driverInputs: { values: { host: 'h' } } })
    define('workload')
    const text = '${shared.cache-class-fast.host} ${shared.cache.host}'
    const set_id = await setOf({
      modules: { add: { web: { spec: { annotations: { text } } } } },
      shared: [
        { op: 'add', path: '/cache', value: { type: 'redis' } },
        { op: 'add', path: '/cache-class-fast', value: { type: 'redis', class: 'fast', id: 'shared.cache' } },
      ],
    })
    const { body: resources } = await gateway.send(`GET ${app}/sets/${set_id}/resources`)
    const { status, body } = await gateway.send(graphs, { body: resources })
    expect(status).toBe(200)
    expect(names(body.nodes)).toEqual([
      'redis.default#shared.cache',
      'redis.fast#shared.cache',
      'workload.default#modules.web',
    ])
    expect(body.nodes[2].depends_on).toHaveLength(2)
  })

  test('of a missing set are not found, as a JSON string', async () => {
    const { status, body } = await gateway.send(`GET ${app}/sets/${'f'.repeat(64)}/resources`)
    expect([status, typeof body]).toEqual([404, 'string'])
  })
})

/** The ID of a graph that the gateway did not return, of a resource with params. */
function idWith(params: string): string {
  return deflateRawSync(`[{"id":"shared.main","type":"dns","resource":${params}}]`).toString('base64url')
}

describe('the id of a graph', () => {
  const read = (id: string) => gateway.send(`GET ${app}/envs/development/resources/graphs/${id}`)
  beforeEach(() => define('dns', { driverInputs: { values: { host: 'first' } } }))

  test.each<[rule: string, resources: readonly object[]]>([
    ['of one resource', [{ id: 'shared.main', type: 'dns' }]],
    ['of none', []],
    ['of a resource with params', [{ id: 'shared.main', type: 'dns', resource: { name: 'a'.repeat(500) } }]],
    [
      'of many resources',
      Array.from({ length: 300 }, (_, n) => ({ id: `modules.web.externals.d${n}`, type: 'dns' })),
    ],
  ])('%s reads back the same graph', async (_, resources) => {
    const { status, body } = await gateway.send(graphs, { body: resources })
    expect(status).toBe(200)
    const { body: again } = await read(body.id)
    expect([again.id, again.hash, again.nodes]).toEqual([body.id, body.hash, body.nodes])
  })

  test('reads the graph as it is now, and its hash says that it changed', async () => {
    const { body } = await gateway.send(graphs, { body: [{ id: 'shared.main', type: 'dns' }] })
    define('dns', { driverInputs: { values: { host: 'second' } } })
    const { body: again } = await read(body.id)
    expect(again.nodes).toMatchObject([{ driver: { host: 'second' } }])
    expect(again.hash).not.toBe(body.hash)
  })

  test('works in a deployment and reads the graph of its set', async () => {
    const shared = [{ op: 'add', path: '/main', value: { type: 'dns' } }]
    const { body: delta } = await gateway.send(`POST ${app}/deltas`, { body: { shared } })
    const { status, body } = await gateway.send(`POST ${app}/envs/development/deploys`, {
      body: { delta_id: delta.id },
    })
    expect(status).toBe(201)
    const { body: graph } = await read(body.dependency_graph_id)
    expect(graph.id).toBe(body.dependency_graph_id)
    expect(names(graph.nodes)).toEqual(['dns.default#shared.main'])
    const { body: listed } = await gateway.send(`GET ${app}/envs/development/deploys`)
    expect(listed[0].dependency_graph_id).toBe(graph.id)
  })

  test('is that of a set, which reads the graph of its dependencies under its own names', async () => {
    define('workload')
    const spec = { annotations: { text: '${externals.address.host} ${shared.other.host}' } }
    const set_id = await setOf({
      modules: { add: { web: { spec, externals: { address: { type: 'dns', id: 'main' } } } } },
      shared: [{ op: 'add', path: '/other', value: { type: 'dns', id: 'shared.second' } }],
    })
    const { status, body } = await read(set_id)
    expect(status).toBe(200)
    expect(names(body.nodes)).toEqual([
      'dns.default#shared.main',
      'dns.default#shared.second',
      'workload.default#modules.web',
    ])
    expect(body.nodes[2].depends_on).toHaveLength(2)
  })

  test.each([
    ['another text', 'unknown'],
    ['an unknown set', 'a'.repeat(64)],
    ['a value that is not a list', Buffer.from('{}').toString('base64url')],
    ['a list of something else', graphIdOf([{ type: 'dns' }])],
    ['more bytes than a body may have', idWith(`{"a":[${'1,'.repeat(600_000)}1]}`)],
    ['more levels than a body may have', idWith(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`)],
    ['a key that a body may not have', idWith('{"constructor":1}')],
    ['a number that is too large', idWith('{"a":1e999}')],
  ])('that is invalid is not found: %s', async (_, id) => {
    expect(await read(id)).toMatchObject({ status: 404, body: { error: 'NotFound' } })
  })

  test('of a request whose content would be larger than a body is not given: 400', async () => {
    const text = `[{"id":"shared.main","type":"dns","resource":{"a":[${'1e20,'.repeat(100_000)}1]}}]`
    expect(
      (await gateway.send(graphs, { text, headers: { 'content-type': 'application/json' } })).status,
    ).toBe(400)
  })

  test('of a request that no path could hold is not given: 400', async () => {
    const resources = Array.from({ length: 400 }, () => ({
      id: `shared.x${randomBytes(20).toString('hex')}`,
      type: 'dns',
    }))
    const { status, body } = await gateway.send(graphs, { body: resources })
    expect([status, body.error]).toEqual([400, 'Invalid'])
    expect((await gateway.send(graphs.slice(0, -1), { body: resources })).status).toBe(200)
  })
})
