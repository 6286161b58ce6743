import { ActiveResource } from '../api/active-resource.ts'
import { Application } from '../api/application.ts'
import { Environment } from '../api/environment.ts'
import { EnvironmentDeployment } from '../api/environment-deployment.ts'
import { EnvironmentType } from '../api/environment-type.ts'
import { SharedValue } from '../api/shared-value.ts'
import { Waiting } from '../domain/base/errors.ts'
import { isPresent, problemsOfReference, throwProblems } from '../domain/base/object-problem.ts'
import { isFinished, rememberedStart, removableDeployments } from '../domain/deployment/deployment.ts'
import { historyOf, isLastPlanned, isRepetition } from '../domain/deployment/deployment-history.ts'
import { formatDescriptor } from '../domain/resource/descriptor.ts'
import { contextOf, environmentNamespace } from '../domain/resource/identity.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { scoped } from '../kube/cache/kinds-in-store.ts'
import { shareReads } from '../kube/cache/shared-read.ts'
import { type Controller, type Watch, watchKind } from '../kube/loop/controller.ts'
import type { Objects } from '../kube/objects.ts'
import { deletionCauses, isCauseNews } from './shared/deletion-cause.ts'
import { isNamespaceOf, namespaceReference } from './shared/environment-namespace.ts'
import { inParallel } from './shared/parallel.ts'
import { watchPresence } from './shared/presence.ts'
import type { Dispatcher } from './webhook/dispatcher.ts'

