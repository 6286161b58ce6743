import { describe, expect, test } from '@jest/globals'
import { Application } from '../../../../operator/api/application.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway()

describe('a new application of a manager', () => {
  test.each<[string, string[], object, number, string[] | undefined]>([
    ['the default environment for a deployer of it', ['development'], {}, 201, ['development']],
    ['no environment for a manager who may not make it', [], {}, 201, []],
    ['none either for the deployer of another type', ['production'], {}, 201, []],
    [
      'nothing at all when the environment asked for is one that the manager may not make',
      ['production'],
      { env: { id: 'one', name: 'One', type: 'development' } },
      403,
      undefined,
    ],
  ])('has %s', async (_, types, more, status, environments) => {
    gateway.addUser('max')
    const environmentTypes = types.map((type) => ({
      environmentTypeName: type,
      role: 'deployer' as const,
    }))
    gateway.addMember('acme', 'max', { role: 'manager', environmentTypes })
    const answer = await gateway.send('POST /orgs/acme/apps', {
      as: 'max',
      body: { id: 'shop', name: 'The shop', ...more },
    })
    expect([answer.status, answer.body.envs?.map(({ id }: { id: string }) => id)]).toEqual([
      status,
      environments,
    ])
  })
})

describe('a new application that is deleted while its first environment is created', () => {
  test.each<[end: string, happen: () => void, status: number]>([
    ['is gone', () => gateway.cluster.drop(Application, 'acme', 'shop'), 404],
    [
      'is another one of the same id',
      () => {
        gateway.cluster.drop(Application, 'acme', 'shop')
        const metadata = { namespace: 'acme', name: 'shop' }
        gateway.cluster.put(Application, newObject(Application, metadata, { displayName: 'Other' }))
      },
      404,
    ],
  ])('leaves no environment when it %s', async (_, happen, status) => {
    const { create } = gateway.cluster
    Object.assign(gateway.cluster, {
      async create(...given: Parameters<typeof create>) {
        const made = await create(...given)
        if (given[0].kind === Environment.kind) happen()
        return made
      },
    })
    const answer = await gateway.send('POST /orgs/acme/apps', { body: { id: 'shop', name: 'The shop' } })
    Object.assign(gateway.cluster, { create })
    expect([answer.status, gateway.cluster.store.list(Environment, 'acme')]).toEqual([status, []])
  })
})

describe('a new application with objects that exist before it', () => {
  const body = { id: 'shop', name: 'The shop' }
  const isApplication = () => gateway.cluster.store.get(Application, 'acme', 'shop') !== undefined
  const isEnvironment = () => gateway.cluster.store.get(Environment, 'acme', 'shop.development') !== undefined
  function addEarlierEnvironment() {
    const metadata = { namespace: 'acme', name: 'shop.development' }
    const spec = { applicationName: 'shop', typeName: 'development' }
    gateway.cluster.put(Environment, newObject(Environment, metadata, spec))
  }
  function addEarlierValue() {
    const spec = { applicationName: 'shop', key: 'KEY', value: '1' }
    gateway.cluster.put(SharedValue, newObject(SharedValue, { namespace: 'acme', name: 'shop.key' }, spec))
  }
  const addEarlierRole = () =>
    gateway.addMember('acme', 'ben', {
      role: 'member',
      applications: [{ applicationName: 'shop', role: 'viewer' }],
    })

  test('has the default environment that is already there', async () => {
    addEarlierEnvironment()
    const answer = await gateway.send('POST /orgs/acme/apps', { body })
    expect([answer.status, answer.body.envs.map(({ id }: { id: string }) => id)]).toEqual([
      201,
      ['development'],
    ])
  })

  test('is refused with an environment that is already there', async () => {
    addEarlierEnvironment()
    const env = { id: 'development', name: 'Development', type: 'development' }
    expect((await gateway.send('POST /orgs/acme/apps', { body: { ...body, env } })).status).toBe(409)
    expect([isApplication(), isEnvironment()]).toEqual([false, true])
  })

  test.each<[what: string, env: object, status: number]>([
    ['has the default environment', {}, 201],
    [
      'is refused, but stays, with an environment',
      { env: { id: 'development', name: 'Development', type: 'development' } },
      409,
    ],
  ])('%s that is created at the same time', async (_, env, status) => {
    let isLate = true
    gateway.cluster.store.cacheOf(Application).subscribe(() => {
      if (isLate) addEarlierEnvironment()
      isLate = false
    })
    const answer = await gateway.send('POST /orgs/acme/apps', { body: { ...body, ...env } })
    expect([answer.status, isApplication(), isEnvironment()]).toEqual([status, true, true])
  })

  test.each<[what: string, add: () => void, stays: boolean]>([
    ['an environment', addEarlierEnvironment, true],
    ['a shared value', addEarlierValue, true],
    ['a role of another user', addEarlierRole, true],
    ['no other object', () => {}, false],
  ])('without an owner stays only with other objects: %s', async (_, add, stays) => {
    add()
    gateway.addUser('max')
    gateway.addMember('acme', 'max', { role: 'manager' })
    gateway.cluster.failNext('replace Membership acme/max', new Error('reset'))
    expect((await gateway.send('POST /orgs/acme/apps', { as: 'max', body })).status).toBe(500)
    expect(isApplication()).toBe(stays)
  })
})
