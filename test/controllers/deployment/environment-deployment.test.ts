import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject, type ObjectMeta } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { environmentDeploymentController } from '../../../operator/controllers/deployment/environment-deployment.ts'
import { installationWith } from '../../../operator/controllers/shared/installation-key.ts'
import { NewResources } from '../../../operator/controllers/shared/new-resources.ts'
import { OngoingStarts } from '../../../operator/controllers/shared/ongoing-starts.ts'
import { Renewals } from '../../../operator/controllers/shared/renewals.ts'
import { createProgressCounter } from '../../../operator/controllers/shared/resource-progress.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { runHash } from '../../../operator/domain/deployment/deployment-history.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import type { ReconcileContext } from '../../../operator/kube/loop/controller.ts'
import { outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { silentLog } from '../../../operator/log.ts'
import { createPlanning } from '../../../operator/planning/planning.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { ready } from '../../api-gateway/support/objects.ts'
import { definition } from '../../support/builders.ts'
import { drivers } from '../../support/graphs.ts'
import { silentContext } from '../support/context.ts'
import { readsOf } from '../support/reads.ts'

const namespace = 'acme'
const long = 1_000_000_000
const cluster = {
  ...createFakeCluster(),
  client: {
    request: async () => ({ metadata: { resourceVersion: '0' }, items: null }),
  } as unknown as KubeClient, // for lists
}
const down = async () => {
  throw new ApiError(500, 'InternalError', 'etcd is away')
}

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
})

const put = {
  environment: (metadata: Partial<ObjectMeta> = {}) => {
    const spec = { applicationName: 'shop', typeName: 'development' }
    const known = { namespace, name: 'shop.dev', finalizers: [finalizer] }
    cluster.put(Environment, newObject(Environment, { ...known, ...metadata }, spec))
  },
  set: (name = 'shop.one') => {
    const spec = { applicationName: 'shop', modules: {}, shared: { files: { type: 's3' } } }
    cluster.put(DeploymentSet, newObject(DeploymentSet, { namespace, name }, spec))
  },
  definition: () => cluster.put(ResourceDefinition, definition('files', 's3')),
  deployment: (
    name = 'shop.dev.1',
    metadata: Partial<ObjectMeta> = {},
    source: Partial<EnvironmentDeployment['spec']> = { setName: 'shop.one' },
  ) =>
    cluster.put(
      EnvironmentDeployment,
      newObject(
        EnvironmentDeployment,
        { namespace, name, ...metadata },
        { environmentName: 'shop.dev', ...source },
      ),
    ),
  all: () => {
    put.environment()
    put.set()
    put.definition()
  },
}

const starts = new OngoingStarts()

function controllerWith(
  timeoutSeconds: number,
  changes: Partial<typeof cluster> = {},
  { serverNow = Date.now, settleSeconds = long }: { serverNow?(): number; settleSeconds?: number } = {},
) {
  const { store } = cluster
  return environmentDeploymentController({
    cluster: { ...cluster, ...changes },
    installation: installationWith(Buffer.alloc(32)),
    progress: createProgressCounter(store, 3),
    renewals: new Renewals(store),
    newResources: new NewResources(),
    starts,
    planning: createPlanning(store, { catalogue: drivers, vendors: ['quartermaster'], log: silentLog }),
    dispatcher: { notifyDeleted: async () => {} },
    attempts: 3,
    timeoutSeconds,
    settleSeconds,
    serverNow,
  })
}

type Context = ReconcileContext<typeof EnvironmentDeployment>

/** Gives the environment the status that it has as soon as this deployment is planned. */
function recordAsPlanned(deployment: EnvironmentDeployment): void {
  const deploymentName = deployment.metadata.name
  const lastPlanned = { deploymentName, hash: runHash(deployment), setName: 'shop.one' }
  if (cluster.store.get(Environment, namespace, 'shop.dev'))
    cluster.setStatus(Environment, namespace, 'shop.dev', { lastPlanned })
}

/** The outcome of a reconcile of a deployment with this limit. */
async function resultOf(
  deployment: EnvironmentDeployment,
  timeoutSeconds: number,
  {
    report,
    settleSeconds = long,
    ...changes
  }: Partial<typeof cluster> & {
    readonly report?: () => Promise<void>
    readonly settleSeconds?: number | undefined
  } = {},
): Promise<unknown> {
  recordAsPlanned(deployment)
  const controller = controllerWith(timeoutSeconds, changes, { settleSeconds })
  const context = silentContext<typeof EnvironmentDeployment>(report ? { report } : {})
  return controller.reconcile(deployment, context).catch((error: unknown) => error)
}

