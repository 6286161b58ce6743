import { setTimeout } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Workload } from '../../../operator/api/workload.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { workloadDescriptor } from '../../../operator/drivers/workload/descriptor.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { definition, driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createRandom } from '../../support/random.ts'
import { scoreDocument } from '../../support/scores.ts'
import { anyDeath } from '../support/deaths.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

const namespace = 'acme'
const names = ['aa', 'bb', 'cc'] as const
const stores = ['one', 'two'] as const

type Name = (typeof names)[number]
type Operation =
  | {
      readonly kind: 'apply'
      readonly name: Name
      readonly image: number
      readonly store: (typeof stores)[number] | undefined
    }
  | { readonly kind: 'delete'; readonly name: Name }
  | { readonly kind: 'deltaAdds'; readonly module: string }

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('apply' as const),
      name: fc.constantFrom(...names),
      image: fc.integer({ min: 1, max: 2 }),
      store: fc.constantFrom(undefined, ...stores),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), name: fc.constantFrom(...names) }),
  },
  fc.record({ kind: fc.constant('deltaAdds' as const), module: fc.constantFrom('own-one', 'own-two') }),
)
const death = anyDeath({ min: 1, max: 25 })
/** Operations at the same moment, and when the operator that is started then dies; without one, the operator runs on. */
const step = fc.record({
  operations: fc.array(operation, { minLength: 1, maxLength: 5 }),
  restart: fc.boolean(),
  death,
})

/** What the objects that exist say: the model of the set. */
class Model {
  readonly workloads = new Map<Name, object>()
  readonly own = new Set<string>()
  readonly world: OperatorWorld
  #deltas = 0

  constructor(world: OperatorWorld) {
    this.world = world
  }

  apply(each: Operation): void {
    const { fake } = this.world
    if (each.kind === 'deltaAdds') return this.#addByDelta(each.module)
    const name = `shop.${each.name}`
    const known = fake.store.get(Workload, namespace, name)
    if (each.kind === 'delete') {
      this.workloads.delete(each.name)
      if (known) void fake.remove(Workload, known)
      return
    }
    // A Workload that is being deleted takes no change; kubectl would not bring it back either.
    if (known?.metadata.deletionTimestamp) return
    const score = scoreOf(each.name, each.image, each.store)
    this.workloads.set(each.name, score)
    const spec = { applicationName: 'shop', environmentIds: ['dev'], score: { ...score } }
    if (!known) return void fake.put(Workload, newObject(Workload, { namespace, name }, spec))
    const generation = (known.metadata.generation ?? 1) + 1
    fake.put(Workload, { ...known, metadata: { ...known.metadata, generation }, spec })
  }

  #addByDelta(module: string): void {
    this.#deltas += 1
    const add = {
      [module]: { profile: 'quartermaster/default-module', spec: { delta: this.#deltas }, externals: {} },
    }
    this.deploy(`delta-${this.#deltas}`, { modules: { add } })
    this.own.add(module)
  }

  /** Deploys a delta; over REST, a deployment that cannot be planned fails at once. */
  deploy(name: string, delta: Pick<DeploymentDelta['spec'], 'modules' | 'shared'>, isOverRest = false): void {
    const { fake } = this.world
    const spec = { applicationName: 'shop', ...delta }
    fake.put(DeploymentDelta, newObject(DeploymentDelta, { namespace, name }, spec))
    const marks = { [annotations.createdBy]: 'ana', [annotations.triggeredBy]: 'ana' }
    const metadata = {
      namespace,
      name,
      finalizers: [finalizer],
      creationTimestamp: new Date().toISOString(),
      ...(isOverRest ? { annotations: marks } : {}),
    }
    const deployment = { environmentName: 'shop.dev', deltaName: name }
    fake.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, deployment))
  }

  /** The deployed set is deleted, and is there again a moment later, when the promise resolves. */
  async loseSet(): Promise<void> {
    const { fake } = this.world
    const { setName = '' } = this.world.environment()?.status?.lastPlanned ?? {}
    const set = fake.store.get(DeploymentSet, namespace, setName)
    if (!set) return
    fake.drop(DeploymentSet, namespace, setName)
    await setTimeout(restoredAfterMs)
    if (!fake.store.get(DeploymentSet, namespace, setName)) fake.put(DeploymentSet, set)
  }

  /** The modules of Workloads, and the shared dependencies, that are wanted. */
  wanted() {
    const contents = [...this.workloads.values()].map((document) => convertScore({ document }))
    return {
      modules: Object.fromEntries(contents.map(({ id, module }) => [id, module])),
      shared: Object.assign({}, ...contents.map(({ shared }) => shared)) as object,
    }
  }

  /** The same parts of the set that is deployed, and the ids of the other modules. */
  deployed() {
    const { fake } = this.world
    const { setName = '' } = this.world.environment()?.status?.lastPlanned ?? {}
    const { modules = {}, shared = {} } = fake.store.get(DeploymentSet, namespace, setName)?.spec ?? {}
    const isOwn = (id: string) => id.startsWith('own-')
    return {
      modules: Object.fromEntries(Object.entries(modules).filter(([id]) => !isOwn(id))),
      shared,
      own: Object.keys(modules).filter(isOwn).sort(),
    }
  }

  deployments() {
    return this.world.fake.store.list(EnvironmentDeployment, namespace)
  }

  /** Deployments of Workloads so far. */
  count(): number {
    return this.deployments().filter(({ spec }) => spec.workloads !== undefined).length
  }

  isSettled(): boolean {
    const objects = this.world.fake.store.list(Workload, namespace)
    const { own, ...folded } = this.deployed()
    return (
      this.deployments().every(isFinished) &&
      objects.length === this.workloads.size &&
      objects.every(isReady) &&
      own.length === this.own.size &&
      JSON.stringify(sorted(folded)) === JSON.stringify(sorted(this.wanted()))
    )
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return entries.map(([key, each]) => [key, sorted(each)])
}

