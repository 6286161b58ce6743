import { useMemo, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate, readAgain } from '../../api/read-store.ts'
import { useRead } from '../../api/reads.ts'
import type { Webhook } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { applicationCrumbs } from '../../managing/application-crumbs.ts'
import { replacedFields } from '../../managing/changed.ts'
import { CheckedForm } from '../../managing/checked-form.tsx'
import { DeleteButton } from '../../managing/delete-button.tsx'
import { ShownOnce } from '../../managing/shown-once.tsx'
import { type Stored, StoredForm } from '../../managing/stored-form.tsx'
import { useAction } from '../../managing/use-action.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { navigate } from '../../routing/router.ts'
import { WebhookCalls } from './webhook-calls.tsx'
import { changedWebhookBody, webhookSchema, webhookValue } from './webhook-schema.ts'

/** The path parameters of requests about a webhook. */
export interface WebhookPath {
  readonly org_id: string
  readonly app_id: string
  readonly webhook_id: string
}

function listAddress({ org_id, app_id }: WebhookPath): string {
  return `/orgs/${encodeURIComponent(org_id)}/apps/${encodeURIComponent(app_id)}/webhooks`
}

/** A webhook: its calls with their outcome, a form, its signing secret. */
export function WebhookPage({ parameters: { org = '', app = '', webhook = '' } }: PageProps) {
  const path = useMemo(() => ({ org_id: org, app_id: app, webhook_id: webhook }), [org, app, webhook])
  const read = useRead('GET /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}', { path: { ...path } })
  const list = pathTo('/o/:org/apps/:app/webhooks', { org, app })
  return (
    <Page
      title={webhook}
      documentTitle={`Webhook ${webhook}`}
      crumbs={[...applicationCrumbs(org, app), { label: 'Webhooks', path: list }]}
    >
      <ReadView read={read} what="the webhook">
        {(found) => (
          <>
            <StoredForm
              what={`webhook '${webhook}'`}
              object={found}
              read={() =>
                call('GET /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}', { path: { ...path } })
              }
            >
              {(stored) => <Changes path={path} stored={stored} />}
            </StoredForm>
            <SigningSecret path={path} />
            <WebhookCalls path={path} />
            <div class="actions">
              <DeleteButton
                what={webhook}
                label="Delete the webhook"
                onDelete={async () => {
                  await call('DELETE /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}', {
                    path: { ...path },
                  })
                  await readAgain(listAddress(path))
                  navigate(list, { replace: true })
                }}
              >
                <p>Its calls are deleted too. Events are not called any more.</p>
              </DeleteButton>
            </div>
          </>
        )}
      </ReadView>
    </Page>
  )
}

function Changes({ path, stored }: { readonly path: WebhookPath; readonly stored: Stored<Webhook> }) {
  const [saved, setSaved] = useState<unknown>(() => webhookValue(stored.initial))
  const form = useSchemaForm(webhookSchema, { idPrefix: 'webhook', initial: saved })
  const save = async () => {
    const body = changedWebhookBody(form.value, saved)
    const fields = replacedFields(body)
    await stored.verify(fields)
    const operation = 'PATCH /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}'
    stored.saved(fields, await call(operation, { path: { ...path }, body }))
    setSaved(form.value)
    await invalidate(listAddress(path))
  }
  return (
    <CheckedForm
      label={`Webhook ${path.webhook_id}`}
      forms={[form]}
      button="Save"
      done="Saved."
      onSubmit={save}
    >
      <SchemaForm {...form.fields} />
    </CheckedForm>
  )
}

function SigningSecret({ path }: { readonly path: WebhookPath }) {
  const [secret, setSecret] = useState('')
  const { isBusy, problem, run } = useAction()
  const rotate = async () => {
    const operation = 'POST /orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}/actions/rotate-secret'
    setSecret((await call(operation, { path: { ...path } })).signing_secret)
  }
  return (
    <section class="panel stack" aria-labelledby="signing-secret">
      <h2 id="signing-secret">Signing secret</h2>
      <p>Receivers verify the signature of a call with it. A new secret replaces the old one at once.</p>
      {problem && <ProblemNotice problem={problem} />}
      {secret !== '' && <ShownOnce what="signing secret" value={secret} onHide={() => setSecret('')} />}
      <button type="button" disabled={isBusy} onClick={() => void run(rotate)}>
        Replace the signing secret
      </button>
    </section>
  )
}
