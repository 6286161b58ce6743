import { useState } from 'preact/hooks'
import { useRead } from '../../api/reads.ts'
import type { Deployment } from '../../api/types.ts'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { toneOfDeployment } from '../../components/tones.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { linkTo } from '../../routing/router.ts'
import { EnvironmentFrame } from '../environments/environment-frame.tsx'
import { environmentPath, idsOf, requestPath } from '../environments/paths.ts'

const pageSize = 50

/** Deployments to an environment, newest first. */
export function Deployments({ parameters }: PageProps) {
  const ids = idsOf(parameters)
  const [shown, setShown] = useState(pageSize)
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys',
    { path: requestPath(ids) },
    { isList: true },
  )
  return (
    <EnvironmentFrame ids={ids} what="Deployments">
      <ReadView read={read} what="deployments">
        {(deployments) =>
          deployments.length === 0 ? (
            <p class="empty">Nothing has been deployed to this environment yet.</p>
          ) : (
            <ol class="timeline">
              {deployments.slice(0, shown).map((each) => (
                <Entry
                  key={each.id}
                  deployment={each}
                  path={environmentPath(ids, `/deployments/${encodeURIComponent(each.id)}`)}
                />
              ))}
            </ol>
          )
        }
      </ReadView>
      {(read.data?.length ?? 0) > shown && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show more
        </button>
      )}
    </EnvironmentFrame>
  )
}

function Entry({ deployment, path }: { readonly deployment: Deployment; readonly path: string }) {
  const { id, status, created_at, created_by, comment } = deployment
  return (
    <li class="panel">
      <p>
        <State tone={toneOfDeployment(status)}>{status}</State>{' '}
        <a href={linkTo(path)}>Deployment {id.split('.').at(-1)}</a>{' '}
        <span class="muted">
          <Time at={created_at} />
          {created_by && ` by ${created_by}`}
        </span>
      </p>
      {comment && <p class="comment">{comment}</p>}
    </li>
  )
}
