import { useMemo, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import type { AccountType, Driver, ResourceAccount } from '../../api/types.ts'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { CancelLink } from '../../managing/cancel-link.tsx'
import { replacedFields } from '../../managing/changed.ts'
import { CheckedForm } from '../../managing/checked-form.tsx'
import { DeleteButton } from '../../managing/delete-button.tsx'
import type { Stored } from '../../managing/stored-form.tsx'
import { pathTo } from '../../routing/paths.ts'
import { navigate } from '../../routing/router.ts'
import {
  accountSchema,
  changedAccountBody,
  credentialsSchema,
  newAccountBody,
  newAccountSchema,
  storedCredentials,
} from './account-schema.ts'

interface Props {
  readonly org: string
  readonly types: readonly AccountType[]
  readonly drivers: readonly Driver[]
  /** Undefined for a new account. */
  readonly stored: Stored<ResourceAccount> | undefined
}

const keptText = 'Leave all fields empty to keep the stored credentials. New credentials replace all of them.'

/** Creates an account, or changes its name and credentials. Stored credentials are never shown. */
export function AccountForm({ org, types, drivers, stored: storedAccount }: Props) {
  const account = storedAccount?.initial
  const schema = useMemo(() => (account ? accountSchema : newAccountSchema(types, drivers)), [types, drivers])
  const settings = useSchemaForm(schema, {
    idPrefix: 'account',
    initial: account ? { name: account.name } : {},
  })
  const typeOf = (value: unknown) => (value as { type?: string }).type ?? account?.type ?? '' // the form has the fields of its schema
  const type = typeOf(settings.value)
  const ofType = useMemo(() => credentialsSchema(types, type), [types, type])
  const stored = useMemo(() => (account ? storedCredentials(ofType) : undefined), [account, ofType])
  const credentials = useSchemaForm(ofType, { idPrefix: 'credentials', kind: 'secrets', stored })
  const changeSettings = (value: unknown) => {
    // Credentials of another provider must not be sent.
    if (typeOf(value) !== type) credentials.clear()
    settings.setValue(value)
  }
  const [isChecked, setChecked] = useState(false)
  const list = pathTo('/o/:org/accounts', { org })
  const save = async () => {
    const query = isChecked ? { check_credential: 'true' } : {}
    if (storedAccount) {
      const { id } = storedAccount.initial
      const body = changedAccountBody(settings.value, credentials.value, storedAccount.initial)
      await storedAccount.verify(replacedFields(body))
      const path = { org_id: org, account_id: id }
      await call('PATCH /orgs/{org_id}/resources/accounts/{account_id}', { path, query, body })
    } else
      await call('POST /orgs/{org_id}/resources/accounts', {
        path: { org_id: org },
        query,
        body: newAccountBody(settings.value, credentials.value),
      })
    await invalidate(`/orgs/${encodeURIComponent(org)}/resources/accounts`)
    navigate(list)
  }
  return (
    <>
      <CheckedForm
        label={account ? `Account ${account.id}` : 'New account'}
        forms={[settings, credentials]}
        button={account ? 'Save the account' : 'Create the account'}
        onSubmit={save}
        actions={<CancelLink to={list} />}
      >
        <SchemaForm {...settings.fields} onChange={changeSettings} />
        {type !== '' && (
          <section class="stack" aria-labelledby="credentials-heading">
            <h2 id="credentials-heading">Credentials</h2>
            {account && <p class="muted">{keptText}</p>}
            <SchemaForm key={type} {...credentials.fields} />
          </section>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={isChecked}
            onChange={({ currentTarget }) => setChecked(currentTarget.checked)}
          />
          Check the credentials with the provider before saving
        </label>
      </CheckedForm>
      {account && <Deletion org={org} account={account} list={list} />}
    </>
  )
}

interface DeletionProps {
  readonly org: string
  readonly account: ResourceAccount
  readonly list: string
}

function Deletion({ org, account: { id, name, is_used }, list }: DeletionProps) {
  return (
    <div class="actions">
      <DeleteButton
        what={name}
        label="Delete the account"
        onDelete={async () => {
          await call('DELETE /orgs/{org_id}/resources/accounts/{account_id}', {
            path: { org_id: org, account_id: id },
          })
          await invalidate(`/orgs/${encodeURIComponent(org)}/resources/accounts`)
          navigate(list, { replace: true })
        }}
      >
        <p>{is_used ? 'An account that is used is not deleted.' : 'Its credentials are deleted too.'}</p>
      </DeleteButton>
    </div>
  )
}