type Changes = Parameters<typeof resultOf>[2]

describe.each<[string, () => void, string, Changes?]>([
  ['its environment is missing', () => {}, "waiting for the environment 'shop.dev'"],
  ['its set is missing', put.environment, "waiting for the deployment set 'shop.one'"],
  [
    'a definition is missing',
    () => {
      put.environment()
      put.set()
    },
    's3',
  ],
  ['the API server takes no status', put.all, 'etcd is away', { report: down }],
  ['the API server takes no resource', put.all, 'etcd is away', { create: down }],
  ['a resource is never ready', put.all, ''],
])('a deployment ends within its time limit where %s', (_, prepare, cause, changes) => {
  test('and continues before', async () => {
    prepare()
    const result = await resultOf(put.deployment(), long, changes)
    expect(result).toBeInstanceOf(Error)
    expect(outcomeOf(result).secondCondition).toBe('Reconciling')
  })

  test('and says why after', async () => {
    prepare()
    const result = await resultOf(put.deployment(), 60, changes)
    expect(result).toBeInstanceOf(Stalled)
    expect((result as Stalled).message).toContain(cause)
    expect((result as Stalled).observed).toMatchObject({
      finishTime: expect.any(String),
      problems: [expect.objectContaining({ message: expect.stringContaining(cause) })],
    })
  })
})

test('a deployment whose resources are refused again and again records its start once', async () => {
  put.all()
  const deployment = put.deployment()
  const reports: unknown[] = []
  const report = async (...[observed]: readonly unknown[]) => void reports.push(observed)
  await resultOf(deployment, long, { create: down, report })
  cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', reports[0] as object)
  const started = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.1')
  await resultOf(started ?? deployment, long, { create: down, report })
  expect(reports).toEqual([expect.objectContaining({ startTime: expect.any(String) })])
})

describe('a deployment that is older than its environment', () => {
  const overRest = { [annotations.createdBy]: 'ana', [annotations.triggeredBy]: 'ana' }

  test.each<[string, string, Record<string, string>, number, string | undefined]>([
    ['fails', 'over REST', overRest, 60, 'EnvironmentDeleted'],
    ['runs if API servers have other clocks', 'over REST', overRest, 5, undefined],
    ['runs', 'by kubectl', {}, 60, undefined],
  ])('%s, %s', async (_, __, marks, seconds, reason) => {
    put.all()
    put.environment({ creationTimestamp: new Date().toISOString() })
    const creationTimestamp = new Date(Date.now() - seconds * 1000).toISOString()
    const deployment = put.deployment('shop.dev.1', { creationTimestamp, annotations: marks })
    const result = await resultOf(deployment, long)
    expect(result instanceof Stalled ? result.reason : undefined).toBe(reason)
    const resources = cluster.store.list(ActiveResource, namespace)
    expect(resources).toHaveLength(reason ? 0 : 1)
  })
})

test('a deployment whose plan throws ends at once, however much time it has', async () => {
  put.environment()
  put.set()
  // Stored with its schema switched off.
  const poison = { ...definition('poison', 's3'), spec: { type: 's3', driverType: 7, criteria: [{}] } }
  cluster.put(ResourceDefinition, poison as unknown as ResourceDefinition)
  const result = await resultOf(
    put.deployment('shop.dev.1', {
      annotations: { [annotations.createdBy]: 'ana', [annotations.triggeredBy]: 'ana' },
    }),
    long,
  )
  expect(result).toBeInstanceOf(Stalled)
  expect(result).toMatchObject({ reason: 'PlanningFailed' })
})

