import { expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { WorkloadPods } from '../../../operator/controllers/rollout/workload-pods.ts'
import { rolloutOf } from '../../../operator/domain/rendering/rollout.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { activeResource, driver, storedObject } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createWorld, type World } from '../support/world.ts'

/** Makes a Deployment with the number of pods and the image of the module. */
const renderer: Driver = {
  descriptor: driver('renderer'),
  async provision({ params }) {
    const { replicas, image } = params as { replicas: number; image: string }
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } }
    const metadata = { name: 'web' }
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas, template } }
    return { outputs: { values: {}, secrets: {} }, objects: [object] }
  },
  async deprovision() {},
}

/** A cluster without pods that have problems. */
const pods = { await: async () => [], forget() {}, onEnqueue() {}, stop() {} } as unknown as WorkloadPods // its public part

type Event =
  | { readonly what: 'settings'; readonly settings: Partial<Environment['spec']> }
  | { readonly what: 'module'; readonly params: { readonly replicas: number; readonly image: string } }
  | { readonly what: 'scaled by another client'; readonly replicas: number }
  | { readonly what: 'reconcile'; readonly conflicts: readonly boolean[] }
  | { readonly what: 'observed' | 'rolled out' | 'restart' }

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    what: fc.constant('settings' as const),
    settings: fc.oneof(
      fc.record({ paused: fc.boolean() }),
      fc.nat(4).map((web) => ({ replicas: { web } })),
      fc
        .constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')
        .map((web) => ({ restartTimes: { web } })),
      fc.constant({}),
    ),
  }),
  fc.record({
    what: fc.constant('module' as const),
    params: fc.record({ replicas: fc.nat(3), image: fc.constantFrom('web:1', 'web:2') }),
  }),
  fc.record({ what: fc.constant('scaled by another client' as const), replicas: fc.nat(4) }),
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('reconcile' as const),
      conflicts: fc.array(fc.boolean(), { maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.constantFrom({ what: 'observed' as const }, { what: 'rolled out' as const }) },
  fc.constant({ what: 'restart' as const }),
)

/** The status of a Deployment, as far as it matters here. */
interface Counts {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly availableReplicas?: number
}

function workload(params: FreeForm = { replicas: 2, image: 'web:1' }): ActiveResource {
  return activeResource(
    { type: 'workload', resourceId: 'modules.web' },
    { definition: { definitionName: 'workload', driverType: 'quartermaster/renderer' }, params },
  )
}

class Story {
  readonly world: World = createWorld([renderer], {
    rollouts: { pods, policy: 'wait', schedulingSeconds: 30, serverNow: Date.now },
  })
  #generation = 1
  #params: FreeForm | undefined
  /** Whether another client changed the Deployment, and the operator has not answered to that. */
  #isForeign = false
  #conflicts: boolean[] = []

  constructor() {
    this.#deploy({ replicas: 2, image: 'web:1' })
    this.#put({})
    const { world } = this
    world.objects.before = () => this.check()
    world.beforeStatus = () => {
      this.check()
      if (this.#conflicts.shift()) throw new ApiError(409, 'Conflict', 'modified')
    }
  }

  get deployment() {
    return this.world.objects.get('Deployment', 'web')
  }

  /** How many pods the Deployment asks for. */
  get replicas(): unknown {
    return (this.deployment?.spec as { replicas?: unknown } | undefined)?.replicas
  }

  get resource() {
    return this.world.now(workload())
  }

  /** The law: a ready workload is rolled out at the generation of its Deployment. */
  check(): void {
    const { deployment: object, resource } = this
    if (this.#isForeign || !object || !resource || !isReady(resource)) return
    const rollout = rolloutOf({ object, pods: [], now: 0, schedulingSeconds: 30 })
    expect(rollout).toEqual({ state: 'complete' })
  }

  async play(given: Event): Promise<void> {
    if (given.what === 'settings') this.#put(given.settings)
    else if (given.what === 'module') this.#deploy(given.params)
    else if (given.what === 'reconcile') await this.reconcile(given.conflicts)
    else if (given.what === 'restart') this.world.restart()
    else if (given.what === 'scaled by another client') this.#scale(given.replicas)
    else this.#observe(given.what === 'rolled out')
    this.check()
  }

  async reconcile(conflicts: readonly boolean[] = []): Promise<void> {
    this.#conflicts = [...conflicts]
    const error = await this.world.reconcile(workload()).catch((refused: unknown) => refused)
    this.#conflicts = []
    if (!(error instanceof ApiError)) this.#isForeign = false
  }

  /** Reconciles and rolls out until nothing changes. */
  async end(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.play({ what: 'reconcile', conflicts: [] })
      await this.play({ what: 'rolled out' })
    }
    await this.reconcile()
  }

  #deploy(params: FreeForm): void {
    const { status } = this.resource ?? {}
    const fresh = workload(params)
    if (JSON.stringify(params) !== JSON.stringify(this.#params)) this.#generation += 1
    this.#params = params
    this.world.put({ ...fresh, metadata: { ...fresh.metadata, generation: this.#generation }, status })
  }

  #put(settings: Partial<Environment['spec']>): void {
    const spec = { applicationName: 'shop', typeName: 'development', ...settings }
    this.world.cluster.put(Environment, storedObject(Environment, { name: 'shop.dev' }, spec))
  }

  #scale(replicas: number): void {
    const { deployment } = this
    if (!deployment) return
    this.#isForeign = true
    this.world.objects.put({ ...deployment, spec: { ...(deployment.spec as object), replicas } })
  }

  /** What the controller of Deployments writes. */
  #observe(isComplete: boolean): void {
    const { deployment } = this
    if (!deployment) return
    const { replicas } = deployment.spec as { replicas: number }
    const before = (deployment.status ?? {}) as Counts
    // Without a new generation, only the counts of pods grow.
    if (!isComplete && before.observedGeneration === deployment.metadata.generation) return
    const counts = isComplete
      ? { replicas, updatedReplicas: replicas, availableReplicas: replicas }
      : {
          replicas: before.replicas ?? 0,
          updatedReplicas: 0,
          availableReplicas: before.availableReplicas ?? 0,
        }
    this.world.objects.touchStatus('Deployment', 'web', {
      observedGeneration: deployment.metadata.generation,
      conditions: [{ type: 'Available', status: 'True' }],
      ...counts,
    })
  }
}

test('a workload that is ready is rolled out at the generation of its object, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 14 }), async (events) => {
      const story = new Story()
      for (const each of events) await story.play(each)
      await story.end()
      const { resource } = story
      expect(resource && isReady(resource)).toBe(true)
      const settings = story.world.cluster.store.get(Environment, 'acme', 'shop.dev')?.spec
      const own = settings?.replicas?.['web'] ?? resource?.spec.params?.replicas
      const wanted = settings?.paused ? 0 : own
      expect(story.replicas).toBe(wanted)
    }),
    { numRuns: casesOf(2000) },
  )
})

test('a change whose status could not be written is undone with the wish for it', async () => {
  const story = new Story()
  const scaleTo = (web?: number) =>
    story.play({ what: 'settings', settings: web === undefined ? {} : { replicas: { web } } })
  await story.end()
  await scaleTo(3)
  await story.play({ what: 'reconcile', conflicts: [] })
  await scaleTo(4)
  // The rollout has not ended, so the status is written after the object alone.
  await story.play({ what: 'reconcile', conflicts: [true] })
  expect(story.replicas).toBe(4)
  await scaleTo(3)
  await story.end()
  expect(story.replicas).toBe(3)
})
