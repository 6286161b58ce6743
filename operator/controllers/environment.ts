import { ActiveResource } from '../api/active-resource.ts'
import { Application } from '../api/application.ts'
import { Environment } from '../api/environment.ts'
import { EnvironmentDeployment } from '../api/environment-deployment.ts'
import { EnvironmentType } from '../api/environment-type.ts'
import { ReconcileError, Waiting } from '../domain/base/errors.ts'
import { isPresent, problemsOfReference, throwProblems } from '../domain/base/object-problem.ts'
import { isFinished, removableDeployments } from '../domain/deployment/deployment.ts'
import { rememberedStart } from '../domain/deployment/deployment-base.ts'
import { historyOf, isLastPlanned, isRepetition } from '../domain/deployment/deployment-history.ts'
import { versionOf } from '../kube/cache/cache.ts'
import { type Cluster, refreshNamed } from '../kube/cache/cluster.ts'
import { environmentKeyOf } from '../kube/cache/kinds-in-store.ts'
import type { Store } from '../kube/cache/store.ts'
import { explainRefusal } from '../kube/client/explain-rejection.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { keyOf, namespacedName } from '../kube/client/resource.ts'
import { type Controller, type Watch, watchKind } from '../kube/loop/controller.ts'
import { keptByOthers } from '../kube/loop/other-finalizers.ts'
import type { Observed } from '../kube/loop/status.ts'
import type { Objects } from '../kube/objects/objects.ts'
import type { Log } from '../log.ts'
import type { Removals } from './active-resource/removals.ts'
import { createContentRemoval } from './environment-content.ts'
import { awaitLastResources, type RemovalTools, removeResources } from './environment-removal.ts'
import { deletionKeepers, isBlockerChanged } from './shared/deletion-blockers.ts'
import { requireStillPresent } from './shared/still-present.ts'
import { watchLifecycle } from './shared/watch-lifecycle.ts'
import type { Dispatcher } from './webhook/dispatcher.ts'

interface Options {
  readonly keptDeployments: number
  readonly removals: Removals
  readonly inventory: RemovalTools['inventory']
  readonly log: Log
  /** Enqueues an environment when its namespace is gone. */
  readonly namespaces?: Watch
}

interface Tools extends Omit<RemovalTools, 'throwIfStopping'> {
  readonly dispatcher: Pick<Dispatcher, 'notifyLast'>
  readonly keptDeployments: number
  /** Deletes the other objects that belong to the environment. */
  readonly removeContent: (environment: Environment) => Promise<void>
}

/** An environment is ready when its application and type exist; deleting it deprovisions all its resources. */
export function environmentController(
  cluster: Cluster,
  objects: Objects,
  dispatcher: Pick<Dispatcher, 'notifyLast'>,
  { namespaces, ...options }: Options,
): Controller<typeof Environment> {
  const removeContent = createContentRemoval(cluster)
  const tools: Tools = { ...options, cluster, objects, dispatcher, removeContent }
  return {
    kind: Environment,
    watches: [...watchesOf(cluster.store, options.removals), ...(namespaces ? [namespaces] : [])],
    reconcile: (environment) => reconcile(environment, tools),
    finalize: (environment, { throwIfStopping }) => finalize(environment, { ...tools, throwIfStopping }),
  }
}

function watchesOf(store: Store, removals: Removals): Watch[] {
  return [
    { subscribe: (enqueue) => removals.onLastAlone((key) => enqueue([key])) },
    watchLifecycle(store.cacheOf(Application), (each) =>
      store.byIndex(Environment, 'application', keyOf(each)).map(keyOf),
    ),
    watchLifecycle(store.cacheOf(EnvironmentType), (each) =>
      store.byIndex(Environment, 'type', keyOf(each)).map(keyOf),
    ),
    watchKind(store.cacheOf(EnvironmentDeployment), ({ before, after }) => {
      const deployment = after ?? before
      if (!deployment || (after && isRepetition(after))) return []
      const isSamePhase = phaseOf(before) === phaseOf(after)
      const own = isSamePhase ? [] : [environmentKeyOf(deployment)]
      const startingFromIt = store.byIndex(Environment, 'start', keyOf(deployment))
      return [...own, ...startingFromIt.map(keyOf)]
    }),
    // A terminating environment waits for its last resource, deletes late ones, and reports what blocks the others.
    watchKind(store.cacheOf(ActiveResource), (change) => {
      const { before, after } = change
      if (after) {
        const key = environmentKeyOf(after)
        const isLate = !before && isTerminating(store.get(Environment, ...namespacedName(key)))
        return isLate || isBlockerChanged(change) ? [key] : []
      }
      if (!before) return []
      const key = environmentKeyOf(before)
      return store.cacheOf(ActiveResource).anyByIndex('environment', key) ? [] : [key]
    }),
  ]
}

async function reconcile(environment: Environment, tools: Tools): Promise<Observed<typeof Environment>> {
  const { store } = tools.cluster
  const { namespace } = environment.metadata
  const { applicationName, typeName, fromDeploymentName } = environment.spec
  const deployments = await ownDeployments(environment, tools.cluster)
  const start =
    fromDeploymentName === undefined
      ? undefined
      : rememberedStart(environment, store.get(EnvironmentDeployment, namespace, fromDeploymentName))
  const status = { ...historyOf(environment, deployments), start }
  // Deployments wait for the status, so it must be written although old ones cannot be deleted.
  await deleteOldDeployments(environment, deployments, tools).catch(failWith(status))
  const hasApplication = store.get(Application, namespace, applicationName) !== undefined
  const hasType = isPresent(store.get(EnvironmentType, namespace, typeName))
  throwProblems(
    [
      ...problemsOfReference('ApplicationNotFound', `application '${applicationName}'`, hasApplication),
      ...problemsOfReference('EnvironmentTypeNotFound', `environment type '${typeName}'`, hasType),
    ],
    status,
  )
  return status
}

