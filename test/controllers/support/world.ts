import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import type { DriverFactories } from '../../../operator/controllers/active-resource/organization-drivers.ts'
import type { ResourceTools } from '../../../operator/controllers/active-resource/resource-tools.ts'
import { createInventory } from '../../../operator/controllers/objects/inventory.ts'
import { createSecretFinalizers } from '../../../operator/controllers/shared/secret-finalizers.ts'
import { Waiting } from '../../../operator/domain/base/errors.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { isConflict } from '../../../operator/kube/client/api-error.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { nextStatus, type Observed, statusOfError } from '../../../operator/kube/loop/status.ts'
import type { Log } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { environmentOf } from '../../support/builders.ts'
import { silentContext } from './context.ts'
import { createFakeObjects, type FakeObjects } from './fake-objects.ts'
import { resourceTools } from './resource-tools.ts'

/** Resources, their objects, and a process that reconciles one resource at a time, as the loop does. */
export interface World {
  readonly cluster: FakeCluster
  readonly objects: FakeObjects
  /** Writes of objects and of status, and entries of the test, in order. */
  readonly log: string[]
  /** Keys of the resources that a watch enqueued. */
  readonly enqueued: string[]
  readonly tools: ResourceTools
  /** Called before each write of a status; its error is that of the write. */
  beforeStatus: () => void
  /** Called before a resource that was deprovisioned is gone. */
  beforeEnd: () => void
  /** Puts the resource and, unless there is one, its environment. */
  put(resource: ActiveResource): ActiveResource
  /** Reconciles or finalizes the resource in its current state; returns the error. */
  reconcile(resource: ActiveResource, options?: { readonly isResync: boolean }): Promise<unknown>
  now(resource: ActiveResource): ActiveResource | undefined
  statusOf(resource: ActiveResource): NonNullable<ActiveResource['status']>
  /** Marks the resource as being deleted. */
  remove(resource: ActiveResource): void
  /** Replaces the process by a new one. */
  restart(): void
}

/** Creates a world with these drivers and without resources. */
export function createWorld(
  builtIn: readonly Driver[],
  options: {
    readonly factories?: DriverFactories
    readonly deadlineSeconds?: number
    readonly rollouts?: ResourceTools['rollouts']
    readonly log?: Log
  } = {},
): World {
  const fake = createFakeCluster()
  const objects = createFakeObjects()
  const cluster: FakeCluster = { ...fake, client: objects.client }
  for (const id of ['acme', 'globex']) cluster.addOrganization(id)
  const enqueued: string[] = []
  let process = begin()

  function begin() {
    const door = objects.open()
    const own = resourceTools(cluster, builtIn, options.factories)
    const tools: ResourceTools = {
      ...own,
      rollouts: options.rollouts ?? own.rollouts,
      log: options.log ?? own.log,
      deadlineSeconds: options.deadlineSeconds ?? 10,
      objects: door,
      inventory: createInventory(door, {
        store: cluster.store,
        kinds: objects.kinds,
        serverNow: Date.now,
        namespaces: { isOpen: () => false, onGone: () => {} },
      }),
      secretFinalizers: createSecretFinalizers(cluster, { awaitResources: async () => {}, retryMs: 1 }),
    }
    tools.inventory.onEnqueue((key) => enqueued.push(key))
    tools.hostReservations.onFreed((key) => enqueued.push(key))
    return { tools, controller: activeResourceController(tools) }
  }

  function write(
    resource: ActiveResource,
    observed: Observed<typeof ActiveResource> | undefined,
    error?: unknown,
  ) {
    world.beforeStatus()
    const { namespace, name, generation = 0 } = resource.metadata
    const before = world.now(resource)?.status ?? {}
    const found = { ...(observed ? { observed } : {}), outcome: outcomeOf(error) }
    const status = JSON.parse(JSON.stringify(nextStatus(ActiveResource, before, generation, found))) as object // as it is kept
    cluster.setStatus(ActiveResource, namespace, name, status)
  }

  async function runOnce(
    resource: ActiveResource,
    { afterWrite, isResync }: { readonly afterWrite: (() => void)[]; readonly isResync: boolean },
  ): Promise<void> {
    const context = silentContext<typeof ActiveResource>({
      isResync,
      afterWrite: (work) => afterWrite.push(work),
      async report(known, message) {
        objects.log.push('status')
        write(resource, known, new Waiting('Progressing', message))
      },
    })
    if (resource.metadata.deletionTimestamp) {
      await process.controller.finalize?.(resource, context)
      world.beforeEnd()
      cluster.drop(ActiveResource, resource.metadata.namespace, resource.metadata.name)
      return
    }
    const observed = await process.controller.reconcile(resource, context)
    objects.log.push('status')
    write(resource, observed)
  }

  const world: World = {
    cluster,
    objects,
    log: objects.log,
    enqueued,
    get tools() {
      return process.tools
    },
    beforeStatus: () => {},
    beforeEnd: () => {},
    put(resource) {
      const { metadata, spec } = resource
      const isPlaced = cluster.store.get(Environment, metadata.namespace, spec.environmentName) !== undefined
      if (!isPlaced) cluster.put(Environment, environmentOf(resource))
      return cluster.put(ActiveResource, resource)
    },
    async reconcile(resource, { isResync } = { isResync: false }) {
      const latest = world.now(resource) ?? resource
      const afterWrite: (() => void)[] = []
      const error = await runOnce(latest, { afterWrite, isResync }).catch((thrown: unknown) => thrown)
      // The loop tries again with the newer object.
      if (isConflict(error)) return error
      if (error !== undefined) write(latest, statusOfError(error), error)
      for (const work of afterWrite) work()
      return error
    },
    now: ({ metadata }) => cluster.store.get(ActiveResource, metadata.namespace, metadata.name),
    statusOf: (resource) => world.now(resource)?.status ?? {},
    remove(resource) {
      const latest = world.now(resource) ?? resource
      const deletionTimestamp = '2026-02-01T00:00:00Z'
      world.put({ ...latest, metadata: { ...latest.metadata, deletionTimestamp } })
    },
    restart() {
      process = begin()
    },
  }
  return world
}

/** Whether the resource was enqueued, as the loop knows it. */
export function isEnqueued({ enqueued }: World, resource: ActiveResource): boolean {
  return enqueued.includes(keyOf(resource))
}
