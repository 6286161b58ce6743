import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../operator/api/application.ts'
import { AutomationRule } from '../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../operator/api/deployment-set.ts'
import { Environment } from '../../operator/api/environment.ts'
import type { Kind } from '../../operator/api/kind.ts'
import { SharedValue } from '../../operator/api/shared-value.ts'
import { Webhook } from '../../operator/api/webhook.ts'
import { Workload } from '../../operator/api/workload.ts'
import { applicationController } from '../../operator/controllers/application.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../support/builders.ts'
import { grantedRights } from '../support/rights.ts'
import { silentContext } from './support/context.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
/** Kinds of the lists that were read from the API server. */
let lists: string[]

const application = storedObject(
  Application,
  { namespace, name: 'shop', deletionTimestamp: '2026-03-01T00:00:00Z' },
  {},
)

const specs: readonly [kind: Kind, spec: object][] = [
  [Workload, { score: {}, environmentIds: [] }],
  [Webhook, { url: 'https://shop.example.com', headers: {}, payload: {}, triggers: [] }],
  [SharedValue, { key: 'COLOUR', value: 'blue' }],
  [AutomationRule, { environmentId: 'development' }],
  [DeploymentDelta, {}],
  [DeploymentSet, { modules: {}, shared: {} }],
]

function put(kind: Kind, spec: object, applicationName: string): void {
  const name = `${applicationName}.one`
  cluster.put<Kind>(kind, storedObject(kind, { namespace, name }, { ...spec, applicationName } as never)) // of the kind
}

const namesOf = (kind: Kind) => cluster.store.list(kind, namespace).map(({ metadata }) => metadata.name)

/** A cluster whose cache does not contain the objects of some kinds yet. */
function lagging(...kinds: readonly Kind[]) {
  const { store } = cluster
  const byIndex: typeof store.byIndex = (kind, ...of) =>
    kinds.includes(kind) ? [] : store.byIndex(kind, ...of)
  const readNames: typeof cluster.readNames = (kind, ...of) => {
    lists.push(kind.kind)
    return cluster.readNames(kind, ...of)
  }
  return { ...cluster, store: { ...store, byIndex }, readNames }
}

const finalize = async (...hidden: readonly Kind[]) =>
  applicationController(lagging(...hidden)).finalize?.(application, silentContext())

beforeEach(() => {
  cluster.reset()
  lists = []
})

const rightsOf = (identity: 'operator' | 'gateway') =>
  grantedRights(identity, [`charts/quartermaster/files/${identity}-role.yaml`]).map(
    ({ verb, resource }) => `${verb} ${resource}`,
  )

describe('an application that is deleted', () => {
  describe.each(specs.map(([kind, spec]) => ({ name: kind.kind, kind, spec })))('takes each $name', (row) => {
    test.each([
      ['of the cache', []],
      ['that the cache does not contain yet', [row.kind]],
    ])('%s, and none of another application', async (_, hidden) => {
      for (const each of ['shop', 'blog']) put(row.kind, row.spec, each)
      await finalize(...hidden)
      expect(namesOf(row.kind)).toEqual(['blog.one'])
    })
  })

  test.each([[Environment, { typeName: 'development' }] as const, ...specs])(
    'keeps what was created since its deletion, when a later one has its name: $kind',
    async (kind, spec) => {
      const metadata = { namespace, name: 'shop.one', creationTimestamp: '2026-03-01T00:00:05Z' }
      const all = { ...spec, applicationName: 'shop' } as never // of the kind
      cluster.put<Kind>(kind, storedObject(kind, metadata, all))
      cluster.put(Application, storedObject(Application, { namespace, name: 'shop', uid: 'later' }, {}))
      await expect(finalize()).rejects.toMatchObject({ reason: 'Conflict' })
      expect(namesOf(kind)).toEqual(['shop.one'])
    },
  )

  test('reads no Workload that ends already, whose finalizer another tool may keep', async () => {
    const [kind, spec] = specs.find(([each]) => each.kind === 'Workload') ?? []
    if (!kind) throw new Error('there is none')
    const going = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['example.com/hold'] }
    const metadata = { namespace, name: 'shop.web', ...going }
    cluster.put<Kind>(kind, storedObject(kind, metadata, { ...spec, applicationName: 'shop' } as never)) // of the kind
    cluster.failNext('read Workload', new Error('it is read'))
    await finalize()
    expect(namesOf(kind)).toEqual(['shop.web'])
  })

  test.each(specs.map(([kind]) => [kind.plural]))(
    'may be released: the operator reads and deletes %s',
    (plural) => {
      for (const verb of ['get', 'list', 'delete'])
        expect(rightsOf('operator')).toContain(`${verb} ${plural}`)
    },
  )

  test.each(['automationrules', 'deploymentdeltas', 'environments', 'sharedvalues', 'webhooks'])(
    'leaves nothing: the gateway can withdraw %s',
    (plural) => expect(rightsOf('gateway')).toContain(`delete ${plural}`),
  )

  test('waits for an environment that the cache does not contain yet, with its content', async () => {
    put(Environment, { typeName: 'development' }, 'shop')
    put(SharedValue, { key: 'COLOUR', value: 'blue' }, 'shop')
    await expect(finalize(Environment, SharedValue)).rejects.toMatchObject({
      reason: 'EnvironmentsRemain',
      retryAfterSeconds: 1,
    })
    expect(namesOf(SharedValue)).toEqual(['shop.one'])
  })

  test('lists each kind once, however many objects it has', async () => {
    for (let index = 0; index < 50; index += 1)
      cluster.put(
        DeploymentDelta,
        storedObject(DeploymentDelta, { namespace, name: `d${index}` }, { applicationName: 'shop' }),
      )
    await finalize()
    expect(lists.toSorted()).toEqual(
      [Environment, ...specs.map(([kind]) => kind)].map(({ kind }) => kind).toSorted(),
    )
  })

  test('lists nothing while its environments remain', async () => {
    put(Environment, { typeName: 'development' }, 'shop')
    await expect(finalize()).rejects.toMatchObject({ reason: 'EnvironmentsRemain' })
    expect(lists).toEqual([])
  })
})
