import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Workload } from '../../../operator/api/workload.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { workloadDescriptor } from '../../../operator/drivers/workload/descriptor.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { conditionOf, isReady } from '../../../operator/kube/loop/outcome.ts'
import { definition, driver, organizationNamespace } from '../../support/builders.ts'
import { scoreDocument } from '../../support/scores.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

const namespace = 'acme'

const maker: Driver = {
  descriptor: driver('maker'),
  provision: async () => ({ outputs: { values: { name: 'x' }, secrets: {} }, objects: [] }),
  async deprovision() {},
}
/** Makes nothing in place of the objects of a module. */
const renderer: Driver = { ...maker, descriptor: workloadDescriptor }

let world: OperatorWorld
beforeEach(() => {
  world = createOperatorWorld([maker, renderer])
  const own = { driverType: 'quartermaster/maker' }
  world.fake.put(ResourceDefinition, definition('any', 's3', own))
  world.start()
})
afterEach(() => world.close())

function apply(name: string, spec: Partial<Workload['spec']> = {}, metadata: object = {}): void {
  const score = {
    ...scoreDocument({ image: '.' }, { resources: { files: { type: 's3', id: 'files' } } }),
    metadata: { name },
  }
  const images = ['dev', 'prev'].map((environmentId) => ({ environmentId, image: `web:${environmentId}` }))
  const own = { applicationName: 'shop', environmentIds: ['dev'], score, images, ...spec }
  world.fake.put(Workload, newObject(Workload, { namespace, name: `shop.${name}`, ...metadata }, own))
}

const workload = (name: string) => world.fake.store.get(Workload, namespace, `shop.${name}`)
const isUp = (name: string) => {
  const found = workload(name)
  return found !== undefined && isReady(found)
}
const recordOf = (name: string, environmentId: string) =>
  workload(name)?.status?.environments?.find((each) => each.environmentId === environmentId)

test('Workloads are deployed although the deployment conflicts with a quota at first', async () => {
  const conflict = new ApiError(409, 'Conflict', 'cannot be fulfilled on resourcequotas "team"')
  world.fake.failNext('create EnvironmentDeployment', conflict)
  apply('aa')
  await world.until(() => isUp('aa'))
  expect(world.fake.store.list(EnvironmentDeployment, namespace)).toHaveLength(1)
})

test('Workloads whose organization loses its label before they are deployed are deployed when it comes back', async () => {
  let isBack = false
  const isRecorded = () => workload('aa')?.status?.observedGeneration !== undefined
  world.fake.store.isOrganization = () => isBack || !isRecorded()
  apply('aa')
  await world.until(() => !world.fake.store.isOrganization(namespace))
  await setTimeout(50)
  expect(world.fake.store.list(EnvironmentDeployment, namespace)).toEqual([])
  isBack = true
  world.fake.store.namespaces.set(organizationNamespace(namespace))
  await world.until(() => isUp('aa'))
})

test('a Workload whose deployment the cluster refuses says why, until it does not', async () => {
  const text = 'admission webhook "freeze.example.com" denied the request: no deployments on Fridays'
  const refused = new ApiError(403, 'Forbidden', text)
  for (let count = 0; count < 2; count += 1) world.fake.failNext('create EnvironmentDeployment', refused)
  apply('aa')
  await world.until(() => conditionOf(workload('aa') ?? {}, 'Ready')?.reason === 'Rejected')
  expect(conditionOf(workload('aa') ?? {}, 'Ready')?.message).toContain(text)
  await world.until(() => isUp('aa'))
})

/** Ends the wait of a deployment for what it lacks, as if it had been created an hour ago. */
function endWait({ metadata, ...rest }: EnvironmentDeployment): void {
  const creationTimestamp = new Date(Date.now() - 3_600_000).toISOString()
  world.fake.put(EnvironmentDeployment, {
    ...rest,
    metadata: { ...metadata, creationTimestamp, generation: 2 },
  })
}

