import { call } from '../../api/client.ts'
import type { RequestInput } from '../../api/operations.ts'
import type { Deployment } from '../../api/types.ts'
import { navigate } from '../../routing/router.ts'
import { type EnvironmentIds, environmentPath, requestPath } from '../environments/paths.ts'

const operation = 'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys'

/** Starts a deployment, and opens its page. */
export async function startDeployment(
  ids: EnvironmentIds,
  body: RequestInput<typeof operation>['body'],
): Promise<void> {
  const answer: unknown = await call(operation, { path: requestPath(ids), body })
  const { id } = answer as Deployment // a plan only for a dry run
  navigate(environmentPath(ids, `/deployments/${encodeURIComponent(id)}`))
}
