import { useEffect, useState } from 'preact/hooks'
import { callPage } from '../../api/client.ts'
import type { AuditRecord } from '../../api/types.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Loading } from '../../components/read-view.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { resultText } from './result-text.ts'

/** Audit records of an organization, newest first; older ones are read when they are asked for. */
export function Audit({ parameters: { org = '' } }: PageProps) {
  const [records, setRecords] = useState<readonly AuditRecord[] | undefined>(undefined)
  const [next, setNext] = useState<string | undefined>(undefined)
  const { isBusy, problem, run } = useAction()
  const read = (address: string | undefined) =>
    run(async () => {
      const input = { path: { org_id: org }, query: { per_page: '100' } }
      const page = await callPage('GET /orgs/{org_id}/audit-logs', input, { address })
      setRecords((known) => (address === undefined ? page.items : [...(known ?? []), ...page.items]))
      setNext(page.next)
    })
  useEffect(() => void read(undefined), [org])
  return (
    <Page
      title="Audit"
      documentTitle={`Audit of ${org}`}
      actions={
        <button type="button" disabled={isBusy} onClick={() => void read(undefined)}>
          Read the newest
        </button>
      }
    >
      {problem && <ProblemNotice problem={problem} onRetry={() => void read(records && next)} />}
      {records === undefined && !problem && <Loading what="audit records" />}
      {records && <Records records={records} />}
      {next !== undefined && (
        <div class="actions">
          <button type="button" disabled={isBusy} onClick={() => void read(next)}>
            Read older records
          </button>
        </div>
      )}
    </Page>
  )
}

function Records({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <FilteredTable
      what="audit records"
      items={records}
      keyOf={({ id }) => id}
      textOf={(each) => `${each.user_id} ${each.request_method} ${each.request_path} ${resultText(each)}`}
      columns={[
        { title: 'Time', show: ({ at }) => <Time at={at} /> },
        { title: 'User', show: ({ user_id }) => user_id },
        {
          title: 'Request',
          show: ({ request_method, request_path }) => `${request_method} ${request_path}`,
        },
        { title: 'Result', show: resultText },
      ]}
    />
  )
}
