import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { Operations } from '../../api/types.ts'

/** Roles in an organization, with what they allow. */
export const organizationRoles = [
  { const: 'member', title: 'member: sees definitions, types and drivers' },
  { const: 'artefactContributor', title: 'artefactContributor: a member who adds artefacts' },
  { const: 'orgViewer', title: 'orgViewer: sees all applications' },
  { const: 'manager', title: 'manager: creates applications' },
  { const: 'administrator', title: 'administrator: may do everything' },
] as const

export const applicationRoles = ['viewer', 'developer', 'owner'] as const

type NewUserBody = Operations['POST /orgs/{org_id}/users']['body']

/** The schema of the form for a new service user. */
export const newUserSchema: FreeForm = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'What the service user is for.', minLength: 1 },
    role: {
      type: 'string',
      title: 'Role in the organization',
      description: 'Roles on applications and environment types are added later.',
      oneOf: organizationRoles,
    },
    email: { type: 'string', title: 'Email', description: 'Whom to ask about it.' },
  },
  required: ['name', 'role'],
  additionalProperties: false,
}

/** Body of a request for a new service user. */
export function newUserBody(value: unknown): NewUserBody {
  const { name, role, email } = isObject(value) ? value : ({} as FreeForm)
  const known = organizationRoles.find((each) => each.const === role)
  return {
    name: String(name),
    role: known?.const ?? 'member',
    email: typeof email === 'string' ? email : undefined,
  }
}

/** The role at a path such as `/orgs/acme/apps/shop`, from the permissions of a user. */
export function roleAt(
  objects: { readonly [path: string]: { readonly permissions: readonly string[] } },
  path: string,
): string {
  return objects[path]?.permissions[0] ?? ''
}

/** The request that changes a role: give, change, remove, or none. */
export function roleChange(before: string, after: string): 'POST' | 'PATCH' | 'DELETE' | undefined {
  if (before === after) return undefined
  if (after === '') return 'DELETE'
  return before === '' ? 'POST' : 'PATCH'
}
