import { setTimeout } from 'node:timers/promises'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Application } from '../../../operator/api/application.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { type Kind, newObject } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import { Removals } from '../../../operator/controllers/active-resource/removals.ts'
import type { ResourceTools } from '../../../operator/controllers/active-resource/resource-tools.ts'
import { environmentDeploymentController } from '../../../operator/controllers/deployment/environment-deployment.ts'
import { environmentController } from '../../../operator/controllers/environment.ts'
import { createInventory } from '../../../operator/controllers/objects/inventory.ts'
import { installationWith } from '../../../operator/controllers/shared/installation-key.ts'
import { OngoingStarts } from '../../../operator/controllers/shared/ongoing-starts.ts'
import { createProgressCounter } from '../../../operator/controllers/shared/resource-progress.ts'
import { createSecretFinalizers } from '../../../operator/controllers/shared/secret-finalizers.ts'
import { RefusedDeployments } from '../../../operator/controllers/workload/refused-deployments.ts'
import { workloadController } from '../../../operator/controllers/workload/workload.ts'
import { startWorkloadDeployments } from '../../../operator/controllers/workload/workload-deployments.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import type { Controller } from '../../../operator/kube/loop/controller.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import type { Objects } from '../../../operator/kube/objects/objects.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { definition } from '../../support/builders.ts'
import { createFakeObjects, type FakeObjects } from './fake-objects.ts'
import { clusterOf, type Death, objectsOf, type Process, startProcess } from './process.ts'
import { resourceTools } from './resource-tools.ts'

const namespace = 'acme'
const environmentName = 'shop.dev'
const ownNamespace = 'acme--shop--dev'

/** A shared resource of type `s3` with this id, the ids that it depends on, and the inputs of its driver. */
export interface Wanted {
  readonly id: string
  readonly dependsOn?: readonly string[]
  readonly driver?: string
  readonly values?: FreeForm
  /** The Secret whose key `password` is an input of its driver. */
  readonly secret?: string
}

/** Milliseconds for which Workloads must not change before they are deployed. */
const settleMs = 10

/** The environment `shop.dev`, and an operator with all controllers that deploy to it or delete it. */
export interface OperatorWorld {
  readonly fake: FakeCluster
  readonly objects: FakeObjects
  /** The requests of all processes, such as `apply ConfigMap a`. */
  readonly log: string[]
  /** Events, and whether the namespace of the environment was not terminating then. */
  readonly events: readonly {
    readonly reason: string
    readonly message: string
    readonly isNamespaceThere: boolean
  }[]
  /** Starts a process; the one before is dead. */
  start(death?: Death): Process
  /** Creates a deployment of these resources, and their definitions. */
  deploy(name: string, wanted: readonly Wanted[], spec?: Partial<EnvironmentDeployment['spec']>): void
  /** Waits until a deployment has ended; returns whether it succeeded. Starts new processes for those that die. */
  hasSucceeded(name: string): Promise<boolean>
  removeEnvironment(): void
  /** Waits until the environment is gone. Starts new processes for those that die. */
  untilGone(): Promise<void>
  /** Waits for a state. Starts new processes for those that die. */
  until(isReached: () => boolean): Promise<void>
  resource(id: string): ActiveResource | undefined
  resources(): readonly ActiveResource[]
  removeResource(id: string): void
  put(resource: ActiveResource): void
  /** Ids of the resources that remain. */
  ids(): string[]
  environment(): Environment | undefined
  /** Lets the process end in order, as a signal does. */
  stop(): Promise<void>
  close(): void
}

