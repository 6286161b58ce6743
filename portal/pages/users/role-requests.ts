import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import { applicationRoles, organizationRoles, roleChange } from './user-roles.ts'

interface UserPath {
  readonly org_id: string
  readonly user_id: string
}

function readUsersAgain({ org_id }: UserPath): Promise<void> {
  return invalidate(`/orgs/${encodeURIComponent(org_id)}/users`)
}

/** Changes the role in the organization. */
export async function changeOrganizationRole(path: UserPath, after: string): Promise<void> {
  const role = organizationRoles.find((each) => each.const === after)?.const
  if (role === undefined) return
  await call('PATCH /orgs/{org_id}/users/{user_id}', { path: { ...path }, body: { role } })
  await readUsersAgain(path)
}

/** Gives, changes or removes the role on an application. */
export async function changeApplicationRole(
  path: UserPath & { readonly app_id: string },
  before: string,
  after: string,
): Promise<void> {
  const role = applicationRoles.find((each) => each === after) ?? 'viewer'
  const change = roleChange(before, after)
  const one = '/orgs/{org_id}/apps/{app_id}/users/{user_id}'
  if (change === 'DELETE') await call(`DELETE ${one}`, { path })
  if (change === 'PATCH') await call(`PATCH ${one}`, { path, body: { role } })
  if (change === 'POST')
    await call('POST /orgs/{org_id}/apps/{app_id}/users', { path, body: { id: path.user_id, role } })
  await readUsersAgain(path)
}

/** Gives or removes the role `deployer` on an environment type. */
export async function changeDeployer(
  path: UserPath & { readonly env_type_id: string },
  before: string,
  after: string,
): Promise<void> {
  const change = roleChange(before, after)
  const users = '/orgs/{org_id}/env-types/{env_type_id}/users'
  if (change === 'DELETE') await call(`DELETE ${users}/{user_id}`, { path })
  if (change === 'POST') await call(`POST ${users}`, { path, body: { id: path.user_id, role: 'deployer' } })
  await readUsersAgain(path)
}
