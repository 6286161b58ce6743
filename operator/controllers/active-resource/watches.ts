import { ActiveResource } from '../../api/active-resource.ts'
import { Environment } from '../../api/environment.ts'
import { Registry } from '../../api/registry.ts'
import { ResourceAccount } from '../../api/resource-account.ts'
import { ResourceType } from '../../api/resource-type.ts'
import { sameJson } from '../../domain/base/json.ts'
import { runSettingsOf } from '../../domain/rendering/run-settings.ts'
import { workloadOf } from '../../domain/resource/identity.ts'
import { qualifiedTypeName, simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import type { Change } from '../../kube/cache/cache.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Watch, watchKind } from '../../kube/loop/controller.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import { givesCredentials, isUsable } from '../image/pull-credentials.ts'
import { dependenciesOf, dependentsOf } from '../shared/dependents.ts'
import { watchDrivers } from '../shared/driver-watch.ts'
import type { ResourceTools } from './resource-tools.ts'

/** Watches that enqueue active resources when something that they depend on changes. */
export function watchesOf({
  cluster: { store },
  inventory,
  hostReservations,
  renewals,
  removals,
  rollouts,
}: ResourceTools): Watch[] {
  const cache = store.cacheOf(ActiveResource)
  return [
    watchKind(cache, (change) => relatedTo(change, store)),
    { subscribe: (enqueue) => inventory.onEnqueue((key) => enqueue([key])) },
    { subscribe: (enqueue) => hostReservations.onFreed((key) => enqueue([key])) },
    { subscribe: (enqueue) => renewals.onEnqueue((key) => enqueue([key])) },
    { subscribe: (enqueue) => removals.onEnqueue(enqueue) },
    { subscribe: (enqueue) => rollouts.pods.onEnqueue((key) => enqueue([key])) },
    watchKind(store.cacheOf(ResourceAccount), ({ before, after }) => {
      const account = after ?? before
      if (!account || before?.spec === after?.spec) return []
      return cache.byIndex('account', scoped(account, account.metadata.name)).map(keyOf)
    }),
    watchDrivers(store, (driver, types) =>
      types.flatMap((type) => cache.byIndex('driver', scoped(driver, type)).map(keyOf)),
    ),
    // Credentials of a registry reach the workloads at once.
    watchKind(store.cacheOf(Registry), ({ before, after }) => {
      const registry = after ?? before
      const uses = [isUsable, givesCredentials]
      const isSame = before?.spec === after?.spec && uses.every((use) => use(before) === use(after))
      if (!registry || isSame) return []
      return cache
        .inNamespace(registry.metadata.namespace)
        .filter(({ spec }) => simpleTypeName(spec.type) === workloadType)
        .map(keyOf)
    }),
    // What an environment says about pods takes effect without a deployment.
    watchKind(store.cacheOf(Environment), ({ before, after }) => {
      if (!after || before?.spec === after.spec) return []
      const isChanged = (workload: string) =>
        !sameJson(runSettingsOf(before, workload), runSettingsOf(after, workload))
      return cache
        .byIndex('environment', keyOf(after))
        .filter(({ spec }) => simpleTypeName(spec.type) === workloadType)
        .filter(({ spec }) => isChanged(workloadOf(spec.resourceId) ?? ''))
        .map(keyOf)
    }),
    // A type declares which outputs are secret: those leave the status at once.
    watchKind(store.cacheOf(ResourceType), ({ before, after }) => {
      const type = after ?? before
      if (!type || before?.spec === after?.spec) return []
      return cache.byIndex('type', scoped(type, qualifiedTypeName(type))).map(keyOf)
    }),
  ]
}

/**
 * Keys of the dependents when a resource becomes ready or changes its outputs, and of its terminating dependencies when
 * it is deleted.
 */
function relatedTo({ before, after }: Change<ActiveResource>, store: Store): string[] {
  if (after && isReady(after) && !isSameAsReady(before, after)) return dependentsOf(after, store).map(keyOf)
  const isTerminating = after?.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp
  if (!before || (after && !isTerminating)) return []
  const { namespace } = before.metadata
  const dependencies = dependenciesOf(before, store).map((name) => store.get(ActiveResource, namespace, name))
  return dependencies.flatMap((each) => (each?.metadata.deletionTimestamp ? [keyOf(each)] : []))
}

/** Whether dependents know the inputs and outputs of the resource: a repair with equal inputs may change the outputs. */
function isSameAsReady(before: ActiveResource | undefined, after: ActiveResource): boolean {
  if (before === undefined || !isReady(before)) return false
  const [old, now] = [before.status, after.status]
  return old?.inputsHash === now?.inputsHash && old?.provisionTime === now?.provisionTime
}
