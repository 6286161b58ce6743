import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { argoHealth, healthScript } from '../../gitops/argo-cd.ts'
import { documentedObjects } from '../../gitops/documented.ts'
import { gitOpsCheck } from '../../gitops/flux/gitops-check.ts'
import { type Health, healthOf } from '../../gitops/kstatus.ts'
import { anyObject } from '../../gitops/objects.ts'
import { fc } from '../../support/properties.ts'
import { conditionStatus } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { pathOfObject } from './gitops-tool.ts'

const cluster = sharedCluster()
const organization = `flux-${randomBytes(4).toString('hex')}`
const inside = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization}`

/** The result of one pass of a Kustomization. */
interface SyncReport {
  readonly actions: Readonly<Record<string, string>>
  readonly inventory: readonly object[]
  readonly failure: string
}

/** A Kustomization with `wait` and `prune`, run by Flux's own libraries. */
function kustomization(name: string) {
  let inventory: readonly object[] = []
  return {
    async sync(objects: readonly KubeObject[], timeoutSeconds = 90): Promise<SyncReport> {
      const request = {
        kubeconfig: cluster.kubeconfigPath,
        kustomization: `${organization}-${name}`,
        objects,
        inventory,
        timeoutSeconds,
      }
      const report = await gitOpsCheck<SyncReport>('sync', request)
      ;({ inventory } = report)
      return report
    },
  }
}

const list = async (plural: string) =>
  (await apiCall<{ items: KubeObject[] }>(cluster.access, 'GET', `${inside}/${plural}`)).items
const everything = async () => (await Promise.all(kinds.map(({ plural }) => list(plural)))).flat()
const get = (object: KubeObject) => apiCall<KubeObject>(cluster.access, 'GET', pathOfObject(object))
const versions = async () =>
  Object.fromEntries((await everything()).map((each) => [pathOfObject(each), each.metadata.resourceVersion]))

/** The actions of a pass that are not `action`, by object. */
const actionsBut = (report: SyncReport, ...actions: readonly string[]) =>
  Object.entries(report.actions).filter(([, action]) => !actions.includes(action))

interface Result {
  readonly kstatus: Health
  readonly argoCD: string
  /** The result of the script for Argo CD. */
  readonly message?: string
}
const resultsOf = (objects: readonly KubeObject[]) =>
  gitOpsCheck<Result[]>('health', { script: healthScript, objects })
const expected = (objects: readonly KubeObject[]): Result[] =>
  objects.map((object) => ({ kstatus: healthOf(object), argoCD: argoHealth[healthOf(object)] }))

beforeAll(() => resultsOf([]), 900_000) // builds the program

describe('the health of objects', () => {
  test('kstatus, the engine of Argo CD and our rule agree in any state', async () => {
    const objects = fc.sample(anyObject, 2000)
    expect(await resultsOf(objects)).toMatchObject(expected(objects))
  })

  test('the files for Flux hold the fields of its kinds and no others', async () => {
    const objects = [...documentedObjects('flux').values()].flat()
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'GitRepository',
      'Kustomization',
      'Kustomization',
    ])
    expect(await gitOpsCheck('decode', { objects })).toEqual({ decoded: objects.length })
  })
})

describe('the documented repository, applied as kustomize-controller does', () => {
  const files = documentedObjects('repository', organization)
  const under = (folder: string) =>
    [...files].flatMap(([file, objects]) => (file.startsWith(folder) ? objects : []))
  const platform = under('platform/')
  const shop = under('shop/')
  const isRun = ({ kind }: KubeObject) => kind === 'EnvironmentDeployment' || kind === 'DeploymentDelta'
  const platformSync = kustomization('platform')
  const shopSync = kustomization('shop')

  test('is unhealthy, and not failed, until everything that a release needs exists', async () => {
    expect((await platformSync.sync(platform)).failure).toBe('')
    const { failure } = await shopSync.sync(shop, 12)
    expect(failure).toContain(`EnvironmentDeployment/${organization}/shop.staging.1-0 status: 'InProgress'`)
    expect(failure).not.toContain('Failed')
  })

  test('is healthy when it is ready', async () => {
    await apiCall(cluster.access, 'POST', `/api/v1/namespaces/${organization}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'postgres-login' },
      stringData: { username: 'shop', password: 'canary' },
    })
    expect((await shopSync.sync(shop)).failure).toBe('')
    const applied = await Promise.all([...platform, ...shop].map(get))
    const unready = applied.filter((each) => 'status' in each && conditionStatus(each, 'Ready') === 'False')
    expect(unready).toEqual([])
    expect(await resultsOf(applied)).toMatchObject(
      applied.map(() => ({ kstatus: 'Current', argoCD: 'Healthy' })),
    )
  })

  test('a pass without a commit writes nothing', async () => {
    const before = await versions()
    const reports = [await platformSync.sync(platform), await shopSync.sync(shop)]
    for (const report of reports) expect([actionsBut(report, 'unchanged'), report.failure]).toEqual([[], ''])
    expect(await versions()).toEqual(before)
  })

  test('changes during a suspension are reverted at the resumption, and deleted objects are created again', async () => {
    const [redis, value] = [platform, shop].map((objects) =>
      objects.find(({ metadata }) => metadata.name === 'redis' || metadata.name === 'log-level'),
    ) as [KubeObject, KubeObject] // both are in the repository
    const patch = { spec: { driverInputs: { values: { host: 'by-hand', port: 6379 } } } }
    const path = `${pathOfObject(redis)}?fieldManager=kubectl-edit`
    await apiCall(cluster.access, 'PATCH', path, patch, 'application/merge-patch+json')
    await apiCall(cluster.access, 'DELETE', pathOfObject(value))
    await eventually('the end of the value', 30_000, async () => {
      const { status } = await apiRequest(cluster.access, 'GET', pathOfObject(value))
      return status === 404 || undefined
    })
    const reports = [await platformSync.sync(platform), await shopSync.sync(shop)]
    expect(reports.map((each) => actionsBut(each, 'unchanged'))).toEqual([
      [[`ResourceDefinition/${organization}/redis`, 'configured']],
      [[`SharedValue/${organization}/log-level`, 'created']],
    ])
    expect(reports.map(({ failure }) => failure)).toEqual(['', ''])
    expect((await get(redis)).spec).toEqual(redis.spec)
  })

  test('a broken definition fails the pass, which recovers when it is removed', async () => {
    const redis = platform.find(({ metadata }) => metadata.name === 'redis') as KubeObject // in the repository
    const rival = { ...redis, metadata: { ...redis.metadata, name: 'rival' } }
    const broken = await platformSync.sync([...platform, rival])
    expect(broken.failure).toContain(`ResourceDefinition/${organization}/rival status: 'Failed'`)
    const stalled = await get(rival)
    const message = "DuplicateCriterion: definition 'redis' already has the criterion {}"
    expect(await resultsOf([stalled])).toEqual([{ kstatus: 'Failed', argoCD: 'Degraded', message }])
    const corrected = await platformSync.sync(platform)
    expect(actionsBut(corrected, 'unchanged')).toEqual([
      [`ResourceDefinition/${organization}/rival`, 'deleted'],
    ])
    expect(corrected.failure).toBe('')
  })

  test('a renamed deployment runs under its new name, and the old one is pruned', async () => {
    const renamed = shop.map((each) =>
      each.kind === 'EnvironmentDeployment'
        ? { ...each, metadata: { ...each.metadata, name: 'shop.staging.1-0-again' } }
        : each,
    )
    const report = await shopSync.sync(renamed)
    expect([actionsBut(report, 'unchanged'), report.failure]).toEqual([
      expect.arrayContaining([
        [`EnvironmentDeployment/${organization}/shop.staging.1-0`, 'deleted'],
        [`EnvironmentDeployment/${organization}/shop.staging.1-0-again`, 'created'],
      ]),
      '',
    ])
    const runs = await list('environmentdeployments')
    expect(runs.map((each) => [each.metadata.name, conditionStatus(each, 'AlreadyRan')])).toEqual([
      ['shop.staging.1-0-again', undefined],
    ])
  })

  test('pruning definitions before their users ends, and keeps the application and its environment', async () => {
    const definitionless = platform.filter(({ kind }) => kind !== 'ResourceDefinition')
    expect((await platformSync.sync(definitionless)).failure).toBe('')
    const report = await shopSync.sync([])
    expect(report.failure).toBe('')
    expect(Object.fromEntries(actionsBut(report, 'deleted'))).toEqual({
      [`Application/${organization}/shop`]: 'skipped',
      [`Environment/${organization}/shop.staging`]: 'skipped',
    })
    await eventually('the end of all that is pruned', 60_000, async () => {
      const left = (await everything()).filter((each) => each.kind === 'ResourceDefinition' || isRun(each))
      if (left.length > 0) throw new Error(left.map(pathOfObject).join())
      return true
    })
  })
})
