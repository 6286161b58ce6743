import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import {
  defaultClass,
  formatDescriptor,
  splitTypeAndClass,
} from '../../../operator/domain/resource/descriptor.ts'
import { contextOf, guResId } from '../../../operator/domain/resource/identity.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { accepted, type Endpoint, endpoint, noContent } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { acceptedShape, errorShape } from '../../response/shapes.ts'
import { findEnvironment, waitUntilDeleted } from '../common/find.ts'
import { deploymentsTo, refuseUnfinished } from '../deployments/deployment-shape.ts'

/** Returns the active resource in the path; throws NotFound. */
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
  throw new Problem('NotFound', `active resource '${formatDescriptor(descriptor)}' not found`)
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
    async handle({ params, query: { detach } }, { cluster }) {
      const { store } = cluster
      const environment = findEnvironment(store, params)
      const resource = findResource(store, environment, params)
      const { namespace, name, uid, deletionTimestamp } = resource.metadata
      if (!deletionTimestamp) refuseUnfinished(deploymentsTo(store, namespace, environment.metadata.name))
      // Detaching also ends a deletion that has already begun and cannot succeed.
      if (isOn(detach)) {
        const annotation = { metadata: { uid, annotations: { [annotations.detach]: 'true' } } }
        await cluster.patch(ActiveResource, resource, annotation)
      }
      await cluster.remove(ActiveResource, resource)
      const isEnded = await waitUntilDeleted(() => store.get(ActiveResource, namespace, name))
      return isEnded ? noContent : accepted
    },
  }),
]
