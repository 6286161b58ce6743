import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import { Confirmation } from '../../components/confirmation.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { ShownOnce } from '../../managing/shown-once.tsx'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'

/** API tokens of a service user. The value of a new token is shown once. */
export function Tokens({ parameters: { org = '', user = '' } }: PageProps) {
  const read = useRead('GET /users/{user_id}/tokens', { path: { user_id: user } }, { isList: true })
  const [id, setId] = useState('')
  const [token, setToken] = useState('')
  const [revoked, setRevoked] = useState<string | undefined>(undefined)
  const { isBusy, problem, run } = useAction()
  const attempt = async (work: () => Promise<void>) => {
    await run(work)
    read.reload()
  }
  const create = () =>
    attempt(async () => {
      setToken((await call('POST /users/{user_id}/tokens', { path: { user_id: user }, body: { id } })).token)
      setId('')
    })
  const revoke = (token_id: string) =>
    attempt(async () => {
      setRevoked(undefined)
      await call('DELETE /users/{user_id}/tokens/{token_id}', { path: { user_id: user, token_id } })
    })
  return (
    <Page title={`Tokens of ${user}`} crumbs={[{ label: 'Users', path: pathTo('/o/:org/users', { org }) }]}>
      {problem && <ProblemNotice problem={problem} />}
      {token !== '' && <ShownOnce what="token" value={token} onHide={() => setToken('')} />}
      <ReadView read={read} what="tokens">
        {(tokens) => (
          <ul class="cards">
            {tokens.map((each) => (
              <li key={each.id} class="card">
                <h2>{each.id}</h2>
                {each.description && <p>{each.description}</p>}
                <p class="muted">{each.expires_at ? <Expiry at={each.expires_at} /> : 'Never expires'}</p>
                <button type="button" class="danger" onClick={() => setRevoked(each.id)}>
                  Revoke {each.id}
                </button>
              </li>
            ))}
          </ul>
        )}
      </ReadView>
      {read.data && (
        <form
          class="panel stack"
          onSubmit={(event) => {
            event.preventDefault()
            void create()
          }}
        >
          <label>
            ID of a new token
            <input
              value={id}
              required
              autocomplete="off"
              onInput={({ currentTarget }) => setId(currentTarget.value)}
            />
          </label>
          <div class="actions">
            <button type="submit" disabled={isBusy}>
              Create a token
            </button>
          </div>
        </form>
      )}
      {revoked !== undefined && (
        <Confirmation
          title={`Revoke ${revoked}?`}
          button="Revoke"
          onConfirm={() => void revoke(revoked)}
          onCancel={() => setRevoked(undefined)}
        >
          <p>Clients that use the token are refused within a second.</p>
        </Confirmation>
      )}
    </Page>
  )
}

/** A token that has expired stays in the list until it is revoked. */
function Expiry({ at }: { readonly at: string }) {
  return (
    <>
      {Date.parse(at) <= Date.now() ? 'Expired' : 'Expires'} <Time at={at} />
    </>
  )
}
