import { environmentTypeRole } from '../../../operator/api/access.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import type { Endpoint } from '../../endpoint.ts'
import { findOrThrow } from '../common/find.ts'
import { roleUsers } from '../users/role-users.ts'

/** Users with a role on an environment type. */
export const environmentTypeUsers: readonly Endpoint[] = roleUsers({
  path: '/orgs/{org_id}/env-types/{env_type_id}',
  what: 'environment type',
  access: { organization: 'administrator' },
  role: environmentTypeRole,
  kind: EnvironmentType,
  find(store, { org_id = '', env_type_id = '' }) {
    return findOrThrow(store, EnvironmentType, org_id, env_type_id, 'environment type')
  },
  roleOf: ({ environmentTypes = [] }, id) =>
    environmentTypes.find((each) => each.environmentTypeName === id)?.role,
  withRole({ environmentTypes = [], ...roles }, environmentTypeName, role) {
    const others = environmentTypes.filter((each) => each.environmentTypeName !== environmentTypeName)
    return {
      ...roles,
      environmentTypes: role === undefined ? others : [...others, { environmentTypeName, role }],
    }
  },
})
