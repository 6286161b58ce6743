import { hasOrganizationRole } from '../api/roles.ts'
import { user } from '../api/session.ts'

/** Whether the user is an administrator of the organization. */
export function isAdministrator(org: string): boolean {
  return hasOrganizationRole(user.value?.roles ?? {}, org, 'administrator')
}