describe('the time limit of a deployment that waits for another one', () => {
  const first = () => put.deployment('shop.dev.1')
  const end = (finishTime: string) =>
    cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', {
      ...ready,
      setName: 'shop.one',
      finishTime,
    })

  test('does not run while it waits', async () => {
    put.all()
    first()
    expect(await resultOf(put.deployment('shop.dev.2'), 60)).toBeInstanceOf(Waiting)
  })

  test('runs while both lack their environment', async () => {
    first()
    expect(await resultOf(put.deployment('shop.dev.2'), 60)).toBeInstanceOf(Stalled)
  })

  test('applies to one that has begun, with an older one that arrived later', async () => {
    put.all()
    put.deployment('shop.dev.1')
    put.deployment('shop.dev.2')
    cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.2', { setName: 'shop.one' })
    const begun = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.2')
    expect(begun && (await resultOf(begun, 60))).toBeInstanceOf(Stalled)
    const older = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.1')
    expect(older && (await resultOf(older, 60))).toBeInstanceOf(Waiting)
  })

  test.each([
    ['begins when that one ends', new Date().toISOString(), Waiting],
    ['is over in time', '2026-02-01T00:00:00Z', Stalled],
  ])('%s', async (_, finishTime, expected) => {
    put.all()
    first()
    end(finishTime)
    expect(await resultOf(put.deployment('shop.dev.2'), 60)).toBeInstanceOf(expected)
  })

  test.each([
    ['begins when that one ends, although the next one starts by a clock that is behind', 5, Waiting],
    ['does not begin when a later one ends', 20, Stalled],
  ])('%s', async (_, secondsAfter, expected) => {
    put.all()
    first()
    const begun = Date.now() - 30_000
    end(new Date(begun + secondsAfter * 1000).toISOString())
    put.deployment('shop.dev.2')
    const status = { setName: 'shop.one', startTime: new Date(begun).toISOString() }
    cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.2', status)
    const started = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.2')
    expect(started && (await resultOf(started, 60))).toBeInstanceOf(expected)
  })
})

test.each([-60, 60])(
  'a new deployment has all its time, and ends by the clock of the API server, with one that is %s minutes ahead',
  async (minutes) => {
    put.all()
    const serverNow = () => Date.now() - minutes * 60_000
    const creationTimestamp = new Date(serverNow()).toISOString()
    const deployment = put.deployment('shop.dev.1', { creationTimestamp })
    recordAsPlanned(deployment)
    const resultWithin = (timeoutSeconds: number) =>
      controllerWith(timeoutSeconds, {}, { serverNow })
        .reconcile(deployment, silentContext())
        .catch((error: unknown) => error)
    expect(await resultWithin(1800)).toBeInstanceOf(Waiting)
    const failed = await resultWithin(0)
    expect(failed).toBeInstanceOf(Stalled)
    const { finishTime = '' } = (failed as Stalled).observed as { finishTime?: string }
    expect(Math.abs(Date.parse(finishTime) - serverNow())).toBeLessThan(60_000)
  },
)

test.each([1800, 0])('never ends before it starts, within %s seconds', async (timeoutSeconds) => {
  put.all()
  const startTime = new Date(Date.now() + 3_600_000).toISOString()
  const deployment = put.deployment('shop.dev.1')
  recordAsPlanned(deployment)
  cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', { setName: 'shop.one', startTime })
  const started = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.1')
  if (!started) throw new Error('the deployment is missing')
  const end = await controllerWith(timeoutSeconds)
    .reconcile(started, silentContext())
    .catch((error: unknown) => (error as Stalled).observed)
  expect(end).toMatchObject({ startTime, finishTime: startTime })
})

test('a deployment is reconciled again when its time is up, in every waiting state', async () => {
  const creationTimestamp = new Date().toISOString()
  const deployment = put.deployment('shop.dev.1', { creationTimestamp })
  const controller = controllerWith(0.2)
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const watch of controller.watches ?? [])
    watch.subscribe((keys) => keys.includes('acme/shop.dev.1') && resolve())
  const reconcile = () => controller.reconcile(deployment, silentContext()).catch((error: unknown) => error)
  const before = await reconcile()
  if (before instanceof Waiting) await promise
  expect(await reconcile()).toBeInstanceOf(Stalled)
  expect(cluster.store.list(ActiveResource, namespace)).toEqual([])
})

test('a change of what deployments read enqueues those that wait for it, and looks at no others', async () => {
  put.environment()
  for (let i = 2; i < 100; i += 1) put.deployment(`shop.dev.${i}`)
  const waiting = put.deployment('shop.dev.1', { creationTimestamp: '2026-01-01T00:00:00Z' })
  const controller = controllerWith(long)
  const enqueued: string[] = []
  for (const watch of controller.watches ?? []) watch.subscribe((keys) => enqueued.push(...keys))
  await expect(controller.reconcile(waiting, silentContext())).rejects.toBeInstanceOf(Waiting)
  const reads = await readsOf(cluster.store, () => {
    put.set()
    put.definition()
  })
  expect(enqueued).toEqual(Array(2).fill('acme/shop.dev.1'))
  expect(reads).toBe(0)
})

