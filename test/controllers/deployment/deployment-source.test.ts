import { beforeEach, describe, expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { Kind } from '../../../operator/api/kind.ts'
import { resolveSource } from '../../../operator/controllers/deployment/deployment-source.ts'
import { type SetContent, setId } from '../../../operator/domain/delta/delta.ts'
import { runHash } from '../../../operator/domain/deployment/deployment-history.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { silentLog } from '../../../operator/log.ts'
import { createPlanning } from '../../../operator/planning/planning.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../../support/builders.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const tools = {
  cluster,
  planning: createPlanning(cluster.store, { catalogue: [], vendors: [], log: silentLog }),
}
const web = { profile: 'p', spec: {} }
const base = 'shop.old.7'
const add = { modules: { add: { web } } }

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  cluster.put(
    DeploymentDelta,
    storedObject(DeploymentDelta, { namespace, name: 'd1' }, { applicationName: 'shop', ...add }),
  )
})

/** The modules that a new deployment of the delta is about. */
async function modulesOf(environment: object, deployment: object, status: object = {}, used = tools) {
  const common = { applicationName: 'shop', typeName: 'development' }
  const plain = storedObject(Environment, { namespace, name: 'shop.dev' }, { ...common, ...environment })
  const target = { ...plain, status } as Environment // as the operator writes it
  const spec = { environmentName: 'shop.dev', deltaName: 'd1', ...deployment }
  const wanted = storedObject(EnvironmentDeployment, { namespace, name: 'shop.dev.1' }, spec)
  return Object.keys((await resolveSource(used, wanted, target)).set.modules).sort()
}

const lacksSets: Store['get'] = (kind, ...place) =>
  kind.kind === 'DeploymentSet' ? undefined : cluster.store.get(kind, ...place)

function addBase(status: object = { setName: 'shop.before' }) {
  const set = { applicationName: 'shop', modules: { api: web }, shared: {} }
  cluster.put(DeploymentSet, storedObject(DeploymentSet, { namespace, name: 'shop.before' }, set))
  const spec = { environmentName: 'shop.old', deltaName: 'd0' }
  cluster.put(EnvironmentDeployment, storedObject(EnvironmentDeployment, { namespace, name: base }, spec))
  cluster.setStatus(EnvironmentDeployment, namespace, base, status)
}

test('the first deployment of a delta starts from nothing', async () => {
  expect(await modulesOf({}, {})).toEqual(['web'])
})

test.each<[string, object, object]>([
  ['it names', {}, { fromDeploymentName: base }],
  ['its environment starts from', { fromDeploymentName: base }, {}],
])(
  'a deployment builds on the one that %s, and waits while that has no set',
  async (_, environment, spec) => {
    const waits = { reason: 'BaseNotFound' }
    await expect(modulesOf(environment, spec)).rejects.toMatchObject(waits)
    addBase({})
    await expect(modulesOf(environment, spec)).rejects.toMatchObject(waits)
    addBase()
    expect(await modulesOf(environment, spec)).toEqual(['api', 'web'])
  },
)

test.each<[string, object]>([
  ['builds on', { fromDeploymentName: base }],
  ['names', { setName: 'shop.before' }],
])('a deployment reads the set that it %s while the cache lacks it', async (_, spec) => {
  addBase()
  const behind = { ...cluster.store, get: lacksSets } as Store // everything but `get` is that of the store
  const lagging = { ...tools, cluster: { ...cluster, store: behind } }
  expect(await modulesOf({}, spec, {}, lagging)).toContain('api')
})

test('a deployment of a set needs none to build on', async () => {
  addBase()
  expect(await modulesOf({ fromDeploymentName: 'shop.gone.1' }, { setName: 'shop.before' })).toEqual(['api'])
})

test.each<[string, Kind, object, string]>([
  ['set', DeploymentSet, { setName: 'other' }, "the deployment set 'other' of the application 'shop'"],
  ['delta', DeploymentDelta, { deltaName: 'other' }, "the delta 'other' of the application 'shop'"],
])(
  'a deployment waits for its %s while that is one of another application',
  async (_, kind, spec, message) => {
    const put = (applicationName: string) => {
      const content = kind === DeploymentSet ? { modules: {}, shared: {} } : {}
      cluster.put(kind, storedObject(kind, { namespace, name: 'other' }, { applicationName, ...content }))
    }
    put('stock')
    await expect(modulesOf({}, spec)).rejects.toMatchObject({ message })
    cluster.drop(kind, namespace, 'other')
    put('shop')
    expect(await modulesOf({}, spec)).toEqual([])
  },
)

