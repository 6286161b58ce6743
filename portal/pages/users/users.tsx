import { useRead } from '../../api/reads.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { pathTo } from '../../routing/paths.ts'
import { linkTo } from '../../routing/router.ts'
import type { PageProps } from '../../routing/routes.ts'

/** Users of an organization with their roles. */
export function Users({ parameters: { org = '' } }: PageProps) {
  const read = useRead('GET /orgs/{org_id}/users', { path: { org_id: org } }, { isList: true })
  return (
    <Page title="Users" documentTitle={`Users of ${org}`}>
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
              {
                title: 'Tokens',
                show: ({ id, type, name }) =>
                  type === 'service' && (
                    <a href={linkTo(pathTo('/o/:org/users/:user', { org, user: id }))}>Tokens of {name}</a>
                  ),
              },
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}
