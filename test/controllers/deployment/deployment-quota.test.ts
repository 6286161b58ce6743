import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { environmentDeploymentController } from '../../../operator/controllers/deployment/environment-deployment.ts'
import { installationWith } from '../../../operator/controllers/shared/installation-key.ts'
import { NewResources } from '../../../operator/controllers/shared/new-resources.ts'
import { OngoingStarts } from '../../../operator/controllers/shared/ongoing-starts.ts'
import { Renewals } from '../../../operator/controllers/shared/renewals.ts'
import { createProgressCounter } from '../../../operator/controllers/shared/resource-progress.ts'
import { QuotaExceeded, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { quotaRefusalIn, type ResourceQuota } from '../../../operator/domain/base/quota.ts'
import { runHash } from '../../../operator/domain/deployment/deployment-history.ts'
import { QuotaError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { silentLog } from '../../../operator/log.ts'
import { createPlanning } from '../../../operator/planning/planning.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { definition, quota } from '../../support/builders.ts'
import { drivers } from '../../support/graphs.ts'
import { silentContext } from '../support/context.ts'

const namespace = 'acme'
const name = 'shop.dev.1'
const counted = 'count/activeresources.quartermaster.dev'
const fake = createFakeCluster()
let version = 0
let live: readonly ResourceQuota[] = []
const cluster = {
  ...fake,
  client: {
    request: async (_method: string, path: string) => ({
      metadata: { resourceVersion: '0' },
      items: path.endsWith('/resourcequotas') ? live : null,
    }),
  } as unknown as KubeClient, // for lists
  replaceStatus: (async (kind, object, status) => {
    fake.setStatus(kind, namespace, object.metadata.name, status)
    return fake.store.get(kind, namespace, object.metadata.name)
  }) as typeof fake.replaceStatus,
}

function quotaOf(limit: number, used: number): ResourceQuota {
  const made = quota('team', { [counted]: String(limit) }, { [counted]: String(used) })
  version += 1
  return { ...made, metadata: { ...made.metadata, resourceVersion: String(version) } }
}

/** Changes the quota in the cluster and in the cache. */
function setQuota(limit: number, used: number): void {
  live = [quotaOf(limit, used)]
  for (const each of live) cluster.store.quotas.set(each)
}

function putDeployment(creator?: string): EnvironmentDeployment {
  const marks: Record<string, string> =
    creator === undefined ? {} : { [annotations.createdBy]: creator, [annotations.triggeredBy]: creator }
  const metadata = { namespace, name, annotations: marks, creationTimestamp: new Date().toISOString() }
  const spec = { environmentName: 'shop.dev', setName: 'shop.one' }
  const deployment = cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
  // The status of an environment as soon as a deployment of it is planned.
  const lastPlanned = { deploymentName: name, hash: runHash(deployment), setName: 'shop.one' }
  cluster.setStatus(Environment, namespace, 'shop.dev', { lastPlanned })
  return deployment
}

function controllerOf(through: typeof cluster = cluster) {
  const { store } = cluster
  return environmentDeploymentController({
    cluster: through,
    installation: installationWith(Buffer.alloc(32)),
    progress: createProgressCounter(store, 3),
    renewals: new Renewals(store),
    newResources: new NewResources(),
    starts: new OngoingStarts(),
    planning: createPlanning(store, { catalogue: drivers, vendors: ['quartermaster'], log: silentLog }),
    dispatcher: { notifyDeleted: async () => {} },
    attempts: 3,
    timeoutSeconds: 1000,
    settleSeconds: 1000,
    serverNow: Date.now,
  })
}

const resources = () => cluster.store.list(ActiveResource, namespace)
const current = () => cluster.store.get(EnvironmentDeployment, namespace, name)
const readyOf = (deployment: EnvironmentDeployment) => conditionOf(deployment, 'Ready')

beforeEach(() => {
  cluster.reset()
  for (const each of cluster.store.quotas.all()) cluster.store.quotas.remove(each)
  cluster.addOrganization(namespace)
  const environment = { applicationName: 'shop', typeName: 'development' }
  const metadata = { namespace, name: 'shop.dev', finalizers: [finalizer] }
  cluster.put(Environment, newObject(Environment, metadata, environment))
  const shared = { a: { type: 's3' }, b: { type: 's3' }, c: { type: 's3' } }
  const set = { applicationName: 'shop', modules: {}, shared }
  cluster.put(DeploymentSet, newObject(DeploymentSet, { namespace, name: 'shop.one' }, set))
  cluster.put(ResourceDefinition, definition('files', 's3'))
})

describe('a deployment that exceeds a quota', () => {
  const reconcile = (deployment: EnvironmentDeployment) =>
    controllerOf()
      .reconcile(deployment, silentContext())
      .catch((error: unknown) => error)

  test('over REST fails before it writes anything', async () => {
    setQuota(4, 2)
    const error = await reconcile(putDeployment('ana'))
    expect(error).toBeInstanceOf(Stalled)
    expect(error).toMatchObject({
      reason: 'QuotaExceeded',
      message: expect.stringContaining(
        "allows 4 'activeresources.quartermaster.dev' (2 used, 3 more needed)",
      ),
    })
    expect(fake.writes.filter((each) => each.includes('create'))).toEqual([])
  })

  test('by kubectl waits, and is reconciled again when there is more room', async () => {
    setQuota(4, 2)
    const deployment = putDeployment()
    const controller = controllerOf()
    const enqueued: string[] = []
    for (const watch of controller.watches ?? []) watch.subscribe((keys) => enqueued.push(...keys))
    const error = await controller.reconcile(deployment, silentContext()).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Waiting)
    expect(error).toMatchObject({ reason: 'NotPlannable', message: expect.stringContaining('3 more needed') })
    setQuota(4, 3)
    expect(enqueued).toEqual([])
    setQuota(9, 3)
    expect(enqueued).toEqual([`${namespace}/${name}`])
  })

  test('is planned with the quota as it is now, when the watch is behind', async () => {
    setQuota(4, 2)
    live = [quotaOf(9, 2)]
    await reconcile(putDeployment('ana'))
    expect(resources()).toHaveLength(3)
  })

  test('waits for room when it has begun, with what it has written', async () => {
    setQuota(3, 1)
    const deployment = putDeployment('ana')
    const status = { setName: 'shop.one', startTime: '2026-02-01T00:00:00Z' }
    cluster.setStatus(EnvironmentDeployment, namespace, name, status)
    const error = await reconcile(current() ?? deployment)
    expect(error).toBeInstanceOf(QuotaExceeded)
    expect(error).toMatchObject({ reason: 'QuotaExceeded', namespace })
  })
})

test('a deployment whose creates a quota refuses continues as soon as there is room, and loses nothing', async () => {
  // The cache knows no quota, so that the plan is right and the creates are refused.
  let room = 2
  const guarded: typeof cluster = {
    ...cluster,
    create: async (kind, object, origin) => {
      if (kind.kind !== ActiveResource.kind) return cluster.create(kind, object, origin)
      if (resources().length < room) return cluster.create(kind, object, origin)
      const text = `x is forbidden: exceeded quota: team, requested: ${counted}=1, used: ${counted}=${room}, limited: ${counted}=${room}`
      throw new QuotaError(namespace, quotaRefusalIn(text, namespace) ?? { uses: [], message: text })
    },
  }
  const loop = startController(guarded, controllerOf(guarded), {
    log: silentLog,
    isActive: () => true,
    backoffMs: { first: 1_000_000, most: 1_000_000 },
  })
  putDeployment('ana')
  await loop.queue.idle()
  const waiting = current()
  expect(waiting && readyOf(waiting)).toMatchObject({ status: 'False', reason: 'QuotaExceeded' })
  expect(waiting?.status).toMatchObject({ setName: 'shop.one', startTime: expect.any(String) })
  expect(resources()).toHaveLength(2)
  setQuota(2, 2)
  room = 3
  setQuota(3, 2)
  await loop.queue.idle()
  expect(resources()).toHaveLength(3)
  expect(current()?.status?.startTime).toBe(waiting?.status?.startTime)
  await loop.stop()
})
