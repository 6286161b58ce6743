import { setTimeout as sleep } from 'node:timers/promises'
import { EnvironmentDeployment } from './api/environment-deployment.ts'
import { systemNamespace } from './api/names.ts'
import { ApiError } from './kube/client/api-error.ts'
import type { KubeClient } from './kube/client/client.ts'
import { pathOf, resourceOf } from './kube/client/resource.ts'

/**
 * Resolves when the API server accepts objects that a mutating admission policy matches. It learns new kinds every five seconds,
 * and until then rejects each request for them with 503, even where the failure policy is `Ignore`.
 */
export async function admitsObjects(client: Pick<KubeClient, 'request'>, pauseMs = 250): Promise<void> {
  while (!(await areAdmitted(client))) await sleep(pauseMs)
}

/** Missing rights, missing kinds, and kinds that are not known to admission. */
const notYet = new Set([403, 404, 503])

/** An empty object is invalid, which the API server says after it has applied the policies. */
async function areAdmitted(client: Pick<KubeClient, 'request'>): Promise<boolean> {
  const resource = resourceOf(EnvironmentDeployment)
  const body = { apiVersion: resource.apiVersion, kind: resource.kind, metadata: { name: 'probe' } }
  try {
    await client.request('POST', pathOf(resource, systemNamespace), { query: { dryRun: 'All' }, body })
    return true
  } catch (error) {
    return error instanceof ApiError && !notYet.has(error.status)
  }
}
