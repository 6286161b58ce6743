import { beforeEach, describe, expect, test } from '@jest/globals'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { finalizer } from '../../../../operator/api/names.ts'
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
