import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { fieldManager } from '../../../operator/api/names.ts'
import { startSetCleanup } from '../../../operator/controllers/deployment/set-cleanup.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { organizationNamespace } from '../../support/builders.ts'
import { readsOf } from '../support/reads.ts'

const namespace = 'acme'
const name = 'shop.one'
let cluster = createFakeCluster()
let cleanup: ReturnType<typeof startSetCleanup> | undefined

beforeEach(() => {
  cluster = createFakeCluster()
  cluster.addOrganization(namespace)
})
afterEach(() => cleanup?.stop())

function start(isActive = () => true, settleMs = 1) {
  cleanup = startSetCleanup(cluster, {
    log: silentLog,
    isActive,
    settleMs,
    resyncMs: 3_600_000,
  })
}

function addSet(managers: readonly string[] = [fieldManager], setName = name) {
  const managedFields = managers.map((manager) => ({ manager }))
  const spec = { applicationName: 'shop', modules: { web: {} }, shared: {} }
  cluster.put(DeploymentSet, newObject(DeploymentSet, { namespace, name: setName, managedFields }, spec))
}
function addDeployment(spec: object = { setName: name }, status: object = {}) {
  const metadata = { namespace, name: 'shop.dev.1' }
  const content = { environmentName: 'shop.dev', ...spec }
  cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, content))
  cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', status)
}
function addEnvironment(status: object) {
  const spec = { applicationName: 'shop', typeName: 'dev' }
  cluster.put(Environment, newObject(Environment, { namespace, name: 'shop.dev' }, spec))
  cluster.setStatus(Environment, namespace, 'shop.dev', status)
}
const lastPlanned = { deploymentName: 'shop.dev.1', hash: '0'.repeat(16), setName: name }
const isThere = (setName = name) => cluster.store.get(DeploymentSet, namespace, setName) !== undefined
const untilGone = (setName = name) =>
  eventually('the end of the set', 10_000, async () => (isThere(setName) ? undefined : true))

/** Waits until the cleanup has read a set that was created after all others. */
async function untilLooked() {
  addSet(undefined, 'shop.later')
  await untilGone('shop.later')
}

describe('a set of ours is deleted when it is unreferenced', () => {
  test.each<[rule: string, refer: () => void, letGo: () => void]>([
    [
      'its deployment was deleted',
      () => addDeployment(),
      () => cluster.drop(EnvironmentDeployment, namespace, 'shop.dev.1'),
    ],
    [
      'the deployment that it was made for was deleted',
      () => addDeployment({ deltaName: 'd' }, { setName: name }),
      () => cluster.drop(EnvironmentDeployment, namespace, 'shop.dev.1'),
    ],
    [
      'the deployment of Workloads that was about to fold it was deleted',
      () => addDeployment({ workloads: name.replace('shop.', '') }),
      () => cluster.drop(EnvironmentDeployment, namespace, 'shop.dev.1'),
    ],
    [
      'its environment was deleted',
      () => addEnvironment({ lastPlanned }),
      () => cluster.drop(Environment, namespace, 'shop.dev'),
    ],
    [
      'its environment has another one',
      () => addEnvironment({ lastPlanned }),
      () => cluster.setStatus(Environment, namespace, 'shop.dev', {}),
    ],
    [
      'its environment starts from another one',
      () => addEnvironment({ start: { setName: name } }),
      () => cluster.setStatus(Environment, namespace, 'shop.dev', {}),
    ],
  ])('any more: %s', async (_, refer, letGo) => {
    addSet()
    refer()
    start()
    await untilLooked()
    expect(isThere()).toBe(true)
    letGo()
    await untilGone()
  })

  test('since before the operator started', async () => {
    addSet()
    start()
    await untilGone()
  })
})

test.each([
  ['created', ['kubectl-create']],
  ['applied', ['flux']],
  ['applied over a created one', [fieldManager, 'flux']],
])('a set that another client %s stays', async (_, managers) => {
  addSet(managers)
  start()
  await untilLooked()
  expect(isThere()).toBe(true)
})

test('nothing is removed while another process may be at work', async () => {
  addSet()
  start(() => false)
  await cleanup?.stop()
  expect(isThere()).toBe(true)
})

test('a set that is the base of an environment is created again when a tool deletes it', async () => {
  addSet(['flux'])
  addEnvironment({ lastPlanned })
  start()
  cluster.drop(DeploymentSet, namespace, name)
  await eventually('the set', 10_000, async () => isThere() || undefined)
  expect(cluster.store.get(DeploymentSet, namespace, name)?.spec.modules).toEqual({ web: {} })
})

test('it is created again although that conflicts with a quota at first', async () => {
  addSet(['flux'])
  addEnvironment({ lastPlanned })
  const conflict = new ApiError(409, 'Conflict', 'cannot be fulfilled on resourcequotas "team"')
  cluster.failNext('create DeploymentSet', conflict)
  start()
  cluster.drop(DeploymentSet, namespace, name)
  await eventually('the set', 10_000, async () => isThere() || undefined)
})

test('it is created again by the process that takes over, if it was deleted before', async () => {
  addSet(['flux'])
  addEnvironment({ lastPlanned })
  let isActive = false
  start(() => isActive)
  cluster.drop(DeploymentSet, namespace, name)
  await setTimeout(100)
  expect(isThere()).toBe(false)
  isActive = true
  await eventually('the set', 10_000, async () => isThere() || undefined)
})

test('it is created again when the label of its organization comes back, if it was deleted without the label', async () => {
  cluster = createFakeCluster()
  addSet(['flux'])
  addEnvironment({ lastPlanned })
  start()
  cluster.drop(DeploymentSet, namespace, name)
  await setTimeout(100)
  expect(isThere()).toBe(false)
  cluster.addOrganization(namespace)
  cluster.store.namespaces.set(organizationNamespace(namespace))
  await eventually('the set', 10_000, async () => isThere() || undefined)
})

test('whether a set is used is known without a look at all deployments and environments', async () => {
  for (let i = 0; i < 100; i += 1) {
    const spec = { environmentName: `shop.e${i}`, setName: `shop.set${i}` }
    cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, { namespace, name: `d${i}` }, spec))
    addSet(undefined, `shop.set${i}`)
  }
  addSet()
  const reads = await readsOf(cluster.store, async () => {
    start()
    await untilGone()
    await untilLooked()
  })
  expect(cluster.store.list(DeploymentSet, namespace)).toHaveLength(100)
  expect(reads).toBe(0)
})

test('a set is kept for the settle time after its last use', async () => {
  const settleMs = 1000
  addSet()
  start(() => true, settleMs)
  const use = setInterval(() => addSet(), settleMs / 50)
  // From now on, one set is used and the other one is not.
  addSet(undefined, 'shop.other')
  await untilGone('shop.other')
  expect(isThere()).toBe(true)
  clearInterval(use)
  await untilGone()
})

test('a set that was used a moment ago, as the cache does not know yet, stays', async () => {
  addSet()
  const { read, remove } = cluster
  let reads = 0
  Object.assign(cluster, {
    removeUnchanged: remove, // the API server has what was read
    async read(...parameters: Parameters<typeof read>) {
      reads += 1
      const object = await read(...parameters)
      return object && reads === 1
        ? { ...object, metadata: { ...object.metadata, resourceVersion: 'newer' } }
        : object
    },
  })
  start()
  await eventually('the read of the set', 10_000, async () => reads === 1 || undefined)
  await cleanup?.stop()
  expect(isThere()).toBe(true)
})