test('the set of a deployment enqueues those that wait for it, and those alone', async () => {
  const spec = { applicationName: 'shop', typeName: 'development', fromDeploymentName: 'shop.live.1' }
  cluster.put(
    Environment,
    newObject(Environment, { namespace, name: 'shop.dev', finalizers: [finalizer] }, spec),
  )
  put.deployment('shop.live.1', {}, { environmentName: 'shop.live', deltaName: 'one' })
  const waiting = put.deployment('shop.dev.1', {}, {})
  put.deployment('shop.dev.2', {}, {})
  const controller = controllerWith(long)
  await expect(controller.reconcile(waiting, silentContext())).rejects.toMatchObject({
    reason: 'BaseNotFound',
  })
  const enqueued: string[] = []
  for (const watch of controller.watches ?? []) watch.subscribe((keys) => enqueued.push(...keys))
  cluster.setStatus(EnvironmentDeployment, namespace, 'shop.live.1', { setName: 'shop.one' })
  cluster.setStatus(EnvironmentDeployment, namespace, 'shop.live.1', { setName: 'shop.one', comment: '' })
  expect(enqueued).toEqual(['acme/shop.dev.1'])
})

describe('a delta that changes while deployments wait', () => {
  const putDelta = (name: string, type: string) => {
    const shared = [{ op: 'add' as const, path: '/files', value: { type } }]
    const spec = { applicationName: 'shop', shared }
    return cluster.put(DeploymentDelta, newObject(DeploymentDelta, { namespace, name, uid: name }, spec))
  }
  const deploy = (name: string, deltaName: string) => {
    const environmentName = name.replace(/\.1$/, '')
    const spec = { applicationName: 'shop', typeName: 'development' }
    const metadata = { namespace, name: environmentName, finalizers: [finalizer] }
    cluster.put(Environment, newObject(Environment, metadata, spec))
    const own = { environmentName, deltaName }
    return cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, { namespace, name }, own))
  }

  test('enqueues those that name it at every change, and no others', async () => {
    const typo = putDelta('one', 's4')
    putDelta('two', 's4')
    const controller = controllerWith(long)
    for (const each of [deploy('shop.dev.1', 'one'), deploy('shop.test.1', 'two')])
      await expect(controller.reconcile(each, silentContext())).rejects.toMatchObject({
        reason: 'NotPlannable',
        message: expect.stringContaining('s4'),
      })
    const enqueued: string[] = []
    for (const watch of controller.watches ?? []) watch.subscribe((keys) => enqueued.push(...keys))
    const reads = await readsOf(cluster.store, async () => {
      putDelta('one', 's5')
      cluster.drop(DeploymentDelta, namespace, typo.metadata.name)
      putDelta('one', 's3')
    })
    expect(enqueued).toEqual(Array(3).fill('acme/shop.dev.1'))
    expect(reads).toBe(0)
  })

  test('leaves no problem of its old content in the status when it is deleted', async () => {
    deploy('shop.dev.1', 'one')
    const problems = [{ object: '', reason: 'TypeNotFound', message: 'of the old content' }]
    cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', { setName: 'shop.old', problems })
    const waiting = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.1')
    const result = waiting && controllerWith(long).reconcile(waiting, silentContext())
    await expect(result).rejects.toEqual(expect.objectContaining({ reason: 'DeltaNotFound', observed: {} }))
  })
})

test('a deployment starts only when its environment has our finalizer', async () => {
  put.all()
  put.environment({ finalizers: [] })
  expect(await resultOf(put.deployment(), long)).toMatchObject({
    reason: 'Progressing',
    retryAfterSeconds: 0.1,
  })
  put.environment()
  expect(await resultOf(put.deployment(), long)).toMatchObject({
    observed: { startTime: expect.any(String) },
  })
})

