import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { watchesOf } from '../../../operator/controllers/active-resource/watches.ts'
import { restartAnnotation } from '../../../operator/domain/rendering/run-settings.ts'
import type { Driver, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { ready } from '../../api-gateway/support/objects.ts'
import { activeResource, driver, storedObject } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createWorld, type World } from '../support/world.ts'

const requests: ProvisionRequest[] = []

/** Makes a Deployment with as many pods as the module says. */
const renderer: Driver = {
  descriptor: driver('renderer'),
  async provision(request) {
    requests.push(request)
    const { replicas, image } = request.params as { replicas?: number; image: string }
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } }
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas, template },
    }
    return { outputs: { values: {}, secrets: {} }, objects: [deployment] }
  },
  async deprovision() {},
}

let world: World

const named = activeResource(
  { type: 's3', resourceId: 'shared.db' },
  { definition: { definitionName: 's3', driverType: 'quartermaster/renderer' } },
)

function workload(
  params: { readonly replicas?: number; readonly image?: string } = {},
  dependsOn: string[] = [],
): ActiveResource {
  return activeResource(
    { type: 'workload', resourceId: 'modules.web' },
    {
      dependsOn,
      definition: { definitionName: 'workload', driverType: 'quartermaster/renderer' },
      params: { image: 'web:1', deploy: { success: 'deploy' }, ...params },
    },
  )
}

function putEnvironment(spec: Partial<Environment['spec']> = {}): void {
  const required = { applicationName: 'shop', typeName: 'development' }
  world.cluster.put(Environment, storedObject(Environment, { name: 'shop.dev' }, { ...required, ...spec }))
}

const specOf = () =>
  world.objects.get('Deployment', 'web')?.spec as
    | {
        replicas?: number
        template: { metadata: { annotations?: Record<string, string> }; spec: { containers: object[] } }
      }
    | undefined

beforeEach(() => {
  world = createWorld([renderer])
  requests.length = 0
})

interface State {
  readonly settings: Partial<Environment['spec']>
  readonly module: { readonly replicas?: number; readonly image: string }
}

const operation: fc.Arbitrary<(state: State) => State | 'restart'> = fc.oneof(
  fc.boolean().map((paused) => (state: State) => ({ ...state, settings: { ...state.settings, paused } })),
  fc.option(fc.nat(5), { nil: undefined }).map((web) => (state: State) => ({
    ...state,
    settings: { ...state.settings, replicas: (web === undefined ? {} : { web }) as Record<string, number> },
  })),
  fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z').map((web) => (state: State) => ({
    ...state,
    settings: { ...state.settings, restartTimes: { web } },
  })),
  fc
    .record({
      replicas: fc.option(fc.nat(3), { nil: undefined }),
      image: fc.constantFrom('web:1', 'web:2'),
    })
    .map((module) => (state: State) => ({ ...state, module })),
  fc.constant(() => 'restart' as const),
)

describe('what an environment says about the pods of a workload', () => {
  test('holds after any order of changes, deployments and restarts of the operator, and a second look writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
        world = createWorld([renderer])
        let state: State = { settings: {}, module: { image: 'web:1' } }
        putEnvironment()
        world.put(workload())
        for (const each of operations) {
          const next = each(state)
          if (next === 'restart') world.restart()
          else {
            state = next
            putEnvironment(state.settings)
            const resource = workload(state.module)
            const { status } = world.now(resource) ?? {}
            world.put({ ...resource, status })
          }
          expect(await world.reconcile(workload())).toBeUndefined()
          const { paused, replicas, restartTimes } = state.settings
          const own = replicas?.['web'] ?? state.module.replicas
          expect(specOf()?.replicas).toBe(paused ? 0 : own)
          expect(specOf()?.template.metadata.annotations).toEqual(
            restartTimes?.['web'] ? { [restartAnnotation]: restartTimes['web'] } : undefined,
          )
          expect(specOf()?.template.spec.containers).toMatchObject([{ image: state.module.image }])
          const before = world.log.filter((entry) => entry.startsWith('apply')).length
          await world.reconcile(workload())
          expect(world.log.filter((entry) => entry.startsWith('apply'))).toHaveLength(before)
        }
      }),
      { numRuns: casesOf(300) },
    )
  })

  test('is no concern of drivers', async () => {
    putEnvironment({ paused: true, replicas: { web: 3 } })
    await world.reconcile(world.put(workload()))
    expect(requests).toHaveLength(1)
    expect(JSON.stringify(requests)).not.toContain('paused')
  })

  test('does not change what other resources are made of', async () => {
    putEnvironment({ paused: true })
    const other = world.put(
      activeResource(
        { type: 's3', resourceId: 'shared.files' },
        {
          definition: { definitionName: 's3', driverType: 'quartermaster/renderer' },
          params: { image: 'web:1', replicas: 2 },
        },
      ),
    )
    await world.reconcile(other)
    expect(specOf()?.replicas).toBe(2)
  })

  test('costs nothing where an environment says nothing: the inputs have the hash of before', async () => {
    const resource = world.put(workload())
    await world.reconcile(resource) // without the environment
    const { inputsHash } = world.statusOf(resource)
    putEnvironment()
    await world.reconcile(resource)
    expect(world.statusOf(resource).inputsHash).toBe(inputsHash)
    expect(requests).toHaveLength(1)
  })
})

