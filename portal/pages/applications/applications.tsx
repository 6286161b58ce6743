import { useRead } from '../../api/reads.ts'
import { user } from '../../api/session.ts'
import type { Application } from '../../api/types.ts'
import { Page } from '../../components/page.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { nameOf } from '../../managing/name-of.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { pathTo } from '../../routing/paths.ts'
import { linkTo } from '../../routing/router.ts'
import { emptyText } from './empty-text.ts'

/** Applications of an organization with their environments. */
export function Applications({ parameters: { org = '' } }: PageProps) {
  const read = useRead('GET /orgs/{org_id}/apps', { path: { org_id: org } }, { isList: true })
  return (
    <Page title="Applications" documentTitle={`Applications of ${org}`}>
      <ReadView read={read} what="applications">
        {(applications) =>
          applications.length === 0 ? (
            <p class="empty">{emptyText(user.value?.roles ?? {}, org)}</p>
          ) : (
            <ul class="cards">
              {applications.map((each) => (
                <ApplicationCard key={each.id} org={org} application={each} />
              ))}
            </ul>
          )
        }
      </ReadView>
    </Page>
  )
}

function ApplicationCard({ org, application }: { readonly org: string; readonly application: Application }) {
  const { id, status, envs } = application
  const name = nameOf(application)
  return (
    <li class="card">
      <h2>
        <a href={linkTo(pathTo('/o/:org/apps/:app', { org, app: id }))}>{name}</a>
      </h2>
      {name !== id && <p class="muted">{id}</p>}
      {status === 'deleting' && <State tone="wait">deleting</State>}
      <ul class="chips" aria-label={`Environments of ${name}`}>
        {envs.map((env) => (
          <li key={env.id}>
            <a
              class="chip"
              href={linkTo(pathTo('/o/:org/apps/:app/envs/:env', { org, app: id, env: env.id }))}
            >
              {nameOf(env)} <span class="muted">{env.type === nameOf(env) ? '' : env.type}</span>
            </a>
          </li>
        ))}
      </ul>
    </li>
  )
}