test('a Workload has failed where the start of the environment has no set, until that has another', async () => {
  const withoutStart = { applicationName: 'shop', typeName: 'development' }
  const spec = { ...withoutStart, fromDeploymentName: 'shop.dev.1' }
  world.fake.put(Environment, newObject(Environment, { namespace, name: 'shop.dev' }, spec))
  apply('aa')
  const waiting = () =>
    world.fake.store
      .list(EnvironmentDeployment, namespace)
      .find((each) => conditionOf(each, 'Ready')?.reason === 'BaseNotFound')
  await world.until(() => waiting() !== undefined)
  endWait(waiting() as EnvironmentDeployment) // it is found
  await world.until(() => recordOf('aa', 'dev')?.state === 'failed')
  await world.until(() => conditionOf(workload('aa') ?? {}, 'Ready')?.reason === 'DeploymentFailed')
  const metadata = { namespace, name: 'shop.dev', uid: world.environment()?.metadata.uid, generation: 2 }
  world.fake.put(Environment, newObject(Environment, metadata, withoutStart))
  await world.until(() => isUp('aa'))
})

test('Workloads are deployed to a new environment of the name, although a deployment of the former one failed', async () => {
  const spec = { applicationName: 'shop', typeName: 'development' }
  const metadata = { namespace, name: 'shop.dev' }
  const { fake } = world
  fake.put(Environment, newObject(Environment, metadata, { ...spec, fromDeploymentName: 'shop.dev.1' }))
  apply('aa')
  const deployments = () => fake.store.list(EnvironmentDeployment, namespace)
  await world.until(() => deployments().length === 1)
  deployments().forEach(endWait)
  await world.until(() => recordOf('aa', 'dev')?.state === 'failed')
  // Without its finalizer, the operator deletes nothing.
  const former = world.environment()
  if (former) fake.store.cacheOf(Environment).remove(former)
  fake.put(Environment, newObject(Environment, { ...metadata, uid: 'another' }, spec))
  await world.until(() => isUp('aa'))
})

test('a failed plan is repeated when its input changes, although the API server fails then', async () => {
  const score = scoreDocument({}, { resources: { cache: { type: 'redis' } } })
  apply('aa', { images: [], score: { ...score, metadata: { name: 'aa' } } })
  const waiting = () =>
    world.fake.store.list(EnvironmentDeployment, namespace).find(({ status }) => status?.problems)
  await world.until(() => waiting() !== undefined)
  endWait(waiting() as EnvironmentDeployment) // it is found
  await world.until(() => recordOf('aa', 'dev')?.state === 'failed')
  world.fake.failNext('create EnvironmentDeployment', new ApiError(500, 'InternalError', 'try again'))
  world.fake.put(ResourceDefinition, definition('later', 'redis', { driverType: 'quartermaster/maker' }))
  await world.until(() => isUp('aa'))
})

test('a Workload that fails in one environment says so, although another does not exist', async () => {
  const score = scoreDocument(
    { variables: { A: '${resources.files.nope}' } },
    { resources: { files: { type: 's3' } } },
  )
  apply('aa', { environmentIds: ['dev', 'missing'], score: { ...score, metadata: { name: 'aa' } } })
  await world.until(() => recordOf('aa', 'dev')?.state === 'failed')
  await world.until(() => conditionOf(workload('aa') ?? {}, 'Ready')?.status === 'False')
  expect(conditionOf(workload('aa') ?? {}, 'Ready')).toMatchObject({ reason: 'DeploymentFailed' })
  expect(workload('aa')?.status?.summary).toEqual({
    environments: 'dev, missing',
    states: 'dev failed, missing EnvironmentNotFound',
  })
})

