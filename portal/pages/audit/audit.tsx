import { useRead } from '../../api/reads.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { Time } from '../../components/time.tsx'
import type { PageProps } from '../../routing/routes.ts'

/** The last audit records of an organization, newest first. */
export function Audit({ parameters: { org = '' } }: PageProps) {
  const read = useRead('GET /orgs/{org_id}/audit-logs', { path: { org_id: org }, query: { per_page: '100' } })
  return (
    <Page title="Audit" documentTitle={`Audit of ${org}`}>
      <ReadView read={read} what="audit records">
        {(records) => (
          <FilteredTable
            what="audit records"
            items={records}
            keyOf={({ id }) => id}
            textOf={(each) => `${each.user_id} ${each.request_method} ${each.request_path} ${each.result}`}
            columns={[
              { title: 'Time', show: ({ at }) => <Time at={at} /> },
              { title: 'User', show: ({ user_id }) => user_id },
              {
                title: 'Request',
                show: ({ request_method, request_path }) => `${request_method} ${request_path}`,
              },
              { title: 'Result', show: ({ result, response_status }) => `${result} (${response_status})` },
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}
