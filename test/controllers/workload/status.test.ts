import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { mostEnvironments, Workload, type WorkloadEnvironment } from '../../../operator/api/workload.ts'
import { withinRoom } from '../../../operator/controllers/workload/recorded-environments.ts'
import { RefusedDeployments } from '../../../operator/controllers/workload/refused-deployments.ts'
import { workloadController } from '../../../operator/controllers/workload/workload.ts'
import {
  createResourcesById,
  progressOf,
  resourcesOf,
} from '../../../operator/controllers/workload/workload-status.ts'
import { emptySet, type SetContent, setId } from '../../../operator/domain/delta/delta.ts'
import type { DeploymentState } from '../../../operator/domain/deployment/deployment.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { silentLog } from '../../../operator/log.ts'
import { workloadContent } from '../../../operator/planning/owners.ts'
import { createPlanning, type Planning } from '../../../operator/planning/planning.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, storedObject } from '../../support/builders.ts'
import { scoreDocument } from '../../support/scores.ts'
import { silentContext } from '../support/context.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const environment = storedObject(
  Environment,
  { namespace, name: 'shop.dev' },
  { applicationName: 'shop', typeName: 'development' },
)
const content = convertScore({ document: scoreDocument({ image: 'web:1' }) })
const planning = createPlanning(cluster.store, { catalogue: [], vendors: [], log: silentLog })
const planningOf = (set: SetContent | undefined): Planning => ({ ...planning, deployedSet: () => set })
const failed = [{ type: 'Stalled', status: 'True', reason: 'NoMatchingDefinition', message: 'none matches' }]
const succeeded = [{ type: 'Ready', status: 'True', reason: 'Reconciled', message: '' }]

function addDeployment(number: number, spec: object, status: object): void {
  const name = `shop.dev.${number}`
  const metadata = { namespace, name, creationTimestamp: `2026-02-01T00:00:0${number}Z` }
  const own = { environmentName: 'shop.dev', ...spec }
  cluster.put(EnvironmentDeployment, storedObject(EnvironmentDeployment, metadata, own))
  cluster.setStatus(EnvironmentDeployment, namespace, name, status)
}

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  const set = { applicationName: 'shop', modules: { [content.id]: content.module }, shared: {} }
  cluster.put(DeploymentSet, storedObject(DeploymentSet, { namespace, name: 'shop.wanted' }, set))
  addDeployment(1, { workloads: 'hash' }, { setName: 'shop.wanted', conditions: failed })
})

describe('the status of a Workload with more environments than it has room for', () => {
  const idOf = (index: number) => `env-${String(index).padStart(4, '0')}`
  const found = Array.from({ length: mostEnvironments + 2 }, (_, index) => ({
    entry: { environmentId: idOf(index), state: 'pending' as const },
  }))
  const workloadWith = (environments: WorkloadEnvironment[]) =>
    ({ status: { environments } }) as Partial<Workload> as Workload // all that is asked for

  test.each<[rule: string, recorded: number[], omitted: number[]]>([
    ['lists the first ones', [], [mostEnvironments, mostEnvironments + 1]],
    ['keeps those that it lists', [mostEnvironments + 1], [mostEnvironments - 1, mostEnvironments]],
  ])('%s, and names the others', (_, recorded, omitted) => {
    const workload = workloadWith(recorded.map((index) => ({ environmentId: idOf(index), state: 'pending' })))
    const kept = withinRoom(found, workload)
    expect(kept.filter(({ entry }) => entry)).toHaveLength(mostEnvironments)
    for (const index of omitted)
      expect(kept[index]?.problem).toMatchObject({
        reason: 'TooManyEnvironments',
        message: expect.stringContaining(`'${idOf(index)}'`),
      })
  })

  test('leaves nothing out that has room', () => {
    const some = found.slice(0, mostEnvironments)
    expect(withinRoom(some, workloadWith([]))).toEqual(some)
  })
})

test.each<[situation: string, prepare: () => void, state: object]>([
  ['has failed when its deployment failed', () => {}, { state: 'failed', deploymentName: 'shop.dev.1' }],
  [
    'has failed still when a later deployment brought something else',
    () => addDeployment(2, { setName: 'shop.other' }, { setName: 'shop.other', conditions: succeeded }),
    { state: 'failed', deploymentName: 'shop.dev.1' },
  ],
  [
    'is pending when it is tried again',
    () => addDeployment(2, { workloads: 'hash' }, { setName: 'shop.wanted' }),
    { state: 'pending' },
  ],
  [
    'has failed when its deployment failed before it had a set',
    () => addDeployment(2, { workloads: setId(emptySet) }, { conditions: failed }),
    { state: 'failed', deploymentName: 'shop.dev.2' },
  ],
  [
    'is pending when another content failed before it had a set',
    () => addDeployment(2, { workloads: 'other' }, { conditions: failed }),
    { state: 'pending' },
  ],
])('a Workload %s', (_, prepare, expected) => {
  prepare()
  const entry = { environmentId: 'dev', state: 'pending' as const, contentHash: 'h' }
  const progress = progressOf(environment, content, entry, true, {
    store: cluster.store,
    planning: planningOf(emptySet),
  })
  expect(progress).toMatchObject(expected)
})

const deployedContent = { modules: { [content.id]: content.module }, shared: {} }
const followed = { environmentId: 'dev', contentHash: 'h', deploymentName: 'shop.dev.9' }

