import { list, map, object, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Organization } from '../../../operator/kube/cache/store.ts'
import { membershipIn } from '../../authenticate.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { objectName } from '../../request/parameters.ts'
import { named, nullable } from '../../response/shapes.ts'
import { listEndpoint } from '../common/list-endpoint.ts'

const organizationShape = named(
  'Organization',
  object(
    {
      id: objectName('Organization ID.'),
      name: string('Display name.'),
      created_at: time('Time when it was created.'),
      created_by: string('Always empty.'),
      trial_expires_at: nullable(time('Always null.')),
      logo: map(string('URL of an image.'), 'Always empty.'),
    },
    {},
    'An organization.',
  ),
)

function toOrganization({ id, displayName, createdAt }: Organization) {
  return { id, name: displayName, created_at: createdAt, created_by: '', trial_expires_at: null, logo: {} }
}

/** Organizations, which cluster administrators create. */
export const organizations: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs',
    summary: 'List the organizations that the caller can access',
    tag: 'Organizations',
    access: 'authenticated',
    response: list(organizationShape, 'Organizations.'),
    find: ({ caller }, { cluster: { store } }) =>
      store.organizations().filter(({ id }) => membershipIn(store, caller, id)),
    positionOf: ({ id }) => [id],
    show: toOrganization,
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}',
    summary: 'Get an organization',
    tag: 'Organizations',
    access: { organization: 'member' },
    responses: { 200: organizationShape },
    handle({ params: { org_id } }, { cluster: { store } }) {
      const organization = store.organization(org_id)
      if (!organization) throw new Problem('NotFound', `organization '${org_id}' not found`)
      return ok(toOrganization(organization))
    },
  }),
]
