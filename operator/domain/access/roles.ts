import type { Membership } from '../../api/access.ts'

type MembershipSpec = Membership['spec']
type ApplicationRole = NonNullable<MembershipSpec['applications']>[number]['role']

/** Role in an organization that an operation can require. Each role includes those before it. */
export type OrganizationRole = (typeof organizationRoles)[number]

const organizationRoles = ['member', 'artefactContributor', 'manager', 'administrator'] as const
const applicationRoles: readonly ApplicationRole[] = ['viewer', 'developer', 'owner']

/**
 * The minimum role for an operation: a role in the organization, or a role on the application. `orOrganization` names an
 * organization role that suffices instead; `deployer` also requires that role on the environment type.
 */
export type Requirement =
  | { readonly organization: OrganizationRole }
  | {
      readonly application: ApplicationRole
      readonly orOrganization?: Exclude<OrganizationRole, 'member'>
      readonly deployer?: boolean
    }

/** The application and environment type that a request is about. */
export interface RoleTarget {
  readonly applicationId?: string
  readonly environmentType?: string
}

/** Whether a membership satisfies a requirement. Without a membership the answer is always no. */
export function allows(
  membership: MembershipSpec | undefined,
  requirement: Requirement,
  target: RoleTarget = {},
): boolean {
  if (!membership) return false
  if (membership.role === 'administrator') return true
  if ('organization' in requirement) return hasOrganizationRole(membership, requirement.organization)
  const { application, orOrganization, deployer } = requirement
  if (deployer && !isDeployer(membership, target.environmentType)) return false
  if (orOrganization && hasOrganizationRole(membership, orOrganization)) return true
  return hasApplicationRole(membership, application, target.applicationId)
}

function hasOrganizationRole(membership: MembershipSpec, least: OrganizationRole): boolean {
  // `orgViewer` counts as a member here: it changes nothing in the organization.
  const held = organizationRoles.find((each) => each === membership.role) ?? 'member'
  return organizationRoles.indexOf(held) >= organizationRoles.indexOf(least)
}

function hasApplicationRole(
  membership: MembershipSpec,
  least: ApplicationRole,
  id: string | undefined,
): boolean {
  if (membership.role === 'orgViewer' && least === 'viewer' && id !== undefined) return true
  const held = membership.applications?.find(({ applicationName }) => applicationName === id)
  return held !== undefined && applicationRoles.indexOf(held.role) >= applicationRoles.indexOf(least)
}

function isDeployer(membership: MembershipSpec, environmentType: string | undefined): boolean {
  return (
    membership.environmentTypes?.some(
      ({ environmentTypeName, role }) => environmentTypeName === environmentType && role === 'deployer',
    ) ?? false
  )
}
