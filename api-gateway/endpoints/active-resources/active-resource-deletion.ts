import { setTimeout } from 'node:timers/promises'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  defaultClass,
  formatDescriptor,
  splitTypeAndClass,
} from '../../../operator/domain/resource/descriptor.ts'
import { detachMark, isMarkedForAny } from '../../../operator/domain/resource/detach-mark.ts'
import { contextOf, guResId } from '../../../operator/domain/resource/identity.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { isConflict, isNotFound } from '../../../operator/kube/client/api-error.ts'
import { accepted, type Endpoint, endpoint, type Gateway, noContent } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { Missing } from '../../request/missing.ts'
import { acceptedShape, errorShape } from '../../response/shapes.ts'
import { patchObject, removeObject } from '../common/change.ts'
import { findEnvironment, waitUntilDeleted } from '../common/find.ts'
import { withRollback } from '../common/rollback.ts'
import { deploymentsTo, refuseUnfinished } from '../deployments/deployment-shape.ts'

/** Returns the active resource in the path; throws Missing. */
export function findResource(
  store: Store,
  environment: Environment,
  { res_type, res_id }: { readonly res_type: string; readonly res_id: string },
): ActiveResource {
  const { type, class: resourceClass = defaultClass } = splitTypeAndClass(res_type)
  const descriptor = { type, class: resourceClass, resourceId: res_id }
  const name = guResId(contextOf(environment), descriptor)
  const found = store.get(ActiveResource, environment.metadata.namespace, name)
  if (found) return found
  const text = `active resource '${formatDescriptor(descriptor)}' not found`
  throw new Missing(ActiveResource, environment.metadata.namespace, name, text)
}

/** Deletes a resource that its driver deprovisions, even if an earlier request or another client marked it before. */
async function removeAttached(cluster: Cluster, resource: ActiveResource): Promise<void> {
  if (resource.metadata.annotations?.[annotations.detach] !== undefined) await withdrawMark(cluster, resource)
  await removeObject(cluster, ActiveResource, resource)
}

/**
 * Marks a resource, then deletes it. Withdraws the mark if the deletion is refused: one that follows soon would keep the
 * infrastructure. The mark also ends a deletion that has already begun and cannot succeed.
 */
async function removeDetached(
  { cluster, log, serverNow }: Pick<Gateway, 'cluster' | 'log' | 'serverNow'>,
  resource: ActiveResource,
): Promise<void> {
  const isOfOthers = isMarkedForAny(resource.metadata)
  const annotation = { [annotations.detach]: isOfOthers ? 'true' : detachMark(serverNow()) }
  await patchObject(cluster, ActiveResource, resource, { metadata: { annotations: annotation } })
  const removeMarked = () => removeObject(cluster, ActiveResource, resource)
  await (isOfOthers ? removeMarked() : withRollback(log, () => withdrawMark(cluster, resource), removeMarked))
}

/** Pause between attempts, and how long to try while others change the resource. */
const pauseMs = 50
const withdrawalMs = 3000

/** Removes the mark of a resource, unless its deletion has begun: then the mark was asked for. */
async function withdrawMark(cluster: Cluster, resource: ActiveResource): Promise<void> {
  const { namespace, name, uid } = resource.metadata
  const deadline = performance.now() + withdrawalMs
  for (;;) {
    const current = cluster.store.get(ActiveResource, namespace, name)
    if (current?.metadata.uid !== uid || current.metadata.deletionTimestamp) return
    // The version refuses the patch if the deletion has begun and the cache does not show it yet.
    const { resourceVersion } = current.metadata
    const metadata = { uid, resourceVersion, annotations: { [annotations.detach]: null } }
    try {
      await cluster.patch(ActiveResource, resource, { metadata })
      return
    } catch (error) {
      if (isNotFound(error)) return
      if (!isConflict(error) || performance.now() > deadline) throw error
    }
    await setTimeout(pauseMs)
  }
}

/** Deletion of active resources. */
export const activeResourceDeletion: readonly Endpoint[] = [
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}',
    summary: 'Deprovision an active resource, or detach it',
    tag: 'Active resources',
    access: { organization: 'administrator' },
    query: {
      detach: flag('Whether to keep the provisioned infrastructure, which is then no longer managed.'),
    },
    responses: { 202: acceptedShape, 204: undefined, 409: errorShape },
    async handle({ params, query: { detach } }, gateway) {
      const { cluster } = gateway
      const { store } = cluster
      const environment = findEnvironment(store, params)
      const resource = findResource(store, environment, params)
      const { namespace, name, deletionTimestamp } = resource.metadata
      if (!deletionTimestamp) refuseUnfinished(deploymentsTo(store, namespace, environment.metadata.name))
      await (isOn(detach) ? removeDetached(gateway, resource) : removeAttached(cluster, resource))
      const isEnded = await waitUntilDeleted(() => store.get(ActiveResource, namespace, name))
      return isEnded ? noContent : accepted
    },
  }),
]
