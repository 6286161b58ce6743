import { ActiveResource } from '../../api/active-resource.ts'
import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { DeploymentSet } from '../../api/deployment-set.ts'
import { Environment } from '../../api/environment.ts'
import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import type { Kind, ObjectOf } from '../../api/kind.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import { ResourceDefinition } from '../../api/resource-definition.ts'
import { ResourceDriver } from '../../api/resource-driver.ts'
import { ResourceType } from '../../api/resource-type.ts'
import { SharedValue } from '../../api/shared-value.ts'
import { Workload } from '../../api/workload.ts'
import { hasMoreRoom } from '../../domain/base/quota.ts'
import { isFinished, setNameOf } from '../../domain/deployment/deployment.ts'
import { unfinishedAfter } from '../../domain/deployment/deployment-order.ts'
import type { Change } from '../../kube/cache/cache.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import type { Counter } from '../../kube/cache/counter.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'
import { type Watch, watchKind } from '../../kube/loop/controller.ts'
import type { Renewals } from '../shared/renewals.ts'
import type { ResourceProgress } from '../shared/resource-progress.ts'
import { unfinishedIn } from '../shared/unfinished-deployments.ts'
import type { RunningDeployments, WaitingDeployments } from './running-deployments.ts'

/** Kinds that a plan reads, in addition to sets, deltas and active resources. */
export const planInputs: readonly Kind[] = [
  ResourceDefinition,
  ResourceType,
  ResourceAccount,
  ResourceDriver,
  SharedValue,
  Workload,
]

/** Watches that enqueue deployments; `onDeleted` is called with each deployment that is gone. */
export function deploymentWatches(
  {
    cluster: { store },
    progress,
    renewals,
    running,
    waiting,
  }: {
    readonly cluster: Pick<Cluster, 'store'>
    readonly progress: Counter<ResourceProgress>
    readonly renewals: Renewals
    readonly running: RunningDeployments
    readonly waiting: WaitingDeployments
  },
  onDeleted: (deployment: EnvironmentDeployment) => void,
): Watch[] {
  const waitingFor = (object: ObjectOf<Kind> | undefined) => waiting.keysIn(object?.metadata.namespace ?? '')
  return [
    { subscribe: (enqueue) => renewals.onEnd((environmentKey) => enqueue(running.keysIn(environmentKey))) },
    watchKind(store.cacheOf(ActiveResource), ({ before, after }) => {
      const resource = after ?? before
      return resource ? deploymentEndedBy(resource, progress, running) : []
    }),
    watchKind(store.cacheOf(EnvironmentDeployment), (change) => {
      const { before, after } = change
      if (before && !after) onDeleted(before)
      // Another deployment may start from the set of this one.
      const setName = after && setNameOf(after)
      const isNewSet = setName !== undefined && setName !== (before && setNameOf(before))
      return [...movedBy(change, store), ...(isNewSet ? waitingFor(after) : [])]
    }),
    watchKind(store.cacheOf(Environment), (change) => deploymentsOf(change, store)),
    {
      subscribe: (enqueue) =>
        store.quotas.subscribe(({ before, after }) => {
          if (before && hasMoreRoom(before, after)) enqueue(waiting.keysIn(before.metadata.namespace))
        }),
    },
    watchKind(store.cacheOf(DeploymentDelta), ({ before, after }) => {
      const delta = after ?? before
      return waitingFor(delta).filter((key) => deltaNameOf(key, store) === delta?.metadata.name)
    }),
    watchKind(store.cacheOf(DeploymentSet), ({ before, after }) =>
      after && !before ? waitingFor(after) : [],
    ),
    ...planInputs.map((kind) =>
      watchKind<Kind>(store.cacheOf<Kind>(kind), ({ before, after }) => waitingFor(after ?? before)),
    ),
  ]
}

/** The deployments that wait for another one than before, because one ends, comes, begins or is gone: those directly behind it. */
function movedBy({ before, after }: Change<EnvironmentDeployment>, store: Store): string[] {
  const deployment = after ?? before
  const placeOf = (each: EnvironmentDeployment | undefined) =>
    each && !isFinished(each) ? (each.status?.setName ?? '') : undefined
  if (!deployment || placeOf(before) === placeOf(after)) return []
  const others = unfinishedIn(environmentKeyOf(deployment), store)
  return [before, after].flatMap((each) => {
    const behind = each && unfinishedAfter(others, each)
    return behind ? [keyOf(behind)] : []
  })
}

function deltaNameOf(key: string, store: Store): string | undefined {
  return store.get(EnvironmentDeployment, ...namespacedName(key))?.spec.deltaName
}

/** Constant work for each event, however many resources a deployment has. */
function deploymentEndedBy(
  resource: ActiveResource,
  progress: Counter<ResourceProgress>,
  running: RunningDeployments,
): string[] {
  const environmentKey = environmentKeyOf(resource)
  const { pending, failed } = progress.of(environmentKey)
  return pending === 0 || failed > 0 ? running.keysIn(environmentKey) : []
}

/** Unfinished deployments when an environment appears, terminates or is gone; terminating ones at every change. */
function deploymentsOf({ before, after }: Change<Environment>, store: Store): string[] {
  const environment = after ?? before
  if (!environment) return []
  const isSame = before && after && before.metadata.deletionTimestamp === after.metadata.deletionTimestamp
  return store
    .byIndex(EnvironmentDeployment, 'environment', keyOf(environment))
    .filter((each) => each.metadata.deletionTimestamp || (!isSame && !isFinished(each)))
    .map(keyOf)
}