describe('a deployment of a set that was computed from a base', () => {
  const lastPlanned = { deploymentName: 'shop.dev.0', hash: '0'.repeat(16), setName: 'shop.before' }
  const onBase = { setName: 'shop.before', fromDeploymentName: 'shop.dev.0', failIfBaseChanged: true }
  const onNothing = { setName: 'shop.before', failIfBaseChanged: true }
  const another = { ...lastPlanned, deploymentName: 'shop.dev.by-git' }
  beforeEach(() => addBase())

  test.each<[situation: string, spec: object, environment: object, status: object]>([
    ['that is the base', onBase, {}, { lastPlanned }],
    ['which is none, for the first deployment', onNothing, {}, {}],
    [
      'from which the environment starts',
      { ...onBase, fromDeploymentName: base },
      { fromDeploymentName: base },
      {},
    ],
    [
      'that is another one, if it does not ask',
      { ...onBase, failIfBaseChanged: false },
      {},
      { lastPlanned: another },
    ],
  ])('is planned on one %s', async (_, spec, environment, status) => {
    expect(await modulesOf(environment, spec, status)).toEqual(['api'])
  })

  test.each<[situation: string, spec: object, environment: object, status: object]>([
    ['another deployment was planned since', onBase, {}, { lastPlanned: another }],
    ['a first deployment was planned since', onNothing, {}, { lastPlanned }],
    ['the environment starts from another one since', onBase, { fromDeploymentName: base }, { lastPlanned }],
  ])('fails when %s', async (_, spec, environment, status) => {
    await expect(modulesOf(environment, spec, status)).rejects.toMatchObject({ reason: 'BaseChanged' })
  })

  test('names the sets when it fails, and does not say that a start was planned', async () => {
    const failed = await modulesOf({ fromDeploymentName: base }, onBase, { lastPlanned }).catch(String)
    expect(failed).toEqual(expect.stringMatching(`'shop.dev.0'.*'${base}'`))
    expect(failed).not.toContain('planned')
  })

  test('continues after a crash when it was planned itself', async () => {
    const wanted = storedObject(
      EnvironmentDeployment,
      { namespace, name: 'shop.dev.1' },
      { environmentName: 'shop.dev', deltaName: 'd1', ...onBase },
    )
    const own = { deploymentName: 'shop.dev.1', hash: runHash(wanted), setName: 'shop.before' }
    expect(await modulesOf({}, onBase, { lastPlanned: own })).toEqual(['api'])
  })
})

describe('an environment that remembers the set planned last', () => {
  const lastPlanned = { deploymentName: 'shop.dev.0', hash: '0'.repeat(16), setName: 'shop.before' }

  test('has the next delta applied to that, whether or not the deployment still exists', async () => {
    addBase({})
    expect(await modulesOf({}, {}, { lastPlanned })).toEqual(['api', 'web'])
    expect(await modulesOf({}, { fromDeploymentName: 'shop.dev.0' }, { lastPlanned })).toEqual(['api', 'web'])
  })

  test('never plans a deployment on an empty base when the set is deleted', async () => {
    await expect(modulesOf({}, {}, { lastPlanned })).rejects.toMatchObject({ reason: 'SetNotFound' })
  })

  const environmentFromTime = '2026-01-02T00:00:00Z'
  const fromRequest = { deploymentName: base, time: environmentFromTime }
  const another = { ...fromRequest, deploymentName: 'shop.dev.5' }
  const used = { environmentFromName: base }
  test.each<[rule: string, spec: object, used: object, expected: string[]]>([
    ['has it applied to its start content, once', {}, {}, ['api', 'web']],
    ['does not start from that again', {}, used, ['web']],
    ['starts from that again if it is requested at a later time', { fromRequest }, used, ['api', 'web']],
    [
      'does not start from that twice for one request',
      { fromRequest },
      { ...used, environmentFromTime },
      ['web'],
    ],
    ['does not start from that again without a request', {}, { ...used, environmentFromTime }, ['web']],
    ['does not start from that again for a request of another', { fromRequest: another }, used, ['web']],
  ])('%s', async (_, spec, used, expected) => {
    addBase()
    const empty = { applicationName: 'shop', modules: {}, shared: {} }
    cluster.put(DeploymentSet, storedObject(DeploymentSet, { namespace, name: 'shop.empty' }, empty))
    const status = { lastPlanned: { ...lastPlanned, setName: 'shop.empty', ...used } }
    expect(await modulesOf({ fromDeploymentName: base, ...spec }, {}, status)).toEqual(expected)
  })

  test('lets one that was deleted on its way go on with the same set', async () => {
    addBase()
    const again = { environmentName: 'shop.dev', deltaName: 'd1' }
    const hash = runHash(storedObject(EnvironmentDeployment, { namespace, name: 'shop.dev.1' }, again))
    expect(await modulesOf({}, {}, { lastPlanned: { ...lastPlanned, hash } })).toEqual(['api'])
  })
})

