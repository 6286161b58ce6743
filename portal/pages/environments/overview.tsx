import { useRead } from '../../api/reads.ts'
import type { Environment } from '../../api/types.ts'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { toneOfDeployment } from '../../components/tones.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { linkTo } from '../../routing/router.ts'
import { DeploymentProblems } from '../deployments/deployment-problems.tsx'
import { EnvironmentFrame, mayDeploy } from './environment-frame.tsx'
import { type EnvironmentIds, environmentPath, idsOf, requestPath } from './paths.ts'
import { ResourceSummary } from './resource-summary.tsx'
import { Workloads } from './workloads.tsx'

/** Overview of an environment: last deployment, resources by state, workloads. */
export function Overview({ parameters }: PageProps) {
  const ids = idsOf(parameters)
  const environment = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}', { path: requestPath(ids) })
  const resources = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources',
    { path: requestPath(ids) },
    { isList: true },
  )
  return (
    <EnvironmentFrame ids={ids} what="Overview">
      <div class="columns">
        <section class="panel" aria-labelledby="last-deployment">
          <h2 id="last-deployment">Last deployment</h2>
          <ReadView read={{ ...environment, problem: undefined }} what="the environment">
            {(data) => <LastDeployment ids={ids} environment={data} />}
          </ReadView>
        </section>
        <section class="panel" aria-labelledby="resources">
          <h2 id="resources">Resources</h2>
          <ReadView read={resources} what="resources">
            {(data) => <ResourceSummary ids={ids} resources={data} />}
          </ReadView>
        </section>
      </div>
      <Workloads
        ids={ids}
        resources={resources.data}
        isOperable={environment.data !== undefined && mayDeploy(ids, environment.data.type)}
      />
    </EnvironmentFrame>
  )
}

function LastDeployment({
  ids,
  environment,
}: {
  readonly ids: EnvironmentIds
  readonly environment: Environment
}) {
  const last = environment.last_deploy
  if (!last) return <p class="muted">Nothing has been deployed to this environment yet.</p>
  return (
    <>
      <p>
        <State tone={toneOfDeployment(last.status)}>{last.status}</State> <Time at={last.status_changed_at} />
        {last.created_by && ` by ${last.created_by}`}
      </p>
      {last.comment && <p class="comment">{last.comment}</p>}
      {last.status_message && <p class="notice notice-wait">{last.status_message}</p>}
      {last.status === 'failed' && <DeploymentProblems ids={ids} deployment={last} />}
      <p>
        <a href={linkTo(environmentPath(ids, `/deployments/${encodeURIComponent(last.id)}`))}>
          Deployment {last.id.split('.').at(-1)}
        </a>
      </p>
    </>
  )
}
