import { applicationRole, type Membership } from '../../../operator/api/access.ts'
import { Application } from '../../../operator/api/application.ts'
import type { Endpoint } from '../../endpoint.ts'
import { findApplication } from '../common/find.ts'
import { roleUsers } from '../users/role-users.ts'

type Roles = Membership['spec']
type ApplicationRole = NonNullable<Roles['applications']>[number]['role']

/** Returns the roles with the given role on the application, or without one. */
export function withApplicationRole(
  { applications = [], ...roles }: Roles,
  applicationName: string,
  role: ApplicationRole | undefined,
): Roles {
  const others = applications.filter((each) => each.applicationName !== applicationName)
  return { ...roles, applications: role === undefined ? others : [...others, { applicationName, role }] }
}

/** Users of an application. */
export const applicationUsers: readonly Endpoint[] = roleUsers({
  path: '/orgs/{org_id}/apps/{app_id}',
  what: 'application',
  access: { application: 'owner' },
  role: applicationRole,
  kind: Application,
  find: (store, { org_id = '', app_id = '' }) => findApplication(store, { org_id, app_id }),
  roleOf: ({ applications = [] }, id) => applications.find((each) => each.applicationName === id)?.role,
  withRole: withApplicationRole,
})