/** The source of a deployment with this status; `planned` is its set as the environment records it. */
function sourceOf(status: object, planned?: object, start: object = {}) {
  const common = { applicationName: 'shop', typeName: 'development' }
  const plain = storedObject(Environment, { namespace, name: 'shop.dev' }, { ...common, ...start })
  const spec = { environmentName: 'shop.dev', deltaName: 'd1' }
  const wanted = storedObject(EnvironmentDeployment, { namespace, name: 'shop.dev.1' }, spec)
  const lastPlanned = planned && { deploymentName: 'shop.dev.1', hash: runHash(wanted), ...planned }
  const environment = { ...plain, status: { lastPlanned } } as Environment // as the operator writes it
  return resolveSource(tools, { ...wanted, status } as EnvironmentDeployment, environment)
}

describe('a deployment whose status has a set, and that has not started', () => {
  const attempted = { setName: 'shop.before' }
  beforeEach(() => addBase())

  test('deploys its delta as it is now', async () => {
    expect(Object.keys((await sourceOf(attempted)).set.modules)).toEqual(['web'])
  })

  test('builds on what its environment starts from now', async () => {
    const status = { ...attempted, fromDeploymentName: 'shop.gone.1' }
    const source = await sourceOf(status, undefined, { fromDeploymentName: base })
    expect(source).toMatchObject({ fromDeploymentName: base, environmentFromName: base })
  })

  test('continues with its set when the environment records that it was planned', async () => {
    expect(await sourceOf(attempted, attempted)).toMatchObject(attempted)
  })
})

describe('a deployment that has started', () => {
  const startTime = '2026-01-01T00:00:00Z'
  const nameOf = (modules: object) => `shop.${setId({ modules, shared: {} } as SetContent)}`
  const module = { ...web, externals: {} }

  test('makes its set again when that was deleted, and does not build on itself', async () => {
    const setName = nameOf({ web: module })
    const source = await sourceOf({ startTime, setName }, { setName })
    expect(source).toMatchObject({ setName, fromDeploymentName: undefined })
    expect(cluster.store.get(DeploymentSet, namespace, setName)?.spec.modules).toEqual({ web: module })
  })

  test('makes it again from the base that it had', async () => {
    addBase()
    const setName = nameOf({ api: { ...web, externals: {} }, web: module })
    const source = await sourceOf({ startTime, setName, fromDeploymentName: base }, { setName })
    expect(source).toMatchObject({ setName, fromDeploymentName: base })
  })

  test('uses up the start that it began with, not one that is asked for later', async () => {
    const setName = nameOf({ web: module })
    const fromRequest = { deploymentName: base, time: '2026-01-02T00:00:00Z' }
    const start = { fromDeploymentName: base, fromRequest }
    const used = { environmentFromName: base, environmentFromTime: startTime }
    expect(await sourceOf({ startTime, setName, ...used }, { setName }, start)).toMatchObject(used)
    const none = { environmentFromName: undefined, environmentFromTime: undefined }
    expect(await sourceOf({ startTime, setName }, { setName }, start)).toMatchObject(none)
  })

  test('has no other set in its place when its delta has changed', async () => {
    const setName = nameOf({ other: module })
    const result = sourceOf({ startTime, setName }, { setName })
    await expect(result).rejects.toMatchObject({ reason: 'SetNotFound' })
  })
})
