import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type ApiProblem, asProblem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import type { AccountCheck, ResourceAccount } from '../../api/types.ts'
import { FilteredTable, noProblem } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { isAdministrator } from '../../managing/roles.ts'
import { StoredForm } from '../../managing/stored-form.tsx'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import { AccountForm } from './account-form.tsx'

/** Resource accounts without their credentials, or the form for one of them. */
export function Accounts({ parameters: { org = '' } }: PageProps) {
  const edited = query.value.get('account')
  const hasForm = useFormRight(isAdministrator(org))
  if (hasForm && (edited !== null || query.value.has('new'))) return <AccountPage org={org} edited={edited} />
  return <AccountList org={org} />
}

function AccountPage({ org, edited }: { readonly org: string; readonly edited: string | null }) {
  const path = { org_id: org }
  const read = useRead('GET /orgs/{org_id}/resources/accounts', { path }, { isList: true })
  const types = useRead('GET /orgs/{org_id}/resources/account-types', { path })
  const drivers = useRead('GET /orgs/{org_id}/resources/drivers', { path }, { isList: true })
  return (
    <Page
      title={edited === null ? 'New account' : `Account ${edited}`}
      crumbs={[{ label: 'Accounts', path: pathTo('/o/:org/accounts', { org }) }]}
    >
      <ReadView read={read} what="accounts">
        {(accounts) => {
          const account = accounts.find(({ id }) => id === edited)
          if (edited !== null && !account) return <p class="empty">This account does not exist.</p>
          return (
            <ReadView read={types} what="account types">
              {(known) => {
                const choices = { org, types: known, drivers: drivers.data ?? [] }
                if (!account) return <AccountForm {...choices} stored={undefined} />
                const accountPath = { ...path, account_id: account.id }
                return (
                  <StoredForm
                    key={account.id}
                    what={`account '${account.id}'`}
                    object={account}
                    read={() =>
                      call('GET /orgs/{org_id}/resources/accounts/{account_id}', { path: accountPath })
                    }
                  >
                    {(stored) => <AccountForm {...choices} stored={stored} />}
                  </StoredForm>
                )
              }}
            </ReadView>
          )
        }}
      </ReadView>
    </Page>
  )
}

/** An administrator can check the credentials. */
function AccountList({ org }: { readonly org: string }) {
  const read = useRead('GET /orgs/{org_id}/resources/accounts', { path: { org_id: org } }, { isList: true })
  const [checked, setChecked] = useState<{ id: string; check: AccountCheck } | undefined>(undefined)
  const [checking, setChecking] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined)
  const isAllowed = isAdministrator(org)
  const list = pathTo('/o/:org/accounts', { org })
  const check = async (id: string) => {
    if (checking !== undefined) return
    setChecking(id)
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
    setChecking(undefined)
  }
  const checkButton = ({ id, name }: ResourceAccount) => (
    // A disabled button would lose the focus.
    <button type="button" aria-disabled={checking !== undefined} onClick={() => void check(id)}>
      {checking === id ? 'Checking' : 'Check'} {name}
    </button>
  )
  return (
    <Page
      title="Accounts"
      documentTitle={`Accounts of ${org}`}
      actions={
        isAllowed && (
          <a class="button primary" href={linkTo(`${list}?new`)}>
            New account
          </a>
        )
      }
    >
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
              {
                title: 'Account',
                show: ({ id, name }) =>
                  isAllowed ? <a href={linkTo(`${list}?account=${encodeURIComponent(id)}`)}>{name}</a> : name,
              },
              { title: 'Type', show: ({ type }) => type },
              { title: 'Used', show: ({ is_used }) => (is_used ? 'yes' : 'no') },
              { title: 'State', show: ({ status_message }) => status_message ?? noProblem },
              ...(isAllowed ? [{ title: 'Check', show: checkButton }] : []),
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}
