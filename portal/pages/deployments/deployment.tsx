import { useRead } from '../../api/reads.ts'
import type { Deployment } from '../../api/types.ts'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ReadView } from '../../components/read-view.tsx'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { toneOfDeployment } from '../../components/tones.ts'
import { useAction } from '../../components/use-action.ts'
import type { PageProps } from '../../routing/page-props.ts'
import { EnvironmentFrame, mayDeploy } from '../environments/environment-frame.tsx'
import { type EnvironmentIds, idsOf, requestPath } from '../environments/paths.ts'
import { ResourceSummary } from '../environments/resource-summary.tsx'
import { DeploymentProblems } from './deployment-problems.tsx'
import { SetChanges } from './set-changes.tsx'
import { startDeployment } from './start.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly deployment: Deployment
}

/** One deployment: who, when, outcome, what it changed. */
export function DeploymentPage({ parameters }: PageProps) {
  const ids = idsOf(parameters)
  const { deploy = '' } = parameters
  const read = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys/{deploy_id}', {
    path: { ...requestPath(ids), deploy_id: deploy },
  })
  return (
    <EnvironmentFrame ids={ids} what={`Deployment ${deploy.split('.').at(-1)}`}>
      <ReadView read={read} what="the deployment">
        {(deployment) => <Content ids={ids} deployment={deployment} />}
      </ReadView>
    </EnvironmentFrame>
  )
}

function Content({ ids, deployment }: Props) {
  const { id, status, created_at, created_by, comment, status_changed_at, status_message } = deployment
  return (
    <>
      <section class="panel stack" aria-labelledby="deployment">
        <h2 id="deployment">Deployment {id.split('.').at(-1)}</h2>
        <p role="status">
          <State tone={toneOfDeployment(status)}>{status}</State> <Time at={status_changed_at} />
        </p>
        <p class="muted">
          Started <Time at={created_at} />
          {created_by && ` by ${created_by}`}
        </p>
        {comment && <p class="comment">{comment}</p>}
        {status_message && <p class="notice notice-wait">{status_message}</p>}
        {status === 'failed' && <DeploymentProblems ids={ids} deployment={deployment} />}
        {isRunning(deployment) && <Progress ids={ids} />}
        <DeployAgain ids={ids} deployment={deployment} />
      </section>
      <SetChanges ids={ids} deployment={deployment} />
    </>
  )
}

function isRunning({ status }: Deployment): boolean {
  return status === 'pending' || status === 'in progress'
}

/** What a deployment that runs has reached, and what it waits for. */
function Progress({ ids }: Pick<Props, 'ids'>) {
  const read = useRead(
    'GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources',
    { path: requestPath(ids) },
    { isList: true },
  )
  return (
    <ReadView read={read} what="resources">
      {(resources) => <ResourceSummary ids={ids} resources={resources} />}
    </ReadView>
  )
}

/** Deploys the set of this deployment once more. */
function DeployAgain({ ids, deployment }: Props) {
  const { isBusy, problem, run } = useAction()
  const { data } = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}', { path: requestPath(ids) })
  if (!data || !mayDeploy(ids, data.type) || deployment.set_id === '' || isRunning(deployment)) return null
  const deploy = () =>
    run(() =>
      startDeployment(ids, {
        set_id: deployment.set_id,
        comment: `Deployment ${deployment.id.split('.').at(-1)} again`,
      }),
    )
  return (
    <div class="actions">
      <button type="button" disabled={isBusy} onClick={() => void deploy()}>
        Deploy this again
      </button>
      {problem && <ProblemNotice problem={problem} />}
    </div>
  )
}
