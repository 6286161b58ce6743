import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import { freeForm, map, object, string } from '../../../operator/api/schema.ts'
import {
  contextOf,
  environmentNamespace,
  guResId,
  namespaceDescriptor,
  namespaceFor,
} from '../../../operator/domain/resource/identity.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { named } from '../../response/shapes.ts'
import { findEnvironment } from '../common/find.ts'

const runtimeShape = named(
  'EnvironmentRuntime',
  object(
    {
      namespace: string('Namespace for the Kubernetes objects of the environment.'),
      modules: map(freeForm('Controllers.'), 'Always empty: the service does not run workloads.'),
    },
    {},
    'Runtime information of an environment.',
  ),
)

function namespaceOf(store: Store, environment: Environment): string {
  const context = contextOf(environment)
  const resource = store.get(ActiveResource, context.organizationId, guResId(context, namespaceDescriptor))
  return namespaceFor(context, resource) ?? environmentNamespace(context)
}

/** Runtime information of environments. */
export const runtime: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime',
    summary: 'Get the namespace of an environment',
    tag: 'Environments',
    access: { application: 'viewer' },
    responses: { 200: runtimeShape },
    handle({ params }, { cluster: { store } }) {
      return ok({ namespace: namespaceOf(store, findEnvironment(store, params)), modules: {} })
    },
  }),
]
