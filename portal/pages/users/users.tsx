import { useRead } from '../../api/reads.ts'
import type { UserRole } from '../../api/types.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { isAdministrator } from '../../managing/roles.ts'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import { NewUser } from './new-user.tsx'

/** Users of an organization with their roles, or the form for a new service user. */
export function Users({ parameters: { org = '' } }: PageProps) {
  const hasForm = useFormRight(isAdministrator(org))
  if (query.value.has('new') && hasForm) return <NewUser org={org} />
  return <UserList org={org} />
}

function UserList({ org }: { readonly org: string }) {
  const read = useRead('GET /orgs/{org_id}/users', { path: { org_id: org } }, { isList: true })
  return (
    <Page
      title="Users"
      documentTitle={`Users of ${org}`}
      actions={
        isAdministrator(org) && (
          <a class="button primary" href={linkTo(`${pathTo('/o/:org/users', { org })}?new`)}>
            New service user
          </a>
        )
      }
    >
      <p class="muted">
        People sign in with the identity provider; the cluster administrator adds them. Service users send
        tokens to the API.
      </p>
      <ReadView read={read} what="users">
        {(users) => (
          <FilteredTable
            what="users"
            items={users}
            keyOf={({ id }) => id}
            textOf={({ id, name, role, type }) => `${id} ${name} ${role} ${type}`}
            columns={[
              { title: 'Name', show: ({ name }) => name },
              { title: 'ID', show: ({ id }) => id },
              { title: 'Kind', show: ({ type }) => (type === 'service' ? 'service user' : type) },
              { title: 'Role', show: ({ role }) => role },
              { title: 'Roles', show: (each) => <RolesLink org={org} user={each} /> },
              { title: 'Tokens', show: (each) => <TokensLink org={org} user={each} /> },
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}

interface LinkProps {
  readonly org: string
  readonly user: UserRole
}

function RolesLink({ org, user: { id, name } }: LinkProps) {
  return <a href={linkTo(pathTo('/o/:org/users/:user/roles', { org, user: id }))}>Roles of {name}</a>
}

function TokensLink({ org, user: { id, name, type } }: LinkProps) {
  if (type !== 'service') return null
  return <a href={linkTo(pathTo('/o/:org/users/:user', { org, user: id }))}>Tokens of {name}</a>
}
