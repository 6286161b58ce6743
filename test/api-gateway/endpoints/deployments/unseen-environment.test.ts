import { beforeEach, describe, expect, test } from '@jest/globals'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { finalizer } from '../../../../operator/api/names.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const deploys = '/orgs/acme/apps/shop/envs/development/deploys'
const place = { namespace: 'acme', name: 'shop.development' }
const deploy = async (query = '') => (await gateway.send(`POST ${deploys}${query}`, { body: {} })).status
const finalizersOf = () =>
  gateway.cluster.store.get(Environment, place.namespace, place.name)?.metadata.finalizers

describe('a deployment to an environment that the operator has not seen', () => {
  beforeEach(() => {
    const spec = { applicationName: 'shop', typeName: 'development' }
    gateway.cluster.put(Environment, newObject(Environment, { ...place }, spec))
  })

  test('ends with it: the environment is kept until the operator has cleaned up', async () => {
    expect(await deploy('?dry_run=true')).toBe(200)
    expect(finalizersOf()).toBeUndefined()
    expect(await deploy()).toBe(201)
    expect(finalizersOf()).toEqual([finalizer])
  })

  test('is refused when the environment is deleted meanwhile', async () => {
    const { read } = gateway.cluster
    let reads = 0
    Object.assign(gateway.cluster, {
      read: async (...given: Parameters<typeof read>) => {
        if (given[0].kind === Environment.kind && ++reads === 2)
          gateway.cluster.drop(Environment, 'acme', place.name)
        return read(...given)
      },
    })
    const status = await deploy()
    Object.assign(gateway.cluster, { read })
    expect([status, gateway.cluster.store.list(EnvironmentDeployment, 'acme')]).toEqual([404, []])
  })
})

test.each([
  ['ends', false],
  ['ends and is made again', true],
])('a deployment is withdrawn when its environment %s before it is created', async (_, isMadeAgain) => {
  const { cluster } = gateway
  const { create } = cluster
  Object.assign(cluster, {
    create: async (...given: Parameters<typeof create>) => {
      if (given[0].kind === EnvironmentDeployment.kind) {
        const { metadata, spec } = cluster.store.get(Environment, 'acme', place.name) as Environment // it is there
        cluster.drop(Environment, 'acme', place.name)
        if (isMadeAgain) cluster.put(Environment, newObject(Environment, { ...metadata, uid: 'later' }, spec))
      }
      return create(...given)
    },
  })
  const status = await deploy()
  Object.assign(cluster, { create })
  expect(status).toBe(404)
  // The operator removes it without running it.
  const left = cluster.store.list(EnvironmentDeployment, 'acme')
  expect(left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([])
})

test('a deployment stays when its environment cannot be read after it is created', async () => {
  const { cluster } = gateway
  const { create, read } = cluster
  let isMade = false
  Object.assign(cluster, {
    create: (...given: Parameters<typeof create>) => {
      isMade ||= given[0].kind === EnvironmentDeployment.kind
      return create(...given)
    },
    read: (...given: Parameters<typeof read>) =>
      isMade ? Promise.reject(new ApiError(403, 'Forbidden', 'cannot get')) : read(...given),
  })
  const status = await deploy()
  Object.assign(cluster, { create, read })
  const [left] = cluster.store.list(EnvironmentDeployment, 'acme')
  expect([status, left?.metadata.deletionTimestamp]).toEqual([201, undefined])
})