describe('in an environment that starts from a deployment', () => {
  /** Deploys a delta with a module and the shared dependency `files`. */
  function deploy(name: string, environmentName: string, module: string, version = 1): void {
    const add = { [module]: { profile: 'quartermaster/default-module', spec: { version }, externals: {} } }
    const shared = [{ op: 'add' as const, path: '/files', value: { type: 's3' } }]
    const delta = { applicationName: 'shop', modules: { add }, shared }
    world.fake.put(DeploymentDelta, newObject(DeploymentDelta, { namespace, name }, delta))
    const creationTimestamp = new Date().toISOString()
    const metadata = { namespace, name, finalizers: [finalizer], creationTimestamp }
    const spec = { environmentName, deltaName: name }
    world.fake.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
  }

  function addEnvironment(): void {
    const metadata = { namespace, name: 'shop.prev', finalizers: [finalizer] }
    const spec = { applicationName: 'shop', typeName: 'development', fromDeploymentName: 'release' }
    world.fake.put(Environment, newObject(Environment, metadata, spec))
  }

  function deployed() {
    const environment = world.fake.store.get(Environment, namespace, 'shop.prev')
    const { setName = '' } = environment?.status?.lastPlanned ?? {}
    return world.fake.store.get(DeploymentSet, namespace, setName)?.spec
  }

  const everywhere = { environmentIds: [], environmentSelector: {} }

  test.each<[when: string, isRecorded: boolean]>([
    ['after', true],
    ['before', false],
  ])('a delta may be deployed %s a Workload of it is recorded there', async (_, isRecorded) => {
    apply('aa', everywhere)
    await world.until(() => isUp('aa'))
    deploy('release', 'shop.dev', 'own')
    expect(await world.hasSucceeded('release')).toBe(true)
    if (!isRecorded) deploy('preview', 'shop.prev', 'own', 2)
    addEnvironment()
    if (isRecorded) {
      await world.until(() => recordOf('aa', 'prev') !== undefined)
      deploy('preview', 'shop.prev', 'own', 2)
    }
    expect(await world.hasSucceeded('preview')).toBe(true)
    await world.until(() => isUp('aa') && recordOf('aa', 'prev')?.state === 'succeeded')
    expect(deployed()?.modules).toMatchObject({ aa: {}, own: { spec: { version: 2 } } })
    expect(recordOf('aa', 'prev')?.sharedIds).toEqual(['files'])
  })

  test('a Workload does not take over a module of a delta', async () => {
    deploy('release', 'shop.dev', 'aa')
    expect(await world.hasSucceeded('release')).toBe(true)
    addEnvironment()
    apply('aa', { environmentIds: ['prev'] })
    await world.until(() => conditionOf(workload('aa') ?? {}, 'Ready') !== undefined)
    expect(conditionOf(workload('aa') ?? {}, 'Ready')?.reason).toBe('ModuleTaken')
    expect(recordOf('aa', 'prev')).toBeUndefined()
    expect(workload('aa')?.status?.summary).toEqual({ environments: 'prev', states: 'prev ModuleTaken' })
  })

  test('a Workload that is newer than the environment does not take over a module of the start', async () => {
    deploy('release', 'shop.dev', 'aa')
    expect(await world.hasSucceeded('release')).toBe(true)
    addEnvironment()
    deploy('preview', 'shop.prev', 'own')
    expect(await world.hasSucceeded('preview')).toBe(true)
    const before = deployed()?.modules['aa']
    const removal = { applicationName: 'shop', modules: { remove: ['aa'] } }
    world.fake.put(DeploymentDelta, newObject(DeploymentDelta, { namespace, name: 'removal' }, removal))
    const metadata = {
      namespace,
      name: 'removal',
      finalizers: [finalizer],
      creationTimestamp: new Date().toISOString(),
    }
    const spec = { environmentName: 'shop.dev', deltaName: 'removal' }
    world.fake.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
    expect(await world.hasSucceeded('removal')).toBe(true)
    apply('aa', {}, { creationTimestamp: new Date().toISOString() })
    await world.until(() => isUp('aa'))
    const known = workload('aa')
    if (!known) throw new Error('no Workload')
    const next = { ...known.metadata, generation: (known.metadata.generation ?? 1) + 1 }
    world.fake.put(Workload, {
      ...known,
      metadata: next,
      spec: { ...known.spec, environmentIds: ['dev', 'prev'] },
    })
    await world.until(() => conditionOf(workload('aa') ?? known, 'Ready')?.reason === 'ModuleTaken')
    expect(deployed()?.modules['aa']).toEqual(before)
  })

  test('a Workload does not own a shared dependency of a delta', async () => {
    deploy('release', 'shop.dev', 'own')
    expect(await world.hasSucceeded('release')).toBe(true)
    addEnvironment()
    apply('aa', { environmentIds: ['prev'] })
    await world.until(() => isUp('aa'))
    expect(Object.keys(deployed()?.modules ?? {})).toEqual(['own', 'aa'])
    expect(recordOf('aa', 'prev')?.sharedIds).toBeUndefined()
  })
})
