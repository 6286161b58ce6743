// Law: when what a Workload has in its environments becomes another, the Workload is looked at. Not each is at each change.
import { expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { Workload } from '../../../operator/api/workload.ts'
import { RefusedDeployments } from '../../../operator/controllers/workload/refused-deployments.ts'
import { findIn } from '../../../operator/controllers/workload/workload-environment.ts'
import { createResourcesById } from '../../../operator/controllers/workload/workload-status.ts'
import { workloadWatches } from '../../../operator/controllers/workload/workload-watches.ts'
import { emptySet, type SetContent } from '../../../operator/domain/delta/delta.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { silentLog } from '../../../operator/log.ts'
import { workloadContent } from '../../../operator/planning/owners.ts'
import { createPlanning } from '../../../operator/planning/planning.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { scoreDocument } from '../../support/scores.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const { store } = cluster
const refusals = new RefusedDeployments()
const tools = {
  store,
  refusals,
  planning: createPlanning(store, { catalogue: [], vendors: [], log: silentLog }),
  serverNow: Date.now,
  resourcesIn: createResourcesById(store),
}
const enqueued = new Set<string>()
for (const each of workloadWatches(tools))
  each.subscribe((keys) => {
    for (const key of keys) enqueued.add(key)
  })

const environmentIds = ['dev', 'live', 'test']
const place = fc.constantFrom(...environmentIds)
const change = fc.oneof(
  fc.record({
    does: fc.constant('environment' as const),
    place,
    isLabelled: fc.boolean(),
    isStarted: fc.boolean(),
  }),
  fc.record({ does: fc.constant('condition' as const), place, text: fc.constantFrom('a', 'b') }),
  fc.record({ does: fc.constant('plan' as const), place, number: fc.nat({ max: 1 }), isWhole: fc.boolean() }),
  fc.record({ does: fc.constant('gone' as const), place }),
  fc.record({
    does: fc.constant('deployment' as const),
    place,
    number: fc.nat({ max: 1 }),
    end: fc.constantFrom(undefined, 'Ready', 'Stalled'),
  }),
  fc.record({ does: fc.constant('forget' as const), place, number: fc.nat({ max: 1 }) }),
  fc.record({ does: fc.constant('resource' as const), place, isReady: fc.boolean(), isShared: fc.boolean() }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Three Workloads: by id, by label, and one that left `test`. */
function addWorkloads(): void {
  const matchLabels = { stage: 'on' }
  const specs = {
    api: { environmentIds: ['dev'] },
    web: { environmentSelector: { matchLabels } },
    old: { environmentIds: ['live'] },
  }
  for (const [id, spec] of Object.entries(specs)) {
    const resources = { db: { type: 'postgres', id: 'db' } }
    const score = { ...scoreDocument({ image: 'web:1' }), metadata: { name: id }, resources }
    const metadata = { namespace, name: `shop.${id}` }
    const made = cluster.put(
      Workload,
      newObject(Workload, metadata, { applicationName: 'shop', score, ...spec }),
    )
    const said = workloadContent(made, 'dev')
    if ('problem' in said) throw new Error(said.problem)
    const entry = { state: 'pending' as const, contentHash: said.hash, sharedIds: ['db'] }
    const environments = (id === 'old' ? ['live', 'test'] : ['dev']).map((environmentId) => ({
      environmentId,
      ...entry,
    }))
    cluster.setStatus(Workload, namespace, `shop.${id}`, { environments })
  }
}

type Of<D extends Change['does']> = Extract<Change, { does: D }>

const nameOf = (each: { readonly place: string }) => `shop.${each.place}`
const known = (each: { readonly place: string }) => store.get(Environment, namespace, nameOf(each))

const acts: { readonly [D in Change['does']]: (each: Of<D>) => void } = {
  environment(each) {
    const labels = { stage: each.isLabelled ? 'on' : 'off' }
    const start = each.isStarted && each.place !== 'dev' ? { fromDeploymentName: 'shop.dev.0' } : {}
    const spec = { applicationName: 'shop', typeName: 'development', ...start }
    const before = known(each)
    const uid = before ? { uid: before.metadata.uid } : {}
    const made = newObject(Environment, { namespace, name: nameOf(each), labels, ...uid }, spec)
    cluster.put(Environment, { ...made, status: before?.status } as never)
  },
  gone(each) {
    if (known(each)) cluster.drop(Environment, namespace, nameOf(each))
  },
  condition(each) {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Reconciled', message: each.text }]
    addStatus(each, { conditions })
  },
  plan(each) {
    const { number, isWhole } = each
    const deploymentName = `${nameOf(each)}.${number}`
    addStatus(each, {
      lastPlanned: { deploymentName, hash: `h${number}`, setName: isWhole ? 'whole' : 'empty' },
    })
  },
  deployment(each) {
    const name = `${nameOf(each)}.${each.number}`
    const source = each.number === 0 ? { workloads: 'some' } : { deltaName: 'd' }
    const spec = { environmentName: nameOf(each), ...source }
    if (!store.get(EnvironmentDeployment, namespace, name))
      cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, { namespace, name }, spec))
    const end = { type: each.end, status: 'True', reason: 'Some', message: each.end }
    const status = each.end ? { conditions: [end], setName: 'whole' } : { conditions: [] }
    cluster.setStatus(EnvironmentDeployment, namespace, name, status)
  },
  forget(each) {
    const name = `${nameOf(each)}.${each.number}`
    if (store.get(EnvironmentDeployment, namespace, name))
      cluster.drop(EnvironmentDeployment, namespace, name)
  },
  resource(each) {
    const resourceId = each.isShared ? 'shared.db' : 'modules.api'
    const type = each.isShared ? 'postgres' : 'workload'
    const metadata = { name: `${each.place}-${type}` }
    const made = activeResource({ type, resourceId }, { environmentName: nameOf(each) }, metadata)
    cluster.put(ActiveResource, made)
    const conditions = each.isReady ? [{ type: 'Ready', status: 'True' }] : []
    cluster.setStatus(ActiveResource, namespace, made.metadata.name, { conditions })
  },
}

function addStatus(each: { readonly place: string }, part: object): void {
  const environment = known(each)
  if (environment) cluster.setStatus(Environment, namespace, nameOf(each), { ...environment.status, ...part })
}

function apply<D extends Change['does']>(each: Of<D>): void {
  acts[each.does as D](each) // the act for it
}

/** What is found of each Workload, by its key. */
function observed(): Map<string, string> {
  return new Map(
    store.list(Workload, namespace).map((workload) => {
      const found = store.list(Environment, namespace).map((environment) => {
        const { entry, problem } = findIn(environment, workload, tools)
        return entry || problem ? [environment.metadata.name, entry, String(problem)] : undefined
      })
      return [keyOf(workload), JSON.stringify(found.filter((each) => each !== undefined))]
    }),
  )
}

/** What is kept of the resources of each environment is what would be made anew. */
function expectCurrentResources(): void {
  for (const id of environmentIds) {
    const key = `${namespace}/shop.${id}`
    const anew = Map.groupBy(store.byIndex(ActiveResource, 'environment', key), ({ spec }) => spec.resourceId)
    expect(tools.resourcesIn(key)).toEqual(anew)
  }
}

test('a Workload is looked at when what it has in an environment becomes another', () => {
  let spared = 0
  fc.assert(
    fc.property(fc.array(change, { minLength: 5, maxLength: 40 }), (changes) => {
      cluster.reset()
      cluster.addOrganization(namespace)
      addWorkloads()
      const [workload] = store.list(Workload, namespace)
      const said = workload && workloadContent(workload, 'dev')
      if (!said || 'problem' in said) throw new Error('no content')
      const { id, module, shared } = said.content
      const sets: Record<string, SetContent> = {
        empty: emptySet,
        whole: { modules: { [id]: module, web: {} }, shared },
      }
      for (const [name, set] of Object.entries(sets))
        cluster.put(
          DeploymentSet,
          newObject(DeploymentSet, { namespace, name }, { applicationName: 'shop', ...set }),
        )
      const seen = observed()
      for (const each of changes) {
        enqueued.clear()
        apply(each)
        expectCurrentResources()
        const now = observed()
        for (const key of enqueued) seen.set(key, now.get(key) ?? '')
        const stale = [...now].filter(([key, value]) => seen.get(key) !== value)
        // A deployment reports its resources when it ends.
        const isDeploying = store.list(EnvironmentDeployment, namespace).some((one) => !isFinished(one))
        if (!isDeploying) expect([each, stale]).toEqual([each, []])
        spared += now.size - enqueued.size
      }
    }),
    { numRuns: casesOf(500) },
  )
  expect(spared).toBeGreaterThan(0)
})
