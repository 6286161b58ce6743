import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { boolean, id, type Static, type TSchema } from '../../../operator/api/schema.ts'
import { type Endpoint, endpoint, noContent } from '../../endpoint.ts'
import { changeObject, modificationBy } from '../common/change.ts'
import { nameShape } from './delta-shape.ts'
import { findDelta, rewritten } from './delta-writing.ts'

type Field = 'archived' | 'env_id' | 'name'

/** Operations that set one field of a delta, at the current and at the legacy path. */
function fieldOf<B extends TSchema>(
  field: Field,
  summary: string,
  body: B,
  fieldsOf: (value: Static<B>) => Partial<DeploymentDelta['spec']>,
): Endpoint[] {
  return ([`metadata/${field}`, field] as const).map((path) =>
    endpoint({
      method: 'put',
      path: `/orgs/{org_id}/apps/{app_id}/deltas/{delta_id}/${path}`,
      summary: path === field ? `${summary} (legacy path)` : summary,
      tag: 'Deployment deltas',
      access: { application: 'developer' },
      body,
      responses: { 204: undefined },
      plainNotFound: true,
      async handle({ params, body: value, caller }, gateway) {
        const { cluster } = gateway
        const modification = modificationBy(caller, gateway)
        await changeObject(cluster, DeploymentDelta, findDelta(cluster.store, params), (delta) =>
          rewritten(delta, fieldsOf(value), modification),
        )
        return noContent
      },
    }),
  )
}

/** Metadata of deltas. Each body is a JSON string or boolean. */
export const deltaMetadata: readonly Endpoint[] = [
  ...fieldOf(
    'archived',
    'Archive or unarchive a delta',
    boolean('Whether the delta is archived.'),
    (archived) => ({ archived }),
  ),
  ...fieldOf('env_id', 'Set the environment of a delta', id('Environment ID.'), (environmentId) => ({
    environmentId,
  })),
  ...fieldOf('name', 'Rename a delta', nameShape, (displayName) => ({ displayName })),
]