describe('a deployment that has started keeps its start, its set and its base', () => {
  const byRest = { [annotations.createdBy]: 'ana', [annotations.triggeredBy]: 'ana' }
  const rejected = async () => {
    throw new ApiError(422, 'Invalid', 'spec.type: not allowed')
  }
  const endEnvironment = () => {
    put.all()
    put.environment({ deletionTimestamp: '2026-02-01T00:00:01Z', finalizers: ['test'] })
  }
  const addDelta = () => {
    put.all()
    const shared = [{ op: 'replace' as const, path: '/unknown/class', value: 'large' }]
    const spec = { applicationName: 'shop', shared }
    cluster.put(DeploymentDelta, newObject(DeploymentDelta, { namespace, name: 'one' }, spec))
    cluster.drop(DeploymentSet, namespace, 'shop.one')
    put.set('shop.base')
  }
  const withoutDefinition = () => {
    put.environment()
    put.set()
  }

  test.each<[string, () => void, string, typeof Waiting | typeof Stalled, object?]>([
    ['waits for a definition', withoutDefinition, 'NoMatchingDefinition', Waiting],
    ['has no definition over REST', withoutDefinition, 'NoMatchingDefinition', Stalled, { marks: byRest }],
    ['has lost its set', put.environment, 'SetNotFound', Stalled, { settleSeconds: 1 }],
    ['has lost its set and time', put.environment, 'DeadlineExceeded', Stalled, { timeoutSeconds: 60 }],
    ['has another delta', addDelta, 'IncompatibleDelta', Waiting, { own: { deltaName: 'one' } }],
    ['is in an environment that ends', endEnvironment, 'EnvironmentDeleted', Stalled],
    [
      'reports what is rejected',
      put.all,
      'Rejected',
      Stalled,
      { changes: { report: rejected }, recorded: { setName: 'shop.earlier' } },
    ],
    ['writes what is rejected', put.all, 'Rejected', Stalled, { changes: { create: rejected } }],
  ])('when it %s', async (_, prepare, reason, expected, given = {}) => {
    const { timeoutSeconds = long, settleSeconds, changes, marks, own, recorded } = given as StartedCase
    prepare()
    put.deployment('shop.dev.1')
    const finished = { ...ready, setName: 'shop.base', finishTime: '2026-01-01T00:00:00Z' }
    cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', finished)
    put.deployment('shop.dev.2', { annotations: marks ?? {} }, own)
    const status = {
      fromDeploymentName: 'shop.dev.1',
      setName: 'shop.one',
      plan: { create: 1, update: 0, replace: 0, retain: 0, unchanged: 0 },
      startTime: '2026-02-01T00:00:00Z',
    }
    cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.2', { ...status, ...recorded })
    const started = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.2')
    const result = started && (await resultOf(started, timeoutSeconds, { ...changes, settleSeconds }))
    expect(result).toBeInstanceOf(expected)
    expect(result).toMatchObject({ observed: { ...status, problems: [{ reason }] } })
  })
})

test('a deployment whose environment ends while it starts keeps its start', async () => {
  put.all()
  const deployment = put.deployment('shop.dev.1')
  recordAsPlanned(deployment)
  const report: Context['report'] = async (status) => {
    cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', status)
    put.environment({ deletionTimestamp: '2026-02-01T00:00:01Z', finalizers: ['test'] })
    recordAsPlanned(deployment)
  }
  const result = await controllerWith(long)
    .reconcile(deployment, silentContext({ report }))
    .catch((error: unknown) => error)
  const reported = cluster.store.get(EnvironmentDeployment, namespace, 'shop.dev.1')?.status
  expect(reported).toMatchObject({ startTime: expect.any(String), setName: 'shop.one' })
  expect(result).toMatchObject({ reason: 'EnvironmentDeleted', observed: reported })
})

interface StartedCase {
  readonly recorded?: object
  readonly timeoutSeconds?: number
  readonly settleSeconds?: number
  readonly changes?: Changes
  readonly marks?: Record<string, string>
  readonly own?: Partial<EnvironmentDeployment['spec']>
}

test('a deployment that tries an unchanged resource again says as before why its definition was chosen', async () => {
  put.all()
  await resultOf(put.deployment('shop.dev.1'), long)
  const finishTime = new Date().toISOString()
  cluster.setStatus(EnvironmentDeployment, namespace, 'shop.dev.1', {
    ...ready,
    setName: 'shop.one',
    finishTime,
  })
  const [{ spec } = {}] = cluster.store.list(ActiveResource, namespace)
  expect(spec?.definition.explanation).toContain('files')
  let written: unknown
  await resultOf(put.deployment('shop.dev.2'), long, {
    async replaceSpec(_kind, _resource, after) {
      written = after
      throw new Error('the rest does not matter')
    },
  })
  expect(written).toEqual({ ...spec, deploymentName: 'shop.dev.2', signature: expect.any(String) })
})

test('a set that the cleanup deletes before the environment records it is created again', async () => {
  put.all()
  const content = cluster.store.get(DeploymentSet, namespace, 'shop.one')?.spec
  await resultOf(put.deployment(), long, {
    report: async () => cluster.drop(DeploymentSet, namespace, 'shop.one'),
  })
  expect(cluster.store.get(DeploymentSet, namespace, 'shop.one')?.spec).toEqual(content)
})

test('the start of a deployment is over when its resources are written', async () => {
  put.all()
  const result = resultOf(put.deployment(), long)
  await starts.over(namespace)
  expect(cluster.store.list(ActiveResource, namespace)).toHaveLength(1)
  await result
})