export function createOperatorWorld(
  builtIn: readonly Driver[],
  options: {
    readonly latencyMs?: () => number
    readonly mostTogetherMs?: number
    readonly unlistedMs?: number
  } = {},
): OperatorWorld {
  const { latencyMs, mostTogetherMs, unlistedMs } = options
  const fake = createFakeCluster()
  const objects = createFakeObjects()
  const log: string[] = []
  const events: OperatorWorld['events'][number][] = []
  const namespaceOf = () => objects.get('Namespace', ownNamespace)
  let process: Process | undefined
  fake.addOrganization(namespace)
  fake.put(Application, newObject(Application, { namespace, name: 'shop' }, {}))
  fake.put(EnvironmentType, newObject(EnvironmentType, { namespace, name: 'development' }, {}))
  fake.put(
    Environment,
    newObject(
      Environment,
      { namespace, name: environmentName, finalizers: [finalizer] },
      { applicationName: 'shop', typeName: 'development' },
    ),
  )
  const client: KubeClient = {
    ...objects.client,
    async request(method, path, options) {
      if (path.includes('/secrets/')) return objects.client.request(method, path, options)
      if (path.endsWith('/events')) {
        const { reason = '', message = '' } = (options?.body ?? {}) as { reason?: string; message?: string } // an Event
        events.push({ reason, message, isNamespaceThere: !namespaceOf()?.metadata.deletionTimestamp })
      }
      return { metadata: { resourceVersion: '0' }, items: null } // the lists of a cache barrier
    },
  }

  /** Whether objects of the environment may be in the namespace: its own, which is made at first use, and another one. */
  function isOpen(_: unknown, name: string): boolean {
    const found = objects.get('Namespace', name)
    return found !== undefined && !found.metadata.deletionTimestamp
  }

  function begin(death?: Death): Process {
    const started = startProcess(log, death, latencyMs)
    const isActive = () => started.isAlive
    const cluster = { ...clusterOf(started, withClock(fake)), client }
    const door = objectsOf(started, withNamespaces(objects))
    const tools: ResourceTools = {
      ...resourceTools(cluster, builtIn),
      objects: door,
      installation: installationWith(Buffer.alloc(32)),
      inventory: createInventory(door, {
        store: fake.store,
        kinds: objects.kinds,
        unlistedMs,
        serverNow: Date.now,
        namespaces: { isOpen, onGone: () => {} },
      }),
      secretFinalizers: createSecretFinalizers(cluster, { awaitResources: async () => {}, retryMs: 1 }),
    }
    const { inventory, drivers, planning } = tools
    const removals = new Removals({ store: fake.store, drivers, inventory, mostTogetherMs })
    run(activeResourceController({ ...tools, removals }))
    const progress = createProgressCounter(fake.store, 3)
    const dispatcher = { notifyLast: async () => {}, notifyDeleted: async () => {} }
    const limits = { attempts: 3, timeoutSeconds: 1000, settleSeconds: 1000, serverNow: Date.now }
    const starts = new OngoingStarts()
    run(environmentDeploymentController({ ...tools, progress, starts, dispatcher, ...limits }))
    const refusals = new RefusedDeployments()
    run(workloadController({ store: cluster.store, planning, refusals, serverNow: Date.now }))
    loops.push(
      startWorkloadDeployments({
        cluster,
        planning,
        refusals,
        log: silentLog,
        isActive,
        settleMs,
        maxSettleMs: 60_000,
      }),
    )
    run(
      environmentController(cluster, door, dispatcher, {
        keptDeployments: 50,
        removals,
        inventory,
        log: silentLog,
        namespaces: {
          subscribe(enqueue) {
            door.onChange(({ kind, metadata }, isGone) => {
              const environment = metadata.annotations?.[annotations.environment]
              if (isGone && kind === 'Namespace' && environment) enqueue([environment])
            })
            void door.watch({ apiVersion: 'v1', kind: 'Namespace' })
          },
        },
      }),
    )
    return started

    function run<K extends Kind>(controller: Controller<K>) {
      const backoffMs = { first: 2, most: 2 }
      loops.push(startController(cluster, controller, { log: silentLog, isActive, backoffMs }))
    }
  }
  const loops: { stop(): Promise<void> }[] = []

  const world: OperatorWorld = {
    fake,
    objects,
    log,
    events,
    start(death) {
      if (process) process.isAlive = false
      process = begin(death)
      return process
    },
    deploy(name, wanted, spec = {}) {
      for (const each of wanted) fake.put(ResourceDefinition, definitionOf(each))
      const shared = Object.fromEntries(wanted.map(({ id }) => [id, { type: 's3' }]))
      const set = { applicationName: 'shop', modules: {}, shared }
      fake.put(DeploymentSet, newObject(DeploymentSet, { namespace, name: `shop.${name}` }, set))
      const metadata = { namespace, name, finalizers: [finalizer] }
      const own = { environmentName, setName: `shop.${name}`, ...spec }
      const made = newObject(EnvironmentDeployment, metadata, own)
      const creationTimestamp = new Date().toISOString()
      fake.put(EnvironmentDeployment, { ...made, metadata: { ...metadata, creationTimestamp } })
    },
    async hasSucceeded(name) {
      const find = () => fake.store.get(EnvironmentDeployment, namespace, name)
      await world.until(() => {
        const deployment = find()
        return deployment !== undefined && isFinished(deployment)
      })
      const ended = find()
      return ended !== undefined && isReady(ended)
    },
    removeEnvironment() {
      const found = world.environment()
      if (found) void fake.remove(Environment, found)
    },
    untilGone: () => world.until(() => world.environment() === undefined),
    async until(isReached) {
      for (let waits = 0; !isReached(); waits += 1) {
        if (process?.isAlive !== true) world.start()
        await setTimeout(1)
        if (waits > 5000)
          throw new Error(`the state is not reached; the last requests: ${log.slice(-100).join(', ')}`)
      }
    },
    resource: (id) => world.resources().find(({ spec }) => spec.resourceId === `shared.${id}`),
    resources: () => fake.store.list(ActiveResource, namespace),
    removeResource(id) {
      const found = world.resource(id)
      if (found) void fake.remove(ActiveResource, found)
    },
    put: (resource) => void fake.put(ActiveResource, resource),
    ids: () => world.resources().map(({ spec }) => spec.resourceId.replace('shared.', '')),
    environment: () => fake.store.get(Environment, namespace, environmentName),
    async stop() {
      await Promise.all(loops.splice(0).map((loop) => loop.stop()))
    },
    close() {
      if (process) process.isAlive = false
      for (const loop of loops) void loop.stop()
    },
  }
  return world
}