interface Wish {
  readonly paused?: boolean
  readonly replicas?: number
  readonly restart?: string
}

/** Settings as users change them, and whether the database is there; `restart` is one of the operator. */
const wishes = fc.oneof(
  fc.record<Wish>({
    paused: fc.boolean(),
    replicas: fc.option(fc.nat(5), { nil: undefined }),
    restart: fc.constantFrom(undefined, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
  }),
  fc.constantFrom('database', 'no database', 'restart'),
)

/** The spec of an environment with a wish. */
function specBy({ paused, replicas, restart }: Wish): Partial<Environment['spec']> {
  return {
    paused,
    ...(replicas === undefined ? {} : { replicas: { web: replicas } }),
    ...(restart === undefined ? {} : { restartTimes: { web: restart } }),
  }
}

describe('while a dependency is missing, what an environment says about existing pods', () => {
  /** Expects a reconcile that ends as the presence of the database says, and pods as the wish does. */
  async function expectHeld(given: ActiveResource, wish: Wish, isThere: boolean, own: number | undefined) {
    const number = isThere ? own : specOf()?.replicas
    const error = await world.reconcile(given)
    if (isThere) expect(error).toBeUndefined()
    else expect(error).toMatchObject({ reason: 'DependencyNotReady' })
    const { replicas, template } = specOf() ?? {}
    expect(replicas).toBe(wish.paused ? 0 : (wish.replicas ?? number))
    const time = template?.metadata.annotations?.[restartAnnotation]
    if (isThere || wish.restart !== undefined) expect(time).toBe(wish.restart)
    expect(template?.spec.containers).toEqual([{ name: 'main', image: 'web:1' }])
  }

  test('holds too, and what it no longer says ends with the next provision', async () => {
    const database = { ...named, status: ready as ActiveResource['status'] }
    let waits = 0
    await fc.assert(
      fc.asyncProperty(fc.option(fc.nat(3), { nil: undefined }), fc.array(wishes), async (own, all) => {
        world = createWorld([renderer])
        world.put(database)
        putEnvironment()
        const given = world.put(workload({ replicas: own }, [database.metadata.name]))
        await expectHeld(given, {}, true, own)
        let [isThere, wish]: [boolean, Wish] = [true, {}]
        for (const each of all) {
          if (each === 'restart') world.restart()
          else if (each === 'database') world.put(database)
          else if (each === 'no database') world.cluster.drop(ActiveResource, 'acme', database.metadata.name)
          else wish = each
          isThere = world.now(database) !== undefined
          if (!isThere) waits++
          putEnvironment(specBy(wish))
          await expectHeld(given, wish, isThere, own)
          const applies = () => world.log.filter((entry) => entry.startsWith('apply')).length
          const before = applies()
          await world.reconcile(given)
          expect(applies()).toBe(before)
        }
      }),
      { numRuns: casesOf(300) },
    )
    expect(waits).toBeGreaterThan(50)
  })
})

describe('a change of an environment enqueues', () => {
  function enqueuedBy(change: () => void): string[] {
    const enqueued: string[] = []
    for (const each of watchesOf(world.tools as Parameters<typeof watchesOf>[0]))
      each.subscribe((keys) => enqueued.push(...keys))
    change()
    return enqueued
  }
  const other = activeResource({ type: 'workload', resourceId: 'modules.other' })
  const database = activeResource({ type: 'postgres', resourceId: 'modules.web.externals.db' })
  const keysOf = (...resources: ActiveResource[]) => resources.map(({ metadata }) => `acme/${metadata.name}`)

  beforeEach(() => {
    putEnvironment()
    for (const each of [workload(), other, database]) world.put(each)
  })

  test.each<[rule: string, spec: Partial<Environment['spec']>, expected: ActiveResource[]]>([
    ['all workloads when it is paused', { paused: true }, [workload(), other]],
    ['the workload whose number of pods changes', { replicas: { web: 2 } }, [workload()]],
    ['the workload that is restarted', { restartTimes: { other: '2026-01-01T00:00:00Z' } }, [other]],
    ['nothing for another change', { displayName: 'Dev', paused: false }, []],
  ])('%s', (_, spec, expected) => {
    expect(enqueuedBy(() => putEnvironment(spec)).sort()).toEqual(keysOf(...expected).sort())
  })
})
