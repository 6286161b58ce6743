import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/read-store.ts'
import { useRead } from '../../api/reads.ts'
import { FilteredTable } from '../../components/filtered-table.tsx'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { applicationCrumbs } from '../../managing/application-crumbs.ts'
import { CancelLink } from '../../managing/cancel-link.tsx'
import { CheckedForm } from '../../managing/checked-form.tsx'
import { mayManageWebhooks } from '../../managing/roles.ts'
import { ShownOnce } from '../../managing/shown-once.tsx'
import { useFormRight } from '../../managing/use-form-right.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo, query } from '../../routing/router.ts'
import { newWebhookId, newWebhookSchema, triggerText, webhookBody } from './webhook-schema.ts'

interface Props {
  readonly org: string
  readonly app: string
}

/** Webhooks of an application, or the form for a new one. */
export function Webhooks({ parameters: { org = '', app = '' } }: PageProps) {
  const hasForm = useFormRight(mayManageWebhooks(org, app))
  if (query.value.has('new') && hasForm) return <NewWebhook org={org} app={app} />
  return <WebhookList org={org} app={app} />
}

function WebhookList({ org, app }: Props) {
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/webhooks',
    { path: { org_id: org, app_id: app } },
    { isList: true },
  )
  return (
    <Page
      title={`Webhooks of ${app}`}
      crumbs={applicationCrumbs(org, app)}
      actions={
        mayManageWebhooks(org, app) && (
          <a
            class="button primary"
            href={linkTo(`${pathTo('/o/:org/apps/:app/webhooks', { org, app })}?new`)}
          >
            New webhook
          </a>
        )
      }
    >
      <ReadView read={read} what="webhooks">
        {(webhooks) => (
          <FilteredTable
            what="webhooks"
            items={webhooks}
            keyOf={({ id }) => id}
            textOf={({ id, url }) => `${id} ${url}`}
            columns={[
              {
                title: 'Webhook',
                show: ({ id }) => (
                  <a href={linkTo(pathTo('/o/:org/apps/:app/webhooks/:webhook', { org, app, webhook: id }))}>
                    {id}
                  </a>
                ),
              },
              { title: 'URL', show: ({ url }) => url },
              {
                title: 'Triggers',
                show: ({ triggers }) => triggers.map(triggerText).join(', ') || 'all events',
              },
              {
                title: 'State',
                show: ({ disabled }) =>
                  disabled ? <State tone="off">disabled</State> : <State tone="good">enabled</State>,
              },
            ]}
          />
        )}
      </ReadView>
    </Page>
  )
}

interface Created {
  readonly id: string
  readonly secret: string
}

/** Creates a webhook, then shows its signing secret. */
function NewWebhook({ org, app }: Props) {
  const form = useSchemaForm(newWebhookSchema, { idPrefix: 'webhook' })
  const [created, setCreated] = useState<Created | undefined>(undefined)
  const list = pathTo('/o/:org/apps/:app/webhooks', { org, app })
  const create = async () => {
    const { id, signing_secret } = await call('POST /orgs/{org_id}/apps/{app_id}/webhooks', {
      path: { org_id: org, app_id: app },
      body: { ...webhookBody(form.value), id: newWebhookId(form.value) },
    })
    setCreated({ id, secret: signing_secret })
    await invalidate(`/orgs/${encodeURIComponent(org)}/apps/${encodeURIComponent(app)}/webhooks`)
  }
  const crumbs = [...applicationCrumbs(org, app), { label: 'Webhooks', path: list }]
  if (created) {
    const own = pathTo('/o/:org/apps/:app/webhooks/:webhook', { org, app, webhook: created.id })
    return (
      <Page title={`Webhook ${created.id} created`} crumbs={crumbs}>
        <ShownOnce
          what="signing secret"
          value={created.secret}
          onHide={() => setCreated({ ...created, secret: '' })}
        />
        <p>
          <a class="button primary" href={linkTo(own)}>
            Open the webhook
          </a>
        </p>
      </Page>
    )
  }
  return (
    <Page title="New webhook" documentTitle={`New webhook of ${app}`} crumbs={crumbs}>
      <CheckedForm
        label="New webhook"
        forms={[form]}
        button="Create the webhook"
        onSubmit={create}
        actions={<CancelLink to={list} />}
      >
        <SchemaForm {...form.fields} />
      </CheckedForm>
    </Page>
  )
}
