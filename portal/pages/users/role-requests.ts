import { call } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { invalidate } from '../../api/read-store.ts'
import { applicationRoles, organizationRoles, roleAt, roleChange } from './user-roles.ts'

interface UserPath {
  readonly org_id: string
  readonly user_id: string
}

/**
 * Sends a change of the role at a path such as `/orgs/acme/apps/shop`, unless someone else has changed the role. The page
 * reads the roles again, also after a refusal.
 */
async function changeRole(
  { org_id, user_id }: UserPath,
  at: string,
  before: string,
  send: () => Promise<unknown>,
): Promise<void> {
  try {
    const { objects } = await call('GET /orgs/{org_id}/users/{user_id}/perms', { path: { org_id, user_id } })
    const present = roleAt(objects, at)
    if (present !== before)
      throw new ApiProblem(
        412,
        'ChangedMeanwhile',
        `someone else has changed this role to ${present === '' ? 'no role' : `'${present}'`}`,
      )
    await send()
  } finally {
    await invalidate(`/orgs/${encodeURIComponent(org_id)}/users`)
  }
}

/** Changes the role in the organization. */
export async function changeOrganizationRole(path: UserPath, before: string, after: string): Promise<void> {
  const role = organizationRoles.find((each) => each.const === after)?.const
  if (role === undefined) return
  await changeRole(path, `/orgs/${path.org_id}`, before, () =>
    call('PATCH /orgs/{org_id}/users/{user_id}', { path: { ...path }, body: { role } }),
  )
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
  await changeRole(path, `/orgs/${path.org_id}/apps/${path.app_id}`, before, async () => {
    if (change === 'DELETE') await call(`DELETE ${one}`, { path })
    if (change === 'PATCH') await call(`PATCH ${one}`, { path, body: { role } })
    if (change === 'POST')
      await call('POST /orgs/{org_id}/apps/{app_id}/users', { path, body: { id: path.user_id, role } })
  })
}

/** Gives or removes the role `deployer` on an environment type. */
export async function changeDeployer(
  path: UserPath & { readonly env_type_id: string },
  before: string,
  after: string,
): Promise<void> {
  const change = roleChange(before, after)
  const users = '/orgs/{org_id}/env-types/{env_type_id}/users'
  await changeRole(path, `/orgs/${path.org_id}/env-types/${path.env_type_id}`, before, async () => {
    if (change === 'DELETE') await call(`DELETE ${users}/{user_id}`, { path })
    if (change === 'POST') await call(`POST ${users}`, { path, body: { id: path.user_id, role: 'deployer' } })
  })
}
