import { expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import { createSecretReader } from '../../../operator/controllers/shared/secrets.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { environmentKeyOf } from '../../../operator/kube/cache/kinds-in-store.ts'
import { type LogFields, silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, driver, environmentOf } from '../../support/builders.ts'
import { silentContext } from '../support/context.ts'
import { resourceTools } from '../support/resource-tools.ts'
import { createWorld, type World } from '../support/world.ts'

const before = '2026-01-01T00:00:00Z'
let host = 'a'

const maker: Driver = {
  descriptor: driver('maker', { repairs: true }),
  async provision() {
    if (host === 'unreachable') throw new Stalled('ProvisionFailed', 'no route')
    return { outputs: { values: { host }, secrets: {} }, objects: [] }
  },
  deprovision: async () => {},
}

/** A resource that was provisioned long ago, with the output `a`. */
async function provisioned(values: object) {
  const world = createWorld([maker])
  host = 'a'
  const definition = { definitionName: 'base', driverType: 'quartermaster/maker' }
  const made = activeResource({ type: 'base', resourceId: 'main' }, { definition })
  world.put(made)
  expect(await world.reconcile(made)).toBeUndefined()
  const { provisionTime, ...status } = world.statusOf(made)
  expect(Date.parse(provisionTime ?? '')).toBeGreaterThan(Date.parse(before))
  const driverInputs = { values: { ...values } }
  return {
    world,
    resource: world.put({
      ...made,
      spec: { ...made.spec, definition: { ...definition, driverInputs } },
      status: { ...status, provisionTime: before },
    }),
  }
}

test.each([
  ['other outputs', {}, 'b', true],
  ['other inputs', { size: 2 }, 'a', true],
  ['a repair that changes nothing', {}, 'a', false],
])(
  'the time of the last provision, and the wait of a deployment for dependents, after %s',
  async (_, values, output, isMoved) => {
    const { world, resource } = await provisioned(values)
    host = output
    const dependsOn = [resource.metadata.name]
    world.put(activeResource({ type: 'base', resourceId: 'user' }, { dependsOn }))
    const environment = environmentKeyOf(resource)
    const run = { uid: 'u', isForced: false, secrets: createSecretReader(world.cluster.client) }
    world.tools.renewals.start(environment, run, [resource])
    const seen = await activeResourceController(world.tools).reconcile(
      resource,
      silentContext({ isResync: true }),
    )
    expect(seen.outputs).toEqual({ host: output })
    expect(seen.provisionTime !== before).toBe(isMoved)
    expect(world.tools.renewals.pendingIn(environment)).toBe(isMoved ? 1 : 0) // the dependents
  },
)

test.each([
  ['as it is', 'b', 'kept for a rollback'],
  ['and says that its last change failed', 'unreachable', 'its last change did not succeed'],
])('a resource that no workload uses any more is kept %s', async (_, output, message) => {
  const { world, resource } = await provisioned({ size: 2 })
  host = output
  await world.reconcile(resource)
  const unused = world.put({
    ...resource,
    spec: { ...resource.spec, unusedSince: before },
    status: world.statusOf(resource),
  })
  expect(await world.reconcile(unused)).toBeUndefined()
  const unusedCondition = world.statusOf(unused).conditions?.find(({ type }) => type === 'Unused')
  expect(unusedCondition?.message).toContain(message)
})

/** A ready resource with a ConfigMap, and why the driver was called since. */
interface Observed {
  readonly world: World
  readonly resource: ActiveResource
  readonly driver: { isBroken: boolean }
  readonly causes: unknown[]
}

async function observed(): Promise<Observed> {
  const causes: unknown[] = []
  const state = { isBroken: false }
  const metadata = { name: 'made', namespace: 'acme--shop--dev' }
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  const log = {
    ...silentLog,
    debug: (_: string, { cause }: LogFields = {}) => void (cause !== undefined && causes.push(cause)),
  }
  const driverOf: Driver = {
    ...maker,
    async provision() {
      if (state.isBroken) throw new Error('not today')
      return { outputs: { values: {}, secrets: {} }, objects: [configMap] }
    },
  }
  const world = createWorld([driverOf], { log })
  const definition = { definitionName: 'base', driverType: 'quartermaster/maker' }
  const resource = world.put(activeResource({ type: 'base', resourceId: 'main' }, { definition }))
  for (const _ of ['new', 'unchanged']) expect(await world.reconcile(resource)).toBeUndefined()
  expect(causes.splice(0)).toEqual(['the inputs changed'])
  return { world, resource, driver: state, causes }
}

test.each<[cause: string, act: (found: Observed) => unknown, isResync?: boolean]>([
  ['an object changed', ({ world }) => world.objects.delete('ConfigMap', 'made')],
  [
    'the last attempt did not end',
    async ({ world, resource, driver, causes }) => {
      driver.isBroken = true
      expect(await world.reconcile(resource, { isResync: true })).toBeDefined()
      causes.splice(0)
    },
  ],
  [
    'the inputs changed',
    ({ world, resource }) => {
      const latest = world.now(resource) ?? resource
      const definition = { ...latest.spec.definition, driverInputs: { values: { size: 2 } } }
      world.put({ ...latest, spec: { ...latest.spec, definition } })
    },
  ],
  ['the driver repairs on resync', () => {}, true],
  [
    'the mode of the deployment is full',
    ({ world, resource }) => {
      const { renewals, cluster } = world.tools
      const run = { uid: 'u', isForced: true, secrets: createSecretReader(cluster.client) }
      renewals.start(environmentKeyOf(resource), run, [world.now(resource) ?? resource])
    },
  ],
])('at the level debug, the log says why a driver is called: %s', async (cause, act, isResync = false) => {
  const found = await observed()
  await act(found)
  await found.world.reconcile(found.resource, { isResync })
  expect(found.causes).toEqual([cause])
})

test.each(['provision', 'deprovision'] as const)(
  'a %s that hangs ends at the deadline of the call',
  async (call) => {
    const never = () => new Promise<never>(() => {})
    const hanging: Driver = { descriptor: driver('echo'), provision: never, deprovision: never }
    const cluster = createFakeCluster()
    const controller = activeResourceController({
      ...resourceTools(cluster, [hanging]),
      deadlineSeconds: 0.1,
    })
    const resource = activeResource({ type: 'dns', resourceId: 'shared.dns' })
    cluster.put(Environment, environmentOf(resource))
    const provisioned = { ...resource, status: { provisioned: { driverType: 'quartermaster/echo' } } }
    const runs = {
      provision: () => controller.reconcile(resource, silentContext()),
      deprovision: async () => controller.finalize?.(provisioned, silentContext()),
    }
    await expect(runs[call]()).rejects.toThrow('in time')
  },
)

test.each([
  [
    'the reference of the inputs',
    { references: { 'externals.cache': ['missing'] } },
    "waiting for 'externals.cache', which does not exist",
  ],
  ['its GUResID without one', {}, 'waiting for missing, which does not exist'],
])('a resource whose dependency was deleted names it by %s', async (_, named, message) => {
  const world = createWorld([maker])
  const definition = { definitionName: 'base', driverType: 'quartermaster/maker' }
  const made = activeResource(
    { type: 'base', resourceId: 'main' },
    { definition, dependsOn: ['missing'], ...named },
  )
  world.put(made)
  const error = await world.reconcile(made)
  expect(error).toMatchObject({ reason: 'DependencyNotReady', message: expect.stringContaining(message) })
})

/** A new resource of an environment of which only `act` knows what became, and how often it was provisioned. */
async function afterwards(act: (world: World, resource: ActiveResource) => void, status: object = {}) {
  let calls = 0
  const counting: Driver = {
    ...maker,
    async provision() {
      calls += 1
      return { outputs: { values: {}, secrets: {} }, objects: [] }
    },
  }
  const world = createWorld([counting])
  const definition = { definitionName: 'base', driverType: 'quartermaster/maker' }
  const made = activeResource(
    { type: 'base', resourceId: 'main' },
    { definition },
    { finalizers: [finalizer] },
  )
  world.put({ ...made, status })
  act(world, made)
  await world.reconcile(made)
  const { deletionTimestamp } = world.now(made)?.metadata ?? {}
  return { calls, isDeleted: deletionTimestamp !== undefined }
}

const dropEnvironment = ({ cluster }: World, { metadata, spec }: ActiveResource) =>
  cluster.drop(Environment, metadata.namespace, spec.environmentName)
const provisionedOnce = { calls: 1, isDeleted: false }

test.each<
  [
    rule: string,
    act: Parameters<typeof afterwards>[0],
    expected: Awaited<ReturnType<typeof afterwards>>,
    status?: object,
  ]
>([
  ['is provisioned while its environment exists', () => {}, provisionedOnce],
  [
    'is provisioned when only the cache lacks its environment',
    (world, resource) => {
      dropEnvironment(world, resource)
      world.cluster.read = (async () => environmentOf(resource)) as unknown as typeof world.cluster.read // of the environment
    },
    provisionedOnce,
  ],
  [
    'waits while its environment terminates',
    ({ cluster }, resource) => {
      const { metadata, ...rest } = environmentOf(resource)
      cluster.put(Environment, { ...rest, metadata: { ...metadata, deletionTimestamp: before } })
    },
    { calls: 0, isDeleted: false },
  ],
  [
    'that has an instance waits while its environment terminates',
    ({ cluster }, resource) => {
      const { metadata, ...rest } = environmentOf(resource)
      cluster.put(Environment, { ...rest, metadata: { ...metadata, deletionTimestamp: before } })
    },
    { calls: 0, isDeleted: false },
    { provisioned: { driverType: 'quartermaster/maker' } },
  ],
  [
    'of a late request is deleted without a call when its environment is gone',
    dropEnvironment,
    { calls: 0, isDeleted: true },
  ],
  [
    'of a late request is deleted after an attempt that failed',
    dropEnvironment,
    { calls: 0, isDeleted: true },
    { conditions: [] },
  ],
  [
    'that may have an instance stays when its environment is gone',
    dropEnvironment,
    provisionedOnce,
    { provisioned: { driverType: 'quartermaster/maker' } },
  ],
])('a resource %s', async (_, act, expected, status = {}) => {
  expect(await afterwards(act, status)).toEqual(expected)
})
