import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Workload } from '../../../operator/api/workload.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { workloadDescriptor } from '../../../operator/drivers/workload/descriptor.ts'
import { conditionOf, isReady } from '../../../operator/kube/loop/outcome.ts'
import { definition, driver } from '../../support/builders.ts'
import { scoreDocument } from '../../support/scores.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

const namespace = 'acme'

const maker: Driver = {
  descriptor: driver('maker'),
  provision: async () => ({ outputs: { values: { name: 'x' }, secrets: {} }, objects: [] }),
  async deprovision() {},
}

let world: OperatorWorld
beforeEach(() => {
  world = createOperatorWorld([maker, { ...maker, descriptor: workloadDescriptor }])
  world.fake.put(ResourceDefinition, definition('any', 's3', { driverType: 'quartermaster/maker' }))
  world.start()
})
afterEach(() => world.close())

const documentWith = (image: string, name = 'web', more: object = {}) => ({
  ...scoreDocument({ image }, { resources: { files: { type: 's3', id: 'files', ...more } } }),
  metadata: { name },
})

function apply(image: string, { name = 'web', environmentId = 'dev', more = {} } = {}): void {
  const score = documentWith(image, name, more)
  const spec = { applicationName: 'shop', environmentIds: [environmentId], score }
  world.fake.put(Workload, newObject(Workload, { namespace, name: `shop.${name}` }, spec))
}

/** Deploys a set that has what the Workload says with this image, as a restore does. Problems are final, as over REST. */
function restore(image: string, others: object = {}, moreShared: object = {}): void {
  const { module, shared } = convertScore({ document: documentWith(image) })
  const files = { ...shared['files'], ...moreShared }
  const set = { applicationName: 'shop', modules: { web: module, ...others }, shared: { files } }
  world.fake.put(DeploymentSet, newObject(DeploymentSet, { namespace, name: 'shop.saved' }, set))
  const metadata = {
    namespace,
    name: 'restored',
    finalizers: [finalizer],
    creationTimestamp: new Date().toISOString(),
    annotations: { [annotations.createdBy]: 'ana', [annotations.triggeredBy]: 'ana' },
  }
  const spec = { environmentName: 'shop.dev', setName: 'shop.saved' }
  world.fake.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
}

const workload = (name = 'web') => world.fake.store.get(Workload, namespace, `shop.${name}`)
const isUp = (name?: string) => isReady(workload(name) ?? { metadata: { generation: 1 } })
const sharedIdsOf = (name?: string) => workload(name)?.status?.environments?.[0]?.sharedIds
const deployments = () =>
  world.fake.store.list(EnvironmentDeployment, namespace).map(({ metadata }) => metadata.name)

test('a set is deployed that has what a Workload says, before the Workload is recorded', async () => {
  restore('web:1')
  apply('web:1')
  expect(await world.hasSucceeded('restored')).toBe(true)
  await world.until(() => isUp())
  expect(deployments()).toEqual(['restored'])
})

test('a Workload owns what it says and is deployed already, without another deployment', async () => {
  restore('web:1')
  expect(await world.hasSucceeded('restored')).toBe(true)
  apply('web:1')
  await world.until(() => isUp())
  expect(workload()?.status?.environments).toMatchObject([
    { environmentId: 'dev', state: 'succeeded', deploymentName: 'restored', sharedIds: ['files'] },
  ])
  expect(deployments()).toEqual(['restored'])
})

test('a Workload does not own a shared dependency that is deployed already, and that a module of a delta reads', async () => {
  const spec = { containers: { main: { image: 'own:1', variables: { A: '${shared.files.name}' } } } }
  restore('web:1', { own: { profile: 'quartermaster/default-module', spec, externals: {} } })
  expect(await world.hasSucceeded('restored')).toBe(true)
  apply('web:1')
  await world.until(() => isUp())
  expect(sharedIdsOf()).toBeUndefined()
})

test.each<[which: string, image: string, environmentId: string]>([
  ['that runs elsewhere', 'api:1', 'other'],
  ['that says another module', 'api:2', 'dev'],
])(
  'nor one that a module of a delta reads, which has the name of a Workload %s',
  async (_, image, environmentId) => {
    const spec = { containers: { main: { image: 'api:1', variables: { A: '${shared.files.name}' } } } }
    restore('web:1', { api: { profile: 'quartermaster/default-module', spec, externals: {} } })
    expect(await world.hasSucceeded('restored')).toBe(true)
    apply(image, { name: 'api', environmentId })
    apply('web:1')
    await world.until(() => isUp())
    expect(sharedIdsOf()).toBeUndefined()
  },
)

describe('params of a shared dependency that is deployed already', () => {
  const params = { size: 3 }

  test('are kept when no Workload says them', async () => {
    restore('web:1', {}, { params })
    expect(await world.hasSucceeded('restored')).toBe(true)
    apply('web:1')
    await world.until(() => isUp())
    expect([sharedIdsOf(), deployments()]).toEqual([undefined, ['restored']])
  })

  test('belong to all Workloads that read it when one says them', async () => {
    const { module } = convertScore({ document: documentWith('api:1', 'api', { params }) })
    restore('web:1', { api: module }, { params })
    expect(await world.hasSucceeded('restored')).toBe(true)
    apply('api:1', { name: 'api', more: { params } })
    apply('web:1')
    await world.until(() => isUp() && isUp('api'))
    expect([sharedIdsOf(), sharedIdsOf('api'), deployments()]).toEqual([['files'], ['files'], ['restored']])
  })
})

test('a Workload does not replace a module that is deployed already and is not what it says', async () => {
  restore('web:1')
  expect(await world.hasSucceeded('restored')).toBe(true)
  apply('web:2')
  await world.until(() => conditionOf(workload() ?? {}, 'Ready')?.reason === 'ModuleTaken')
  expect(deployments()).toEqual(['restored'])
})
