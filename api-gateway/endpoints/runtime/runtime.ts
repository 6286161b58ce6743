import { Environment } from '../../../operator/api/environment.ts'
import { list, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { environmentObjectName } from '../../../operator/domain/resource/identity.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { objectName } from '../../request/parameters.ts'
import { anyOf } from '../../response/shapes.ts'
import { environmentIdOf, environmentsOf, findApplication, findEnvironment } from '../common/find.ts'
import { statusOfAll, toFirstForm, toSecondForm } from './runtime-forms.ts'
import { runtimeListShape, runtimeShape, secondRuntimeShape } from './runtime-shape.ts'
import { runtimeOf } from './runtime-workloads.ts'

const mostEnvironments = 5
const secondForm = 'application/v2+json'

/** One query parameter, or several of the same name. */
const environmentIds = {
  ...anyOf(
    objectName('Environment ID.'),
    list(objectName('Environment ID.'), 'Environment IDs.', { maxItems: mostEnvironments }),
  ),
  description:
    'Environment IDs, at most five. All environments of the application when absent, if it has no more.',
}

/** The pods of environments. */
export const runtime: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime',
    summary: 'Get the namespace of an environment, its pods and the objects that run them',
    tag: 'Runtime',
    access: { application: 'viewer' },
    headers: { Accept: string(`\`${secondForm}\` for the form with the status of each workload.`) },
    responses: { 200: runtimeShape },
    alternatives: { [secondForm]: secondRuntimeShape },
    async handle({ params, header }, { cluster }) {
      const found = await runtimeOf(cluster, findEnvironment(cluster.store, params))
      if (!header('accept')?.includes(secondForm)) return ok(toFirstForm(found))
      const content = JSON.stringify(toSecondForm(found))
      return { status: 200, text: { contentType: secondForm, content } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/runtime',
    summary: 'Get whether the workloads of up to five environments run',
    tag: 'Runtime',
    access: { application: 'viewer' },
    query: {
      id: environmentIds,
    },
    responses: { 200: runtimeListShape },
    async handle({ params, query }, { cluster }) {
      const application = findApplication(cluster.store, params)
      const all = environmentsOf(cluster.store, application).map(environmentIdOf)
      const ids = query.id === undefined ? all : [query.id].flat()
      if (ids.length > mostEnvironments) {
        const found = query.id === undefined ? `: the application has ${ids.length}` : ''
        throw new Problem('Invalid', `query: 'id' must name at most ${mostEnvironments} environments${found}`)
      }
      return ok(await Promise.all(ids.map((id) => stateOf(cluster, params, id))))
    },
  }),
]

async function stateOf(
  cluster: Cluster,
  { org_id, app_id }: { readonly org_id: string; readonly app_id: string },
  id: string,
) {
  const environment = cluster.store.get(Environment, org_id, environmentObjectName(app_id, id))
  if (!environment) return { id, paused: false, error: `environment '${id}' not found` }
  const { modules } = await runtimeOf(cluster, environment)
  return { id, paused: environment.spec.paused ?? false, status: statusOfAll(modules) }
}
