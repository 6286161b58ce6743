import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type ApiProblem, asProblem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { hasOrganizationRole } from '../../api/roles.ts'
import { user } from '../../api/session.ts'
import type { AccountCheck } from '../../api/types.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import type { PageProps } from '../../routing/routes.ts'

/** Resource accounts, without their credentials. An administrator can check them. */
export function Accounts({ parameters: { org = '' } }: PageProps) {
  const read = useRead('GET /orgs/{org_id}/resources/accounts', { path: { org_id: org } }, { isList: true })
  const [checked, setChecked] = useState<{ id: string; check: AccountCheck } | undefined>(undefined)
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined)
  const isAdministrator = hasOrganizationRole(user.value?.roles ?? {}, org, 'administrator')
  const check = async (id: string) => {
    setProblem(undefined)
    setChecked(undefined)
    try {
      const path = { org_id: org, account_id: id }
      setChecked({
        id,
        check: await call('POST /orgs/{org_id}/resources/accounts/{account_id}/actions/check', { path }),
      })
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  return (
    <Page title="Accounts" documentTitle={`Accounts of ${org}`}>
      {problem && <ProblemNotice problem={problem} />}
      {checked && (
        <div class="notice notice-good" role="status">
          <p>The credentials of {checked.id} work.</p>
          {checked.check.identity_fields.map(({ id, description, value }) => (
            <p key={id}>
              {description}: {value}
            </p>
          ))}
          {checked.check.warnings?.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </div>
      )}
      <ReadView read={read} what="accounts">
        {(accounts) => (
          <FilteredTable
            what="accounts"
            items={accounts}
            keyOf={({ id }) => id}
            textOf={({ id, name, type }) => `${id} ${name} ${type}`}
            columns={[
              { title: 'Account', show: ({ name }) => name },
              { title: 'Type', show: ({ type }) => type },
              { title: 'Used', show: ({ is_used }) => (is_used ? 'yes' : 'no') },
              { title: 'State', show: ({ status_message }) => status_message ?? '' },
              {
                title: 'Check',
                show: ({ id, name }) =>
                  isAdministrator && (
                    <button type="button" onClick={() => void check(id)}>
                      Check {name}
                    </button>
                  ),
              },
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}
