import { call } from '../../api/client.ts'
import { readAgain } from '../../api/read-store.ts'
import { useRead } from '../../api/reads.ts'
import { user as signedIn } from '../../api/session.ts'
import type { UserRole } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { DeleteButton } from '../../managing/delete-button.tsx'
import { isAdministrator } from '../../managing/roles.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, navigate } from '../../routing/router.ts'
import { RoleChoice } from './role-choice.tsx'
import { changeApplicationRole, changeDeployer, changeOrganizationRole } from './role-requests.ts'
import { applicationRoles, organizationRoles, roleAt } from './user-roles.ts'

/** Roles of a user in the organization, on applications and on environment types. */
export function UserRoles({ parameters: { org = '', user = '' } }: PageProps) {
  const path = { org_id: org, user_id: user }
  const read = useRead('GET /orgs/{org_id}/users/{user_id}', { path })
  const users = pathTo('/o/:org/users', { org })
  const tokens = pathTo('/o/:org/users/:user', { org, user })
  return (
    <Page
      title={`Roles of ${read.data?.name ?? user}`}
      documentTitle={`Roles of ${user}`}
      crumbs={[{ label: 'Users', path: users }]}
      actions={
        read.data?.type === 'service' && (
          <a class="button" href={linkTo(tokens)}>
            Tokens
          </a>
        )
      }
    >
      <ReadView read={read} what="the user">
        {(found) => (
          <>
            <p class="muted">
              {found.type === 'service' ? 'Service user' : 'Person'} {found.id}
              {found.email && `, ${found.email}`}
            </p>
            {isAdministrator(org) && <Changes org={org} user={found} />}
          </>
        )}
      </ReadView>
    </Page>
  )
}

interface Props {
  readonly org: string
  readonly user: UserRole
}

function Changes({ org, user }: Props) {
  return (
    <>
      <Roles org={org} user={user} />
      <section class="panel stack" aria-labelledby="removal">
        <h2 id="removal">Removal</h2>
        <RemovalButton org={org} user={user} />
      </section>
    </>
  )
}

function Roles({ org, user }: Props) {
  const path = { org_id: org, user_id: user.id }
  const permissions = useRead('GET /orgs/{org_id}/users/{user_id}/perms', { path })
  const applications = useRead('GET /orgs/{org_id}/apps', { path: { org_id: org } }, { isList: true })
  const types = useRead('GET /orgs/{org_id}/env-types', { path: { org_id: org } }, { isList: true })
  return (
    <ReadView read={permissions} what="roles">
      {({ objects }) => (
        <>
          <section class="panel stack" aria-labelledby="organization-role">
            <h2 id="organization-role">Organization</h2>
            <ul class="role-list">
              <RoleChoice
                kind="organization"
                name={org}
                role={roleAt(objects, `/orgs/${org}`)}
                roles={organizationRoles.map((each) => ({ value: each.const, label: each.title }))}
                save={(before, role) => changeOrganizationRole(path, before, role)}
              />
            </ul>
          </section>
          <section class="panel stack" aria-labelledby="application-roles">
            <h2 id="application-roles">Applications</h2>
            <ReadView read={applications} what="applications">
              {(found) => (
                <ul class="role-list">
                  {found.length === 0 && <li class="muted">No application yet</li>}
                  {found.map(({ id }) => (
                    <RoleChoice
                      key={id}
                      kind="application"
                      name={id}
                      none="no role"
                      role={roleAt(objects, `/orgs/${org}/apps/${id}`)}
                      roles={applicationRoles.map((each) => ({ value: each, label: each }))}
                      save={(before, role) => changeApplicationRole({ ...path, app_id: id }, before, role)}
                    />
                  ))}
                </ul>
              )}
            </ReadView>
          </section>
          <section class="panel stack" aria-labelledby="environment-type-roles">
            <h2 id="environment-type-roles">Environment types</h2>
            <ReadView read={types} what="environment types">
              {(found) => (
                <ul class="role-list">
                  {found.map(({ id }) => (
                    <RoleChoice
                      key={id}
                      kind="environment type"
                      name={id}
                      none="no role"
                      role={roleAt(objects, `/orgs/${org}/env-types/${id}`)}
                      roles={[{ value: 'deployer', label: 'deployer' }]}
                      save={(before, role) => changeDeployer({ ...path, env_type_id: id }, before, role)}
                    />
                  ))}
                </ul>
              )}
            </ReadView>
          </section>
        </>
      )}
    </ReadView>
  )
}

/** A service user is deleted with its tokens; a person only loses the roles in the organization. */
function RemovalButton({ org, user: { id, name, type } }: Props) {
  const isService = type === 'service'
  if (id === signedIn.value?.id) return <p class="muted">You cannot remove yourself.</p>
  return (
    <DeleteButton
      what={name}
      label={isService ? 'Delete the service user' : 'Remove from the organization'}
      verb={isService ? 'Delete' : 'Remove'}
      onDelete={async () => {
        await call('DELETE /orgs/{org_id}/users/{user_id}', { path: { org_id: org, user_id: id } })
        await readAgain(`/orgs/${encodeURIComponent(org)}/users`)
        navigate(pathTo('/o/:org/users', { org }), { replace: true })
      }}
    >
      <p>{isService ? 'Its tokens are refused within a second.' : 'All roles in the organization end.'}</p>
    </DeleteButton>
  )
}