/**
 * 1. removeResources: deletes the resources and the namespace; throws Waiting until they are gone.
 * 2. notifyLast: writes the webhook calls for the last events.
 * 3. removeDeployments: deletes the deployments; throws Waiting until they are gone.
 * 4. removeContent: deletes the shared values and automation rules of the environment.
 * 5. awaitLastResources: throws Waiting for a resource that a deployment wrote last, and that the cache does not have yet.
 */
async function finalize(environment: Environment, tools: Tools & RemovalTools): Promise<void> {
  const { store } = tools.cluster
  const resources = store.byIndex(ActiveResource, 'environment', keyOf(environment))
  const dependents = [...resources, ...deploymentsOf(environment, store)]
  await requireStillPresent(tools.cluster, Environment, environment, dependents)
  await removeResources(environment, tools)
  await tools.dispatcher.notifyLast(environment)
  await removeDeployments(environment, tools.cluster)
  await tools.removeContent(environment)
  await awaitLastResources(environment, tools)
}

/**
 * A later environment of the same name must not find these deployments. Asks the API server for those that the cache does not
 * have yet, unless its watch has come as far as that of environments.
 */
async function removeDeployments(environment: Environment, cluster: Cluster): Promise<void> {
  const { store } = cluster
  const { namespace, name } = environment.metadata
  const live = deploymentsOf(environment, store).filter(({ metadata }) => !metadata.deletionTimestamp)
  await inParallel(live, (each) => cluster.remove(EnvironmentDeployment, each))
  const left = deploymentsOf(environment, store)
  if (left.length > 0) throw deploymentsRemain(deletionKeepers(left, ({ metadata }) => `'${metadata.name}'`))
  if (store.reflects(EnvironmentDeployment, versionOf(environment))) return
  const unseen = await cluster.readNames(EnvironmentDeployment, namespace, { 'spec.environmentName': name })
  if (unseen.length > 0) throw deploymentsRemain('', 1)
}

function deploymentsRemain(keepers: string, retrySeconds?: number): Waiting {
  const message = `waiting for the deployments to be deleted${keepers}`
  return new Waiting('DeploymentsRemain', message, retrySeconds)
}

/** Throws an error that brings what was observed. */
function failWith(observed: object) {
  return (error: unknown): never => {
    const cause = explainRefusal(error)
    const reason = cause instanceof ReconcileError ? cause.reason : 'Failed'
    throw new ReconcileError(reason, cause instanceof Error ? cause.message : String(cause), observed)
  }
}

/** Deletes finished deployments beyond the kept ones, except those that an environment starts from. */
async function deleteOldDeployments(
  environment: Environment,
  deployments: readonly EnvironmentDeployment[],
  { cluster, keptDeployments }: Tools,
): Promise<void> {
  const environments = cluster.store.cacheOf(Environment)
  const unfinished = deployments.filter((each) => !isFinished(each))
  const { applicationName } = environment.spec
  const isStart = (each: EnvironmentDeployment) =>
    environments.anyByIndex('start', keyOf(each), ({ spec }) => spec.applicationName === applicationName) ||
    unfinished.some(({ spec }) => spec.fromDeploymentName === each.metadata.name)
  for (const each of removableDeployments(deployments, keptDeployments))
    if (!isStart(each) && !each.metadata.deletionTimestamp && !isLastPlanned(environment, each))
      await cluster.remove(EnvironmentDeployment, each)
}

/**
 * The deployments of an environment. One that ran and is older may have ended with an earlier environment of the name, and the
 * cache of a new leader can still show it: looks for it before the environment records it.
 */
async function ownDeployments(
  environment: Environment,
  cluster: Cluster,
): Promise<readonly EnvironmentDeployment[]> {
  const { metadata, status } = environment
  const isUncertain = (each: EnvironmentDeployment) =>
    each.metadata.creationTimestamp < metadata.creationTimestamp &&
    each.status?.startTime !== undefined &&
    (status?.lastPlanned === undefined || (!isFinished(each) && !isLastPlanned(environment, each)))
  const known = deploymentsOf(environment, cluster.store)
  const uncertain = known.filter(isUncertain)
  if (uncertain.length === 0) return known
  await inParallel(uncertain, ({ metadata: { namespace, name } }) =>
    refreshNamed(cluster, EnvironmentDeployment, namespace, name),
  )
  return deploymentsOf(environment, cluster.store)
}

function deploymentsOf(environment: Environment, store: Store): readonly EnvironmentDeployment[] {
  return store.byIndex(EnvironmentDeployment, 'environment', keyOf(environment))
}

function isTerminating(environment: Environment | undefined): boolean {
  return environment?.metadata.deletionTimestamp !== undefined
}

/** What matters to the environment: whether a deployment has started, has finished, is terminating, what keeps it, or is gone. */
function phaseOf(deployment: EnvironmentDeployment | undefined): string {
  if (!deployment) return 'gone'
  const { status, metadata } = deployment
  const keepers = keptByOthers(deployment)?.message
  return [status?.startTime, isFinished(deployment), metadata.deletionTimestamp, keepers].join()
}