/** Dates new objects by the clock, because the time limit of a deployment counts from its creation. */
function withClock(fake: FakeCluster): FakeCluster {
  return {
    ...fake,
    create(kind, object) {
      const metadata = { ...object.metadata, creationTimestamp: new Date().toISOString() }
      return fake.create(kind, { ...object, metadata })
    },
  }
}

/** Ends a terminating namespace with all of its objects, a little later, as the cluster does. */
function withNamespaces(objects: FakeObjects): Objects {
  const door = objects.open()
  return {
    ...door,
    async remove(reference, uid) {
      const { kind, name } = reference
      const found = kind === 'Namespace' ? objects.get(kind, name) : undefined
      if (!found) return door.remove(reference, uid)
      objects.replaceMetadata(kind, name, { ...found.metadata, finalizers: ['kubernetes'] })
      const isGone = await door.remove(reference, uid)
      void setTimeout(3).then(() => {
        for (const each of objects.inNamespace(name)) objects.delete(each.kind, each.metadata.name)
        const { finalizers: _, ...metadata } = objects.get(kind, name)?.metadata ?? { name }
        objects.replaceMetadata(kind, name, metadata)
      })
      return isGone
    },
  }
}

function definitionOf({
  id,
  dependsOn = [],
  driver = 'maker',
  values = {},
  secret,
}: Wanted): ResourceDefinition {
  const references = dependsOn.map((each) => [
    each,
    `\${resources['s3.default#shared.${each}'].outputs.name}`,
  ])
  return definition(id, 's3', {
    driverType: `quartermaster/${driver}`,
    driverInputs: {
      values: { ...values, needs: Object.fromEntries(references) },
      secretRefs: secret === undefined ? {} : { password: { secret, key: 'password' } },
    },
    criteria: [{ resId: `shared.${id}` }],
  })
}