/** An environment is ready when its application and type are there; deleting it deprovisions everything in it. */
export function environmentController(
  cluster: Cluster,
  objects: Objects,
  announcements: Pick<Dispatcher, 'notifyLast'>,
  settings: { readonly keptDeployments: number; readonly namespaces?: Watch },
): Controller<typeof Environment> {
  const { store } = cluster
  const indexOf = (environment: Environment) => scoped(environment, environment.metadata.name)
  /** Names of the environments that have resources, as the API server itself says. */
  const readOccupied = shareReads(async (namespace) => {
    const resources = await cluster.readAll(ActiveResource, namespace)
    return new Set(resources.map(({ spec }) => spec.environmentName))
  })
  return {
    kind: Environment,
    watches: [
      watchPresence(store.cacheOf(Application), (each) =>
        store.byIndex(Environment, 'application', scoped(each, each.metadata.name)).map(indexOf),
      ),
      watchPresence(store.cacheOf(EnvironmentType), (each) =>
        store.byIndex(Environment, 'type', scoped(each, each.metadata.name)).map(indexOf),
      ),
      watchKind(store.cacheOf(EnvironmentDeployment), ({ before, after }) => {
        const deployment = after ?? before
        if (!deployment || (after && isRepetition(after))) return []
        const own =
          phaseOf(before) === phaseOf(after) ? [] : [scoped(deployment, deployment.spec.environmentName)]
        return [...own, ...startingFrom(deployment).map(indexOf)]
      }),
      // Only the last one to go matters, and what holds one up: until then the environment waits.
      watchKind(store.cacheOf(ActiveResource), (change) => {
        const { before, after } = change
        if (after) return isCauseNews(change) ? [scoped(after, after.spec.environmentName)] : []
        if (!before) return []
        const index = scoped(before, before.spec.environmentName)
        return store.byIndex(ActiveResource, 'environment', index).length === 0 ? [index] : []
      }),
      ...(settings.namespaces ? [settings.namespaces] : []),
    ],
    async reconcile(environment) {
      const { namespace = '' } = environment.metadata
      const { applicationName, typeName } = environment.spec
      const deployments = store.byIndex(EnvironmentDeployment, 'environment', indexOf(environment))
      await forgetOldDeployments(environment, deployments)
      const { fromDeploymentName } = environment.spec
      const start =
        fromDeploymentName !== undefined &&
        rememberedStart(environment, store.get(EnvironmentDeployment, namespace, fromDeploymentName))
      const seen = {
        ...historyOf(environment, deployments),
        ...(start ? { start } : {}),
      }
      const isOwned = store.get(Application, namespace, applicationName) !== undefined
      const hasType = isPresent(store.get(EnvironmentType, namespace, typeName))
      throwProblems(
        [
          ...problemsOfReference('ApplicationNotFound', `application '${applicationName}'`, isOwned),
          ...problemsOfReference('EnvironmentTypeNotFound', `environment type '${typeName}'`, hasType),
        ],
        seen,
      )
      return seen
    },
    async finalize(environment) {
      await removeResources(environment)
      await removeNamespace(environment)
      await announcements.notifyLast(environment)
      await removeValues(environment)
      const deployments = store.byIndex(EnvironmentDeployment, 'environment', indexOf(environment))
      const standing = deployments.filter(({ metadata }) => !metadata.deletionTimestamp)
      await inParallel(standing, (each) => cluster.remove(EnvironmentDeployment, each))
      // A later environment of this name must not take them for its own.
      if (store.byIndex(EnvironmentDeployment, 'environment', indexOf(environment)).length > 0)
        throw new Waiting('DeploymentsRemain', 'waiting for the deployments to go')
    },
  }

  /** Environments that start from a deployment. */
  function startingFrom(deployment: EnvironmentDeployment): readonly Environment[] {
    return store.byIndex(Environment, 'start', scoped(deployment, deployment.metadata.name))
  }

  async function removeValues(environment: Environment) {
    const { environmentId } = contextOf(environment)
    const index = scoped(environment, environment.spec.applicationName)
    for (const each of store.byIndex(SharedValue, 'application', index))
      if (each.spec.environmentId === environmentId) await cluster.remove(SharedValue, each)
  }

  async function removeResources(environment: Environment) {
    const resources = store.byIndex(ActiveResource, 'environment', indexOf(environment))
    const standing = resources.filter(({ metadata }) => !metadata.deletionTimestamp)
    await inParallel(standing, (each) => cluster.remove(ActiveResource, each))
    const remaining = store.byIndex(ActiveResource, 'environment', indexOf(environment))
    if (remaining.length > 0) {
      const causes = deletionCauses(remaining, ({ spec }) => formatDescriptor(spec))
      throw new Waiting('ResourcesRemain', `waiting for the resources to be deprovisioned${causes}`)
    }
  }

  /** A cache may be behind: the API server has the last word before something goes for good. */
  async function awaitUnseenResources({ metadata: { namespace = '', name } }: Environment) {
    if ((await readOccupied(namespace)).has(name))
      throw new Waiting('ResourcesRemain', 'waiting for the resources to be deprovisioned', 1)
  }

  async function removeNamespace(environment: Environment) {
    const context = contextOf(environment)
    const namespaceName = environmentNamespace(context)
    const reference = namespaceReference(namespaceName)
    const existing = await objects.read(reference)
    const isGoing = existing?.metadata.deletionTimestamp !== undefined
    const isOurs = existing !== undefined && isNamespaceOf(existing, context)
    if (!isOurs || !isGoing) await awaitUnseenResources(environment)
    if (!isOurs) return
    if (!isGoing) await objects.remove(reference, existing.metadata.uid ?? '')
    // Its end is watched; it is looked at again in case that went unnoticed.
    throw new Waiting('NamespaceRemains', `waiting for the namespace '${namespaceName}' to go`, 30)
  }

  /** Finished deployments beyond the kept ones go. */
  async function forgetOldDeployments(
    environment: Environment,
    deployments: readonly EnvironmentDeployment[],
  ) {
    const old = removableDeployments(
      deployments,
      settings.keptDeployments,
      startsBeside(environment, deployments),
    )
    for (const each of old)
      if (!each.metadata.deletionTimestamp && !isLastPlanned(environment, each))
        await cluster.remove(EnvironmentDeployment, each)
  }

  /** What the environments of the application, and the deployments to come, say that they start from. */
  function startsBeside(
    environment: Environment,
    deployments: readonly EnvironmentDeployment[],
  ): ReadonlySet<string> {
    const index = scoped(environment, environment.spec.applicationName)
    const unfinished = deployments.filter((each) => !isFinished(each))
    const all = [...store.byIndex(Environment, 'application', index), ...unfinished]
    return new Set(all.flatMap(({ spec }) => spec.fromDeploymentName ?? []))
  }
}

/** What its environment cares for: whether a deployment has begun, has finished, is being deleted or is gone. */
function phaseOf(deployment: EnvironmentDeployment | undefined): string {
  if (!deployment) return 'gone'
  const { status, metadata } = deployment
  return [status?.startTime, isFinished(deployment), metadata.deletionTimestamp].join()
}
