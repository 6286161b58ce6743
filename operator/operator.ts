import { ActiveResource } from './api/active-resource.ts'
import type { Kind } from './api/kind.ts'
import type { Config } from './config.ts'
import { activeResourceController } from './controllers/active-resource/active-resource.ts'
import {
  createOrganizationDrivers,
  type DriverFactories,
} from './controllers/active-resource/organization-drivers.ts'
import { Removals } from './controllers/active-resource/removals.ts'
import { applicationController } from './controllers/application.ts'
import { environmentDeploymentController } from './controllers/deployment/environment-deployment.ts'
import { startSetCleanup } from './controllers/deployment/set-cleanup.ts'
import { environmentController } from './controllers/environment.ts'
import { environmentTypeController } from './controllers/environment-type.ts'
import { artefactVersionController } from './controllers/image/artefact-version.ts'
import { automationRuleController } from './controllers/image/automation-rule.ts'
import { registryController } from './controllers/image/registry.ts'
import { openAppliedKinds } from './controllers/objects/applied-kinds.ts'
import { createInventory } from './controllers/objects/inventory.ts'
import { watchEnvironmentNamespaces } from './controllers/objects/watch-namespaces.ts'
import { ensureAdmin, startOrganizations } from './controllers/organization/first-administrator.ts'
import { startOrganizationQuotas } from './controllers/organization/quota.ts'
import { startOrganizationRights } from './controllers/organization/rights.ts'
import { resourceAccountController } from './controllers/resource-account.ts'
import { resourceDefinitionController } from './controllers/resource-definition.ts'
import { resourceDriverController } from './controllers/resource-driver.ts'
import { resourceTypeController } from './controllers/resource-type.ts'
import { WorkloadPods } from './controllers/rollout/workload-pods.ts'
import { ensureSessionKey } from './controllers/session-key.ts'
import { HostReservations } from './controllers/shared/host-reservations.ts'
import {
  type Installation,
  openInstallation,
  readInstallationId,
} from './controllers/shared/installation-key.ts'
import { NewResources } from './controllers/shared/new-resources.ts'
import { OngoingStarts } from './controllers/shared/ongoing-starts.ts'
import { Renewals } from './controllers/shared/renewals.ts'
import { createProgressCounter } from './controllers/shared/resource-progress.ts'
import { createSecretFinalizers } from './controllers/shared/secret-finalizers.ts'
import { sharedValueController } from './controllers/shared-value.ts'
import { TransitionEvents } from './controllers/transition-events.ts'
import { startDispatcher } from './controllers/webhook/dispatcher.ts'
import { webhookController } from './controllers/webhook/webhook.ts'
import { webhookCallController } from './controllers/webhook/webhook-call.ts'
import { RefusedDeployments } from './controllers/workload/refused-deployments.ts'
import { workloadController } from './controllers/workload/workload.ts'
import { startWorkloadDeployments } from './controllers/workload/workload-deployments.ts'
import type { Driver } from './drivers/driver.ts'
import { createCacheBarrier } from './kube/cache/cache-barrier.ts'
import type { Cluster } from './kube/cache/cluster.ts'
import type { SecretBindings } from './kube/client/secret-bindings.ts'
import type { Controller } from './kube/loop/controller.ts'
import { type Loop, type LoopOptions, startController } from './kube/loop/controller-loop.ts'
import { createPace, nextTurn } from './kube/loop/pace.ts'
import { openObjects } from './kube/objects/cluster-objects.ts'
import type { Log } from './log.ts'
import { countObjects, reportDeployments } from './metrics/object-metrics.ts'
import type { OperatorMetrics } from './metrics/operator-metrics.ts'
import type { Outbound } from './outbound/outbound.ts'
import { createPlanning } from './planning/planning.ts'
import { traceCalls, traceDeployments, traceReconciles, traceResults } from './tracing/deployment-trace.ts'
import type { Tracing } from './tracing/tracing.ts'

/** Retries soon after a short outage of a receiver, and rarely during a long one. */
const webhookBackoffMs = { first: 5000, most: 3_600_000 }

/** The loops of the leader. */
export interface Operator {
  /** Starts no further work, and resolves when running work has ended. */
  stop(): Promise<void>
}

