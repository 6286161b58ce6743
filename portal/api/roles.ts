/** Roles by path, as the profile of a user gives them. */
export type Roles = Readonly<Record<string, string>>

const applicationRanks: Readonly<Record<string, number>> = { viewer: 1, developer: 2, owner: 3 }
const organizationRanks: Readonly<Record<string, number>> = {
  orgViewer: 1,
  member: 1,
  artefactContributor: 2,
  manager: 3,
  administrator: 4,
}

/** Whether the user has a role in the organization, or a higher one. */
export function hasOrganizationRole(roles: Roles, organization: string, role: string): boolean {
  const own = organizationRanks[roles[`/orgs/${organization}`] ?? ''] ?? 0
  return own >= (organizationRanks[role] ?? Number.POSITIVE_INFINITY)
}

/** Whether the user has a role on the application, or a higher one; administrators are owners everywhere. */
export function hasApplicationRole(
  roles: Roles,
  organization: string,
  application: string,
  role: string,
): boolean {
  if (hasOrganizationRole(roles, organization, 'administrator')) return true
  const own = applicationRanks[roles[`/orgs/${organization}/apps/${application}`] ?? ''] ?? 0
  return own >= (applicationRanks[role] ?? Number.POSITIVE_INFINITY)
}

/** Whether the user may deploy to environments of a type. */
export function isDeployer(roles: Roles, organization: string, environmentType: string): boolean {
  if (hasOrganizationRole(roles, organization, 'administrator')) return true
  return roles[`/orgs/${organization}/env-types/${environmentType}`] === 'deployer'
}
