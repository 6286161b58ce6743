import { hasOrganizationRole, type Roles } from '../../api/roles.ts'

/** What a list without applications says. Only some roles see all applications, and only some create them. */
export function emptyText(roles: Roles, organization: string): string {
  const role = roles[`/orgs/${organization}`]
  const seesAll = role === 'administrator' || role === 'orgViewer'
  const text = seesAll ? 'No application yet.' : 'No application that your roles let you see.'
  if (!hasOrganizationRole(roles, organization, 'manager')) return text
  return `${text} Create one with REST, kubectl or Git.`
}
