import { useRead } from '../../api/reads.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import type { PageProps } from '../../routing/routes.ts'

/** Built-in drivers and those of the organization. */
export function Drivers({ parameters: { org = '' } }: PageProps) {
  const read = useRead('GET /orgs/{org_id}/resources/drivers', { path: { org_id: org } }, { isList: true })
  return (
    <Page title="Drivers" documentTitle={`Drivers of ${org}`}>
      <ReadView read={read} what="drivers">
        {(drivers) => (
          <FilteredTable
            what="drivers"
            items={drivers}
            keyOf={({ org_id, id }) => `${org_id}/${id}`}
            textOf={({ org_id, id, type }) => `${org_id}/${id} ${type}`}
            columns={[
              { title: 'Driver', show: ({ org_id, id }) => `${org_id}/${id}` },
              { title: 'Provisions', show: ({ type }) => (type === '*' ? 'any type' : type) },
              { title: 'Accounts', show: ({ account_types }) => account_types.join(', ') || 'none' },
              { title: 'Target', show: ({ target }) => target ?? 'built in' },
              { title: 'State', show: ({ status_message }) => status_message ?? '' },
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}
