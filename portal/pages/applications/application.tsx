import { useRead } from '../../api/reads.ts'
import type { Environment } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { toneOfDeployment } from '../../components/tones.ts'
import { nameOf } from '../../managing/name-of.ts'
import { mayManageWebhooks } from '../../managing/roles.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo } from '../../routing/router.ts'
import { environmentPath } from '../environments/paths.ts'

/** Environments of an application with their last deployments. */
export function ApplicationPage({ parameters: { org = '', app = '' } }: PageProps) {
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs',
    { path: { org_id: org, app_id: app } },
    { isList: true },
  )
  const { data: application } = useRead('GET /orgs/{org_id}/apps/{app_id}', {
    path: { org_id: org, app_id: app },
  })
  return (
    <Page
      title={application ? nameOf(application) : app}
      documentTitle={`Application ${app}`}
      crumbs={[{ label: 'Applications', path: pathTo('/o/:org', { org }) }]}
      actions={
        <>
          {read.data && (
            <a class="button" href={linkTo(pathTo('/o/:org/apps/:app/values', { org, app }))}>
              Shared values
            </a>
          )}
          {mayManageWebhooks(org, app) && (
            <a class="button" href={linkTo(pathTo('/o/:org/apps/:app/webhooks', { org, app }))}>
              Webhooks
            </a>
          )}
        </>
      }
    >
      {application && nameOf(application) !== app && <p class="muted">{app}</p>}
      <ReadView read={read} what="environments">
        {(environments) =>
          environments.length === 0 ? (
            <p class="empty">This application has no environment yet.</p>
          ) : (
            <ul class="cards">
              {environments.map((each) => (
                <EnvironmentCard key={each.id} org={org} app={app} environment={each} />
              ))}
            </ul>
          )
        }
      </ReadView>
    </Page>
  )
}

function EnvironmentCard({
  org,
  app,
  environment,
}: {
  readonly org: string
  readonly app: string
  readonly environment: Environment
}) {
  const { id, type, last_deploy, status, status_message } = environment
  const name = nameOf(environment)
  return (
    <li class="card">
      <h2>
        <a href={linkTo(environmentPath({ org, app, env: id }))}>{name}</a>
      </h2>
      <p class="muted">Type {type}</p>
      {status === 'deleting' && <State tone="wait">deleting</State>}
      {status_message && <p>{status_message}</p>}
      {last_deploy ? (
        <p>
          <State tone={toneOfDeployment(last_deploy.status)}>{last_deploy.status}</State>{' '}
          <Time at={last_deploy.status_changed_at} />
          {last_deploy.comment && <span class="comment"> {last_deploy.comment}</span>}
        </p>
      ) : (
        <p class="muted">Nothing deployed yet</p>
      )}
      <p>
        <a href={linkTo(environmentPath({ org, app, env: id }, '/values'))}>Shared values of {name}</a>
      </p>
    </li>
  )
}
