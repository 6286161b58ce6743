import { describe, expect, test } from '@jest/globals'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { emptySet, setId } from '../../../../operator/domain/delta/delta.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const sets = '/orgs/acme/apps/shop/sets'
const none = setId(emptySet)
const web = { profile: 'humanitec/default-module', spec: {}, externals: {} }
const addDns = { shared: [{ op: 'add', path: '/main', value: { type: 'dns' } }] }
const addWeb = { modules: { add: { web } } }

async function change(id: string, body: object): Promise<string> {
  return (await gateway.send(`POST ${sets}/${id}`, { body })).body
}

describe('a deployment set made from another one', () => {
  test('answers 200 with its id as a JSON string', async () => {
    const { status, body } = await gateway.send(`POST ${sets}/${none}`, { body: addWeb })
    expect([status, body]).toEqual([200, expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect((await gateway.send(`GET ${sets}/${body}`)).body).toEqual({
      id: body,
      version: 0,
      modules: { web },
      shared: {},
    })
  })

  test('with equal content is the same one', async () => {
    const first = await change(await change(none, addWeb), addDns)
    expect(await change(await change(none, addDns), addWeb)).toBe(first)
    expect(await change(first, {})).toBe(first)
    expect(gateway.cluster.store.list(DeploymentSet, 'acme')).toHaveLength(3)
  })

  const update = { web: [{ op: 'add', path: '/externals/a', value: { type: 's3' } }] }
  test.each<[string, string, unknown, number]>([
    ['by changes that do not apply', none, { modules: { update } }, 400],
    ['by something else', none, [], 422],
    ['where the other one is not there', 'f'.repeat(64), {}, 404],
  ])('%s is refused', async (_, id, body, status) => {
    expect((await gateway.send(`POST ${sets}/${id}`, { body })).status).toBe(status)
  })
})

describe('a set that exists already', () => {
  const writesOf = async (work: () => Promise<unknown>) => {
    gateway.cluster.writes.length = 0
    await work()
    return [...gateway.cluster.writes]
  }
  const usedAt = (id: string) =>
    gateway.cluster.store.get(DeploymentSet, 'acme', `shop.${id}`)?.metadata.annotations?.[
      annotations.lastUsedAt
    ]

  test('is marked as used, so that it is not cleaned up now', async () => {
    const id = await change(none, addWeb)
    expect(usedAt(id)).toBeUndefined()
    expect(await writesOf(() => change(none, addWeb))).toEqual([
      expect.stringContaining('patch DeploymentSet'),
    ])
    expect(Date.parse(usedAt(id) ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })

  test('is left alone while something refers to it', async () => {
    const id = await change(none, addWeb)
    const spec = { environmentName: 'shop.development', setName: `shop.${id}` }
    const metadata = { namespace: 'acme', name: 'shop.development.1' }
    gateway.cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
    expect(await writesOf(() => change(none, addWeb))).toEqual([])
  })

  test('is created again when it is gone, as the cache does not know yet', async () => {
    const id = await change(none, addWeb)
    const { patch } = gateway.cluster
    gateway.cluster.patch = async () => {
      gateway.cluster.patch = patch
      gateway.cluster.drop(DeploymentSet, 'acme', `shop.${id}`)
      throw new ApiError(404, 'NotFound', 'not found')
    }
    expect(await change(none, addWeb)).toBe(id)
    expect(gateway.cluster.store.get(DeploymentSet, 'acme', `shop.${id}`)).toBeDefined()
  })
})

test('the list has every set under its id, from every source', async () => {
  const id = await change(none, addWeb)
  const spec = { applicationName: 'shop', modules: { web }, shared: {} }
  const metadata = { namespace: 'acme', name: 'shop.first' }
  gateway.cluster.put(DeploymentSet, newObject(DeploymentSet, metadata, spec))
  const { body } = await gateway.send(`GET ${sets}`)
  expect(body.map((each: { id: string }) => each.id).sort()).toEqual([id, 'first'].sort())
  for (const each of body) expect((await gateway.send(`GET ${sets}/${each.id}`)).body).toEqual(each)
})

describe('the difference of two sets', () => {
  test.each(['diff parameter', 'diff path'])('makes the one of the other: %s', async (way) => {
    const before = await change(none, addWeb)
    const after = await change(before, { modules: { remove: ['web'] }, ...addDns })
    const path = way === 'diff path' ? `${sets}/${after}/diff/${before}` : `${sets}/${after}?diff=${before}`
    const { status, body } = await gateway.send(`GET ${path}`)
    expect([status, body]).toEqual([
      200,
      {
        modules: { add: {}, remove: ['web'], update: {} },
        shared: [{ op: 'add', path: '/main', value: { type: 'dns' } }],
      },
    ])
    expect(await change(before, body)).toBe(after)
  })

  test('lists a name that only kubectl can give a module', async () => {
    const name = 'w'.repeat(64)
    const spec = { applicationName: 'shop', modules: { [name]: web }, shared: {} }
    gateway.cluster.put(
      DeploymentSet,
      newObject(DeploymentSet, { namespace: 'acme', name: 'shop.first' }, spec),
    )
    const id = await change(none, addWeb)
    const { body } = await gateway.send(`GET ${sets}/${id}/diff/first`)
    expect(body.modules.remove).toEqual([name])
  })

  test.each([
    `${none}?diff=${'f'.repeat(64)}`,
    `${none}/diff/${'f'.repeat(64)}`,
    `${'f'.repeat(64)}/diff/${none}`,
  ])('with a missing set is a JSON string: %s', async (path) => {
    const { status, body } = await gateway.send(`GET ${sets}/${path}`)
    expect([status, typeof body]).toEqual([404, 'string'])
  })
})
