import { useRead } from '../../api/reads.ts'
import type { Deployment } from '../../api/types.ts'
import { ReadView } from '../../components/read-view.tsx'
import { type EnvironmentIds, requestPath } from '../environments/paths.ts'

interface Props {
  readonly ids: EnvironmentIds
  readonly deployment: Deployment
}

/** Why a deployment failed, by resource or workload, with the next step to take. */
export function DeploymentProblems({ ids, deployment }: Props) {
  const read = useRead('GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys/{deploy_id}/errors', {
    path: { ...requestPath(ids), deploy_id: deployment.id },
  })
  return (
    <ReadView read={read} what="problems">
      {(problems) => (
        <ul class="problems">
          {problems.map(({ object_id, code, message, remedy }, index) => (
            <li key={index}>
              <p>
                {object_id && <code>{object_id}</code>} <strong>{code}</strong>
              </p>
              <p>{message}</p>
              {remedy && (
                <p>
                  <strong>Next step:</strong> {remedy}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </ReadView>
  )
}
