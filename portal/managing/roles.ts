import { hasApplicationRole, hasOrganizationRole } from '../api/roles.ts'
import { user } from '../api/session.ts'

function ownRoles() {
  return user.value?.roles ?? {}
}

/** Whether the user is an administrator of the organization. */
export function isAdministrator(org: string): boolean {
  return hasOrganizationRole(ownRoles(), org, 'administrator')
}

/** Whether the user may change shared values of the application. */
export function mayChangeValues(org: string, app: string): boolean {
  return hasApplicationRole(ownRoles(), org, app, 'developer')
}

/** Whether the user may see and change webhooks of the application. */
export function mayManageWebhooks(org: string, app: string): boolean {
  const roles = ownRoles()
  return hasApplicationRole(roles, org, app, 'owner') || hasOrganizationRole(roles, org, 'manager')
}