test.each<[situation: string, past: DeploymentState | undefined, known: object, expected: object]>([
  ['succeeded is deployed', 'succeeded', { state: 'pending' }, { state: 'succeeded' }],
  ['failed has failed', 'failed', { state: 'pending' }, { state: 'failed', message: 'it is deleted' }],
  [
    'failed has failed for the reason that is known',
    'failed',
    { state: 'failed', message: 'no room' },
    { state: 'failed', message: 'no room' },
  ],
  [
    'was running has failed',
    'in progress',
    { state: 'pending' },
    { state: 'failed', message: 'it was deleted before it ended' },
  ],
  ['is not recorded yet is in its former state', undefined, { state: 'pending' }, { state: 'pending' }],
  [
    'no history records is deployed',
    undefined,
    { state: 'pending', deploymentName: undefined },
    { state: 'succeeded' },
  ],
])('a Workload whose deployment is deleted and %s', (_, past, known, expected) => {
  const lastPlanned = { deploymentName: 'shop.dev.9', hash: 'h', setName: 'shop.wanted' }
  const pastDeployments = past ? [{ hash: 'h', state: past }] : []
  const entry = { ...followed, ...known } as WorkloadEnvironment // as the status records it
  const progress = progressOf(
    { ...environment, status: { lastPlanned, pastDeployments } },
    content,
    entry,
    true,
    {
      store: cluster.store,
      planning: planningOf(deployedContent),
    },
  )
  expect(progress).toMatchObject({ deploymentName: 'shop.dev.9', ...expected })
})

test('the status lists as many resources, and outputs of each, as its schema allows', () => {
  const names = Array.from({ length: 120 }, (_, index) => `r${index}`)
  const outputs = names.map((name) => `\${resources.r0.${name}}`).join(' ')
  const resources = Object.fromEntries(names.map((name) => [name, { type: 'redis' }]))
  const document = scoreDocument({ variables: { ALL: outputs } }, { resources })
  for (const name of names)
    cluster.put(
      ActiveResource,
      activeResource({ type: 'redis', resourceId: `modules.web.externals.${name}` }),
    )
  const listed =
    resourcesOf(environment, convertScore({ document }), createResourcesById(cluster.store)).resources ?? []
  expect(listed).toHaveLength(100)
  expect(listed.map((each) => each.outputs?.length ?? 0)).toContain(100)
})

describe('a Workload whose shared dependency loses its params', () => {
  const needing = (params?: object) =>
    convertScore({
      document: scoreDocument(
        {},
        { resources: { files: { type: 's3', id: 'files', ...(params ? { params } : {}) } } },
      ),
    })
  const [before, after] = [needing({ size: 1 }), needing()]
  const setOf = ({ id, module, shared }: typeof after) => ({ modules: { [id]: module }, shared })
  const entry = { environmentId: 'dev', state: 'pending' as const, contentHash: 'h', sharedIds: ['files'] }
  const progress = () =>
    progressOf(environment, after, entry, true, {
      store: cluster.store,
      planning: planningOf(setOf(before)),
    })

  test('is not deployed before its deployment', () => {
    expect(progress()).toEqual({ state: 'pending' })
  })

  test('has failed when its deployment failed', () => {
    const set = { applicationName: 'shop', ...setOf(after) }
    cluster.put(DeploymentSet, storedObject(DeploymentSet, { namespace, name: 'shop.after' }, set))
    addDeployment(2, { workloads: 'hash' }, { setName: 'shop.after', conditions: failed })
    expect(progress()).toMatchObject({ state: 'failed', deploymentName: 'shop.dev.2' })
  })

  test('has not failed when only the deployment before failed', () => {
    const set = { applicationName: 'shop', ...setOf(before) }
    cluster.put(DeploymentSet, storedObject(DeploymentSet, { namespace, name: 'shop.before' }, set))
    addDeployment(2, { workloads: 'hash' }, { setName: 'shop.before', conditions: failed })
    expect(progress()).toEqual({ state: 'pending' })
  })

  test('is deployed while another Workload needs them', () => {
    const score = scoreDocument(
      {},
      { resources: { files: { type: 's3', id: 'files', params: { size: 1 } } } },
    )
    const document = { ...score, metadata: { name: 'other' } }
    const spec = { applicationName: 'shop', environmentIds: ['dev'], score: document }
    const other = storedObject(Workload, { namespace, name: 'shop.other' }, spec)
    const said = workloadContent(other, 'dev')
    const contentHash = 'hash' in said ? said.hash : ''
    const environments = [{ environmentId: 'dev', state: 'succeeded', contentHash, sharedIds: ['files'] }]
    cluster.put(Workload, { ...other, status: { environments } } as Workload) // as its status holds it
    expect(progress()).toMatchObject({ state: 'succeeded' })
  })
})

test.each([
  [-60, 59_000, true],
  [-60, 61_000, false],
  [60, 59_000, true],
  [60, 61_000, false],
])(
  'with a clock that is %s minutes ahead, a Workload that is deleted since %s milliseconds waits for a missing set: %s',
  async (minutes, sinceMs, isWaiting) => {
    cluster.put(Environment, environment)
    const serverNow = () => Date.now() - minutes * 60_000
    const deletionTimestamp = new Date(serverNow() - sinceMs).toISOString()
    const score = scoreDocument({ image: 'web:1' })
    const metadata = { namespace, name: 'shop.web', deletionTimestamp }
    const deleted = storedObject(Workload, metadata, { applicationName: 'shop', score })
    const status = { environments: [{ environmentId: 'dev', state: 'succeeded' as const }] }
    const controller = workloadController({
      refusals: new RefusedDeployments(),
      store: cluster.store,
      planning: planningOf(undefined),
      serverNow,
    })
    const error = await controller
      .finalize?.({ ...deleted, status }, silentContext())
      .catch((thrown: unknown) => thrown)
    expect(error).toEqual(isWaiting ? expect.objectContaining({ reason: 'SetNotFound' }) : undefined)
  },
)
