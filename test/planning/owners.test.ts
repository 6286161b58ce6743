// What a thousand Workloads ask for is made once. Law: after any changes, it is what would be made anew.
import { beforeEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Environment } from '../../operator/api/environment.ts'
import { ResourceType } from '../../operator/api/resource-type.ts'
import { Workload } from '../../operator/api/workload.ts'
import { compareText } from '../../operator/domain/base/json.ts'
import { type SetContent, setId } from '../../operator/domain/delta/delta.ts'
import { foldWorkloads } from '../../operator/domain/workload/fold-workloads.ts'
import type { Owner } from '../../operator/domain/workload/ownership.ts'
import { silentLog } from '../../operator/log.ts'
import { ownersIn, workloadContent } from '../../operator/planning/owners.ts'
import { createPlanning } from '../../operator/planning/planning.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { scoreDocument } from '../support/scores.ts'

const namespace = 'acme'
const cluster = createFakeCluster()
const { store } = cluster
const planning = createPlanning(store, { catalogue: [], vendors: [], log: silentLog })
const environmentIds = ['dev', 'live']
const nothing: SetContent = { modules: {}, shared: {} }
const bases: readonly SetContent[] = [
  nothing,
  { modules: { web: { spec: {} } }, shared: { db: { type: 'acme/cache' } } },
]

const index = fc.nat({ max: 1 })
const place = fc.constantFrom(...environmentIds)
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      index,
      type: fc.boolean(),
      all: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      index,
      place,
      isOld: fc.nat({ max: 3 }).map((each) => each === 0),
      owns: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant('end' as const), index, place }),
  fc.record({ kind: fc.constant('delete' as const), index }),
  fc.record({ kind: fc.constant('drop' as const), index }),
  fc.record({ kind: fc.constant('base' as const), index: fc.nat({ max: 1 }) }),
  fc.record({ kind: fc.constant('label' as const), place, isLabelled: fc.boolean() }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('type' as const), isThere: fc.boolean() }) },
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Two Workloads that run in both environments and need the same dependency. */
const first = [0, 1].flatMap((at) => [
  { kind: 'write' as const, index: at, type: true, all: true },
  ...environmentIds.map((id) => ({
    kind: 'record' as const,
    index: at,
    place: id,
    isOld: false,
    owns: true,
  })),
])

const names = ['api', 'web'].map((id) => `shop.${id}`)
const nameOf = (at: number) => names[at] ?? ''
const found = (at: number) => store.get(Workload, namespace, nameOf(at))

function write(at: number, spec: Partial<Workload['spec']>, more: object = {}): void {
  const known = found(at)
  const status = known?.status ? { status: known.status } : {}
  const full = { applicationName: 'shop', score: {}, ...known?.spec, ...spec }
  cluster.put(Workload, {
    apiVersion: 'quartermaster.dev/v1alpha1',
    kind: 'Workload',
    metadata: { ...known?.metadata, name: nameOf(at), namespace, deletionTimestamp: undefined, ...more },
    spec: full,
    ...status,
  } as never)
}

function apply(each: Exclude<Change, { kind: 'base' }>): void {
  if (each.kind === 'label') {
    const metadata = {
      namespace,
      name: `shop.${each.place}`,
      labels: { stage: each.isLabelled ? 'on' : 'off' },
    }
    cluster.put(Environment, newEnvironment(metadata))
    return
  }
  if (each.kind === 'type') return applyType(each.isThere)
  const known = found(each.index)
  if (each.kind === 'write') {
    const id = nameOf(each.index).slice('shop.'.length)
    const resources = { db: { type: each.type ? 'cache' : 'queue', id: 'db' } }
    const score = { ...scoreDocument({ image: 'web:1' }), metadata: { name: id }, resources }
    const environmentSelector = { matchLabels: { stage: 'on' } }
    return write(
      each.index,
      each.all
        ? { score, environmentIds, environmentSelector }
        : { score, environmentIds: [], environmentSelector },
    )
  }
  if (!known) return
  if (each.kind === 'drop') return cluster.drop(Workload, namespace, nameOf(each.index))
  if (each.kind === 'delete') return write(each.index, {}, { deletionTimestamp: '2026-02-01T00:00:00Z' })
  const others = (known.status?.environments ?? []).filter(
    ({ environmentId }) => environmentId !== each.place,
  )
  if (each.kind === 'end')
    return cluster.setStatus(Workload, namespace, nameOf(each.index), { environments: others })
  const said = workloadContent(known, each.place)
  const contentHash = each.isOld || 'problem' in said ? 'old' : said.hash
  const sharedIds = each.owns ? { sharedIds: ['db'] } : {}
  const entry = { environmentId: each.place, state: 'succeeded', contentHash, ...sharedIds }
  cluster.setStatus(Workload, namespace, nameOf(each.index), { environments: [...others, entry] })
}

function newEnvironment(metadata: object): never {
  const spec = { applicationName: 'shop', typeName: 'development' }
  return { apiVersion: 'quartermaster.dev/v1alpha1', kind: 'Environment', metadata, spec } as never
}

function byName(owners: readonly Owner[]): Owner[] {
  return [...owners].sort((left, right) => compareText(left.workloadName, right.workloadName))
}

/** With this type, `cache` means `acme/cache`, which the second base has. */
function applyType(isThere: boolean): void {
  const isKnown = store.get(ResourceType, namespace, 'cache') !== undefined
  if (isThere === isKnown) return
  if (!isThere) return cluster.drop(ResourceType, namespace, 'cache')
  cluster.put(ResourceType, {
    apiVersion: 'quartermaster.dev/v1alpha1',
    kind: 'ResourceType',
    metadata: { namespace, name: 'cache' },
    spec: { use: 'direct' },
  } as never)
}

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
})

test('what Workloads own and fold is always what their objects say now', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), (changes) => {
      cluster.reset()
      cluster.addOrganization(namespace)
      for (const id of environmentIds)
        cluster.put(Environment, newEnvironment({ namespace, name: `shop.${id}` }))
      for (const each of first) apply(each)
      let base = bases[1] ?? nothing
      for (const each of changes) {
        if (each.kind === 'base') base = bases[each.index] ?? nothing
        else apply(each)
        for (const id of environmentIds) {
          const environment = store.get(Environment, namespace, `shop.${id}`)
          if (!environment) throw new Error('no environment')
          const owners = ownersIn(store, environment)
          expect(byName(planning.ownersIn(environment))).toEqual(byName(owners))
          const anew = foldWorkloads(base, owners, (type) => planning.expandType(namespace, type))
          const folded = planning.foldInto(environment, base)
          expect([folded.set, folded.conflicts, folded.id()]).toEqual([
            anew.set,
            anew.conflicts,
            setId(anew.set),
          ])
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('what nothing changed is not made again', () => {
  apply({ kind: 'label', place: 'dev', isLabelled: true })
  for (const each of first) apply(each)
  const environment = store.get(Environment, namespace, 'shop.dev')
  if (!environment) throw new Error('no environment')
  const folded = planning.foldInto(environment, nothing)
  const known = found(0)?.status?.environments?.map((each) => ({ ...each, state: 'failed' }))
  cluster.setStatus(Workload, namespace, nameOf(0), { environments: known })
  expect(planning.foldInto(environment, nothing)).toBe(folded)
})
