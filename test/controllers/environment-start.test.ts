import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../operator/api/application.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../operator/api/environment-type.ts'
import { newObject } from '../../operator/api/kind.ts'
import { annotations, finalizer } from '../../operator/api/names.ts'
import { finalizeDeployment } from '../../operator/controllers/deployment/deployment-record.ts'
import { environmentController } from '../../operator/controllers/environment.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { ready } from '../api-gateway/support/objects.ts'
import { silentContext } from './support/context.ts'
import { environmentOptions } from './support/environment-options.ts'
import { createFakeObjects } from './support/fake-objects.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const controller = environmentController(
  cluster,
  createFakeObjects().open(),
  { notifyLast: async () => {} },
  environmentOptions(cluster),
)
const name = 'shop.old.1'

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  cluster.put(Application, newObject(Application, { namespace, name: 'shop' }, {}))
  cluster.put(EnvironmentType, newObject(EnvironmentType, { namespace, name: 'development' }, {}))
  const spec = { applicationName: 'shop', typeName: 'development' }
  cluster.put(Environment, newObject(Environment, { namespace, name: 'shop.old' }, spec))
  const clone = { ...spec, fromDeploymentName: name }
  cluster.put(Environment, newObject(Environment, { namespace, name: 'shop.clone' }, clone))
})

/** A deployment to the old environment, of that set; none that passed planning without one. */
function addStart(setName?: string, finishTime = '2026-02-01T00:01:00Z') {
  const spec = { environmentName: 'shop.old', comment: 'the first' }
  cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, { namespace, name }, spec))
  const status = setName === undefined ? {} : { setName, startTime: finishTime, finishTime, ...ready }
  cluster.setStatus(EnvironmentDeployment, namespace, name, status)
}

const removeStart = () => cluster.drop(EnvironmentDeployment, namespace, name)
const environment = (id: string) => cluster.store.get(Environment, namespace, `shop.${id}`) as Environment // put above

/** Reconciles the clone; the start that it remembers then. */
async function remembered() {
  const observed = await controller.reconcile(environment('clone'), silentContext())
  cluster.setStatus(Environment, namespace, 'shop.clone', observed)
  return observed.start
}

const first = {
  deploymentName: name,
  environmentName: 'shop.old',
  setName: 'shop.one',
  state: 'succeeded',
  comment: 'the first',
  changeTime: '2026-02-01T00:01:00Z',
}

test('an environment remembers its start content as soon as that has a set', async () => {
  expect(await remembered()).toBeUndefined()
  addStart()
  expect(await remembered()).toBeUndefined()
  addStart('shop.one')
  expect(await remembered()).toMatchObject(first)
})

test('an environment is reconciled when its start changes', () => {
  const enqueued: string[] = []
  for (const watch of controller.watches ?? []) watch.subscribe((keys) => enqueued.push(...keys))
  addStart('shop.one')
  expect(enqueued).toContain(`${namespace}/shop.clone`)
})

test('the remembered start survives the deletion of the deployment, and a later one of its name', async () => {
  addStart('shop.one')
  await remembered()
  removeStart()
  expect(await remembered()).toMatchObject(first)
  addStart('shop.two', '2026-03-01T00:00:00Z')
  expect(await remembered()).toMatchObject(first)
})

test('the remembered start follows its deployment', async () => {
  addStart('shop.one')
  await remembered()
  const finishTime = '2026-02-01T00:02:00Z'
  const status = { setName: 'shop.one', startTime: finishTime, finishTime, ...ready }
  cluster.setStatus(EnvironmentDeployment, namespace, name, status)
  expect(await remembered()).toMatchObject({ ...first, changeTime: finishTime })
})

test('a note of who made it that is too long to be kept is cut', async () => {
  addStart('shop.one')
  const { metadata, ...rest } = cluster.store.get(
    EnvironmentDeployment,
    namespace,
    name,
  ) as EnvironmentDeployment // just put
  const noted = { ...metadata, annotations: { [annotations.createdBy]: 'x'.repeat(300) } }
  cluster.put(EnvironmentDeployment, { ...rest, metadata: noted })
  expect((await remembered())?.creatorName).toHaveLength(253)
})

test.each([
  ['a deployment that is older than its environment is recorded if it exists', true, 'shop.old.0'],
  [
    'and not if it has ended with an earlier environment of the name, also while the cache shows it',
    false,
    undefined,
  ],
])('%s', async (_, exists, recorded) => {
  const metadata = { namespace, name: 'shop.old.0', creationTimestamp: '2020-01-01T00:00:00Z' }
  const old = newObject(EnvironmentDeployment, metadata, { environmentName: 'shop.old' })
  cluster.put(EnvironmentDeployment, old)
  const startTime = '2020-01-01T00:01:00Z'
  const status = { setName: 'shop.zero', startTime, finishTime: startTime, ...ready }
  cluster.setStatus(EnvironmentDeployment, namespace, 'shop.old.0', status)
  const reads: string[] = []
  const late = environmentController(
    {
      ...cluster,
      read: async (kind, home, id) => {
        reads.push(id)
        return exists ? cluster.read(kind, home, id) : undefined
      },
    },
    createFakeObjects().open(),
    { notifyLast: async () => {} },
    environmentOptions(cluster),
  )
  const observed = await late.reconcile(environment('old'), silentContext())
  expect([observed.lastPlanned?.deploymentName, reads]).toEqual([recorded, ['shop.old.0']])
})

test('another start takes its place', async () => {
  addStart('shop.one')
  await remembered()
  const { metadata, spec } = environment('clone')
  cluster.put(Environment, {
    ...environment('clone'),
    metadata,
    spec: { ...spec, fromDeploymentName: 'shop.x.1' },
  })
  expect(await remembered()).toBeUndefined()
})

describe('a deployment from which an environment starts, when it is deleted', () => {
  const end = (notifyDeleted = async () => {}) => {
    const deployment = cluster.store.get(EnvironmentDeployment, namespace, name) as EnvironmentDeployment // put before
    const metadata = { ...deployment.metadata, deletionTimestamp: '2026-02-02T00:00:00Z' }
    return finalizeDeployment({ ...deployment, metadata }, { cluster, dispatcher: { notifyDeleted } })
  }
  // Its own environment is deleted too, so that only the other one matters.
  beforeEach(() => cluster.drop(Environment, namespace, 'shop.old'))

  test('is deleted only after that environment remembers it', async () => {
    addStart('shop.one')
    await expect(end()).rejects.toMatchObject({ reason: 'StartRemains' })
    await remembered()
    await end()
  })

  test('is deleted only after the webhook calls for its events are written', async () => {
    addStart()
    const refusal = new Error('not now')
    await expect(end(() => Promise.reject(refusal))).rejects.toBe(refusal)
  })

  test('is deleted at once when it has no set to remember', async () => {
    addStart()
    await end()
  })
})

test('an environment is deleted only after its deployments: a later one of its name must not adopt them', async () => {
  addStart('shop.one')
  const held = { finalizers: [finalizer] }
  const deployment = cluster.store.get(EnvironmentDeployment, namespace, name) as EnvironmentDeployment // just put
  cluster.put(EnvironmentDeployment, { ...deployment, metadata: { ...deployment.metadata, ...held } })
  const end = () => controller.finalize?.(environment('old'), silentContext())
  await expect(end()).rejects.toMatchObject({ reason: 'DeploymentsRemain' })
  removeStart()
  await end()
})
