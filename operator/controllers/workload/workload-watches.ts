import { ActiveResource } from '../../api/active-resource.ts'
import { Application } from '../../api/application.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Workload } from '../../api/workload.ts'
import { sameJson } from '../../domain/base/json.ts'
import { isFinished } from '../../domain/deployment/deployment.ts'
import { workloadOf } from '../../domain/resource/identity.ts'
import { environmentIdOf, isTarget } from '../../domain/workload/targets.ts'
import type { Change } from '../../kube/cache/cache.ts'
import { environmentKeyOf, scoped } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'
import { type Watch, watchKind } from '../../kube/loop/controller.ts'
import { isReady, stateOf } from '../../kube/loop/outcome.ts'
import { entryFor, workloadsBeside } from '../../planning/owners.ts'
import { watchLifecycle } from '../shared/watch-lifecycle.ts'
import type { WorkloadTools } from './workload-environment.ts'
import { isDeploying } from './workload-status.ts'

/** Watches that enqueue the Workloads whose state in an environment may be another one. */
export function workloadWatches({ store, refusals }: Pick<WorkloadTools, 'store' | 'refusals'>): Watch[] {
  const runningIn = (environmentKey: string) => {
    const environment = store.get(Environment, ...namespacedName(environmentKey))
    return environment ? workloadsOf(environment, store) : []
  }
  return [
    watchLifecycle(store.cacheOf(Application), (each) =>
      store.byIndex(Workload, 'application', scoped(each, each.metadata.name)).map(keyOf),
    ),
    { subscribe: (enqueue) => refusals.subscribe((key) => enqueue(runningIn(key))) },
    watchKind(store.cacheOf(Environment), ({ before, after }) => {
      if (before && after && isAlike(before, after)) return []
      // With other labels, it may be the environment of other Workloads.
      return [...new Set([before, after].flatMap((each) => (each ? workloadsOf(each, store) : [])))]
    }),
    watchKind(store.cacheOf(EnvironmentDeployment), ({ before, after }) => {
      const deployment = after ?? before
      if (!deployment || (before && after && isFinished(before) === isFinished(after))) return []
      const started = store.byIndex(Environment, 'start', scoped(deployment, deployment.metadata.name))
      return [environmentKeyOf(deployment), ...started.map(keyOf)].flatMap(runningIn)
    }),
    watchKind(store.cacheOf(Workload), (change) => notReadyBeside(change, store)),
    watchKind(store.cacheOf(ActiveResource), (change) => usersOf(change, store, runningIn)),
  ]
}

/** The Workloads that run in an environment, or shall. */
function workloadsOf(environment: Environment, store: Store): string[] {
  return workloadsBeside(store, environment)
    .filter((each) => isTarget(each, environment) || entryFor(each, environmentIdOf(environment)))
    .map(keyOf)
}

/** Whether two versions of an environment are the same for Workloads: not each of its conditions matters to all of them. */
function isAlike(before: Environment, after: Environment): boolean {
  const read = ({ metadata, spec, status }: Environment) => [
    [metadata.uid, metadata.deletionTimestamp, metadata.labels, spec],
    [status?.lastPlanned, status?.pastDeployments, status?.start],
  ]
  return sameJson(read(before), read(after))
}

/** Another Workload may give up what these conflict with. */
function notReadyBeside({ before, after }: Change<Workload>, store: Store): string[] {
  const workload = after ?? before
  const isSame = before?.metadata.generation === after?.metadata.generation && before && after
  if (!workload || isSame) return []
  return store
    .byIndex(Workload, 'application', scoped(workload, workload.spec.applicationName))
    .filter((each) => each.metadata.name !== workload.metadata.name && !isReady(each))
    .map(keyOf)
}

/** The Workload that a resource belongs to, or all that may share it. */
function usersOf(
  { before, after }: Change<ActiveResource>,
  store: Store,
  runningIn: (environmentKey: string) => string[],
): string[] {
  const isSame =
    before &&
    after &&
    stateOf(before) === stateOf(after) &&
    before.status?.outputs?.['host'] === after.status?.outputs?.['host']
  // A deployment reports all resources when it ends.
  if (!after || isSame || isDeploying(after, store)) return []
  const owner = workloadOf(after.spec.resourceId)
  if (owner === undefined) return runningIn(environmentKeyOf(after))
  const [application = ''] = after.spec.environmentName.split('.')
  const name = `${application}.${owner}`
  return store.get(Workload, after.metadata.namespace, name) ? [`${after.metadata.namespace}/${name}`] : []
}