function scoreOf(name: string, image: number, store: string | undefined) {
  const needs = store === undefined ? {} : { resources: { files: { type: 's3', id: store } } }
  return { ...scoreDocument({ image: `web:${image}` }, needs), metadata: { name } }
}

const maker: Driver = {
  descriptor: driver('maker'),
  provision: async () => ({ outputs: { values: { name: 'x' }, secrets: {} }, objects: [] }),
  async deprovision() {},
}

/** Makes nothing in place of the objects of a module. */
const renderer: Driver = { ...maker, descriptor: workloadDescriptor }

function worldWithDefinitions(latencyMs?: () => number): OperatorWorld {
  const world = createOperatorWorld([maker, renderer], { latencyMs })
  for (const id of stores)
    world.fake.put(
      ResourceDefinition,
      definition(id, 's3', { driverType: 'quartermaster/maker', criteria: [{ resId: `shared.${id}` }] }),
    )
  return world
}

test('changes at one moment are one deployment, no change is none, and the set is the fold of the Workloads, wherever the operator dies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const world = worldWithDefinitions()
      const model = new Model(world)
      world.start()
      try {
        for (const { operations, restart, death: end } of steps) {
          const before = { count: model.count(), wanted: JSON.stringify(sorted(model.wanted())) }
          if (restart) world.start(end)
          for (const each of operations) model.apply(each)
          await world.until(() => model.isSettled())
          const isChanged = before.wanted !== JSON.stringify(sorted(model.wanted()))
          // A deployment too many would begin after the settling time.
          await setTimeout(40)
          expect(model.count() - before.count).toBe(isChanged ? 1 : 0)
          expect(model.isSettled()).toBe(true)
        }
      } finally {
        world.close()
      }
    }),
    { numRuns: casesOf(200) },
  )
})

/** Operations a moment after the last ones, while deployments may be under way. */
const moment = fc.record({ operation, pauseMs: fc.integer({ min: 0, max: 60 }) })
const restoredAfterMs = 100
const answerMs = { least: 4, more: 8 }

test('the set is the fold of the Workloads in the end, also when they change while deployments run, wherever the operator dies', async () => {
  const moments = fc.array(moment, { minLength: 2, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(moments, death, fc.integer(), async (all, end, seed) => {
      const random = createRandom(seed)
      const world = worldWithDefinitions(() => answerMs.least + random.below(answerMs.more))
      const model = new Model(world)
      world.start(end)
      try {
        for (const { operation: each, pauseMs } of all) {
          model.apply(each)
          await setTimeout(pauseMs)
        }
        await world.until(() => model.isSettled())
      } finally {
        world.close()
      }
    }),
    { numRuns: casesOf(200), endOnFailure: true },
  )
})

test('what a delta brings stays when a Workload is applied after it, or the delta is refused, wherever the operator dies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 60 }), death, fc.integer(), async (pauseMs, end, seed) => {
      const random = createRandom(seed)
      const world = worldWithDefinitions(() => answerMs.least + random.below(answerMs.more))
      const model = new Model(world)
      const find = (name: Name) => world.fake.store.get(Workload, namespace, `shop.${name}`)
      const isUp = (each: Workload | undefined) => each !== undefined && isReady(each)
      world.start(end)
      try {
        const module = { profile: 'quartermaster/default-module', spec: { delta: 1 }, externals: {} }
        const shared = [{ op: 'add' as const, path: '/one', value: { type: 's3' } }]
        model.deploy('delta', { modules: { add: { aa: module } }, shared }, true)
        await setTimeout(pauseMs)
        model.apply({ kind: 'apply', name: 'aa', image: 1, store: undefined })
        model.apply({ kind: 'apply', name: 'bb', image: 1, store: 'one' })
        await world.until(() => model.deployments().every(isFinished) && isUp(find('bb')))
        const byDelta = model.deployments().find(({ metadata }) => metadata.name === 'delta')
        const isDeployed = byDelta !== undefined && isReady(byDelta)
        // It was planned after the Workload was applied.
        if (!isDeployed)
          return expect(byDelta?.status?.problems).toMatchObject([{ reason: 'OwnedByWorkload' }])
        model.apply({ kind: 'delete', name: 'bb' })
        await world.until(() => model.deployments().every(isFinished) && !find('bb'))
        expect(model.deployed()).toMatchObject({ modules: { aa: module }, shared: { one: { type: 's3' } } })
      } finally {
        world.close()
      }
    }),
    { numRuns: casesOf(200), endOnFailure: true },
  )
})

test.each<[change: string, operation: Operation]>([
  ['changes', { kind: 'apply', name: 'aa', image: 1, store: undefined }],
  ['is deleted', { kind: 'delete', name: 'aa' }],
])(
  'a set that is missing for a moment is not taken for an empty one: a Workload %s',
  async (_, operation) => {
    const world = worldWithDefinitions()
    const model = new Model(world)
    world.start()
    try {
      model.apply({ kind: 'apply', name: 'aa', image: 1, store: 'one' })
      await world.until(() => model.isSettled())
      const restored = model.loseSet()
      model.apply(operation)
      await restored
      await world.until(() => model.isSettled())
    } finally {
      world.close()
    }
  },
)