/** Starts all loops of the leader; they work while `isActive` returns true. */
export async function startOperator(options: {
  cluster: Cluster
  config: Config
  /** Calls servers that organizations name. */
  outbound: Outbound
  /** Absent when the operator has its rights to Secrets in the whole cluster. */
  secretBindings: SecretBindings | undefined
  /** The built-in drivers and constructors of others, for an installation with this id and keyed hash. */
  openDrivers: (
    installationId: string,
    hash: Installation['hash'],
  ) => DriverFactories & { readonly builtIn: readonly Driver[]; close(): Promise<void> }
  log: Log
  metrics: OperatorMetrics
  tracing: Tracing
  isActive: () => boolean
  /** Milliseconds since 1970 by the clock of the API server. */
  serverNow: () => number
}): Promise<Operator> {
  const { cluster, config, outbound, secretBindings, openDrivers, log, tracing, isActive, serverNow } =
    options
  const metrics = traceResults(options.metrics, tracing)
  const trace = traceReconciles(options.cluster.store, tracing)
  await cluster.ready
  const installation = await openInstallation(cluster.client, (start) => ensureAdmin(cluster, start))
  await ensureSessionKey(cluster)
  const objects = openObjects(cluster.client, log, { namespaceLabels: config.namespaceLabels })
  const namespaces = watchEnvironmentNamespaces(cluster.client, log)
  const inventory = createInventory(objects, {
    store: cluster.store,
    kinds: await openAppliedKinds(cluster.client),
    namespaces,
    serverNow,
  })
  const pods = new WorkloadPods(cluster.client, log)
  const progress = createProgressCounter(cluster.store, config.deploymentAttempts)
  const renewals = new Renewals(cluster.store)
  const newResources = new NewResources()
  const starts = new OngoingStarts()
  const { vendors } = config
  const factories = openDrivers(await readInstallationId(cluster.client), installation.hash)
  const { builtIn } = factories
  const catalogue = builtIn.map(({ descriptor }) => descriptor)
  const planning = createPlanning(cluster.store, { catalogue, vendors, log })
  const drivers = createOrganizationDrivers({ store: cluster.store, planning, builtIn, vendors, factories })
  const loops: Loop[] = []
  const pace = createPace()
  const transitions = new TransitionEvents(cluster, { log, isActive })
  // Before the first loop works: it may end a deployment before the last one is started.
  reportDeployments(cluster.store, metrics.openDeployments(), serverNow)
  traceDeployments(cluster.store, tracing)

  /** Each step looks at all objects of the kind, so other work has a turn in between. */
  async function start<K extends Kind>(controller: Controller<K>, backoffMs?: LoopOptions['backoffMs']) {
    await nextTurn()
    const loop = startController(cluster, controller, {
      log,
      metrics,
      trace,
      isActive,
      pace,
      resyncMs: config.resyncSeconds * 1000,
      graceMs: config.settleSeconds * 1000,
      backoffMs,
    })
    loops.push(loop)
    metrics.watchQueue(controller.kind.kind, loop.queue)
    transitions.watch(controller.kind)
    await nextTurn()
    metrics.watchObjects(controller.kind.kind, countObjects(cluster.store, controller.kind))
  }
  await start(applicationController(cluster))
  await start(environmentTypeController(cluster))
  const dispatcher = startDispatcher(cluster, { log, isActive })
  const { keptDeployments } = config
  const removals = new Removals({ store: cluster.store, drivers, inventory })
  const environments = { keptDeployments, namespaces, removals, inventory, log }
  await start(environmentController(cluster, objects, dispatcher, environments))
  await start(resourceAccountController(cluster, builtIn, serverNow))
  await start(sharedValueController(cluster, starts))
  await start(resourceTypeController)
  await start(resourceDriverController(cluster, planning, vendors))
  await start(resourceDefinitionController(cluster, planning, vendors, starts))
  await start(
    activeResourceController({
      cluster,
      objects,
      inventory,
      installation,
      drivers,
      hostReservations: new HostReservations(cluster),
      vendors,
      deadlineSeconds: config.driverDeadlineSeconds,
      planning,
      secretFinalizers: createSecretFinalizers(cluster, {
        awaitResources: createCacheBarrier(cluster, [ActiveResource]),
      }),
      renewals,
      newResources,
      removals,
      driverCalls: traceCalls(metrics.driverCalls, tracing),
      rollouts: { pods, policy: config.rollout, schedulingSeconds: config.schedulingSeconds, serverNow },
      log,
    }),
  )
  await start(
    environmentDeploymentController({
      cluster,
      installation,
      progress,
      renewals,
      newResources,
      starts,
      planning,
      dispatcher,
      attempts: config.deploymentAttempts,
      timeoutSeconds: config.deploymentTimeoutSeconds,
      settleSeconds: config.settleSeconds,
      serverNow,
    }),
  )
  const refusals = new RefusedDeployments()
  await start(workloadController({ store: cluster.store, planning, refusals, serverNow }))
  const workloadDeployments = startWorkloadDeployments({
    cluster,
    planning,
    refusals,
    log,
    isActive,
    settleMs: config.workloadSettleSeconds * 1000,
    maxSettleMs: 10 * config.workloadSettleSeconds * 1000,
  })
  await start(registryController(cluster))
  await start(automationRuleController(cluster))
  await start(artefactVersionController(cluster, config.imageSettleSeconds))
  await start(webhookController(cluster, serverNow))
  await start(
    webhookCallController({
      cluster,
      outbound,
      giveUpSeconds: config.webhookGiveUpSeconds,
      keptSeconds: config.webhookKeptSeconds,
      serverNow,
    }),
    webhookBackoffMs,
  )
  // First, because an organization is of no use before the rights.
  const rights = secretBindings && (await startOrganizationRights(cluster, secretBindings, log, isActive))
  const organizations = startOrganizations(cluster, { log, isActive })
  const { organizationQuota: limits } = config
  const quotas = startOrganizationQuotas(cluster, { limits, log, isActive })
  const setCleanup = startSetCleanup(cluster, {
    log,
    isActive,
    settleMs: config.settleSeconds * 1000,
    resyncMs: config.resyncSeconds * 1000,
  })

  return {
    async stop() {
      const others = [
        dispatcher,
        ...(rights ? [rights] : []),
        organizations,
        quotas,
        setCleanup,
        workloadDeployments,
      ]
      await Promise.all([...loops, ...others].map((each) => each.stop()))
      namespaces.stop()
      pods.stop()
      objects.close()
      await factories.close()
    },
  }
}
