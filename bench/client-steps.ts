import { ActiveResource } from '../operator/api/active-resource.ts'
import { Environment } from '../operator/api/environment.ts'
import { EnvironmentDeployment } from '../operator/api/environment-deployment.ts'
import type { KubeClient } from '../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../operator/kube/client/resource.ts'
import { conditionOf, isReady, isStalled } from '../operator/kube/loop/outcome.ts'
import { application, type DeploymentChoice, deployment, environment, organization } from './objects.ts'
import type { Watcher } from './watcher.ts'

/** Where scenarios run. */
export interface Stage {
  readonly client: KubeClient
  readonly deployments: Watcher<EnvironmentDeployment>
  readonly environments: Watcher<Environment>
  /** Of the gateway that runs now: each start has another port. */
  readonly gatewayUrl: string
  readonly adminToken: string
}

/** Makes an environment and waits until it is ready. */
export async function makeEnvironment({ client, environments }: Stage, id: string): Promise<void> {
  const object = environment(id)
  await client.request('POST', pathOf(resourceOf(Environment), organization), { body: object })
  await environments.until(object.metadata.name, 'ready', (each) => each !== undefined && isReady(each))
}

/** Deletes an environment; the seconds until it is gone. */
export async function removeEnvironment({ client, environments }: Stage, id: string): Promise<number> {
  const { name } = environment(id).metadata
  const begun = performance.now()
  await client.request('DELETE', pathOf(resourceOf(Environment), organization, name))
  return ((await environments.until(name, 'gone', (each) => each === undefined)) - begun) / 1000
}

/** Deploys as kubectl does; the seconds until the deployment is ready. */
export async function deployTo(
  { client, deployments }: Stage,
  id: string,
  name: string,
  spec: DeploymentChoice = {},
): Promise<number> {
  const body = deployment(id, name, spec)
  const begun = performance.now()
  await client.request('POST', pathOf(resourceOf(EnvironmentDeployment), organization), { body })
  return ((await deployments.until(body.metadata.name, 'ready', hasSucceeded)) - begun) / 1000
}

/** Deploys over REST; the seconds until the deployment is ready. */
export async function deployOverRest(
  { gatewayUrl, adminToken, deployments }: Stage,
  id: string,
  deltaName: string,
): Promise<number> {
  const begun = performance.now()
  const response = await fetch(`${gatewayUrl}/orgs/${organization}/apps/${application}/envs/${id}/deploys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ delta_id: deltaName }),
  })
  if (!response.ok) throw new Error(`the gateway answered ${response.status}: ${await response.text()}`)
  const answer = (await response.json()) as { id: string } // the shape of a deployment
  return ((await deployments.until(answer.id, 'ready', hasSucceeded)) - begun) / 1000
}

/** Whether a deployment is ready; throws when it failed. */
export function hasSucceeded(deployed: EnvironmentDeployment | undefined): boolean {
  if (!deployed || !isStalled(deployed)) return deployed !== undefined && isReady(deployed)
  throw new Error(`'${deployed.metadata.name}' failed: ${conditionOf(deployed, 'Stalled')?.message}`)
}

/** Throws unless the environment has exactly so many resources, all of them ready: a fast wrong answer is none. */
export async function checkResources({ client }: Stage, id: string, count: number): Promise<void> {
  const query = { fieldSelector: `spec.environmentName=${environment(id).metadata.name}` }
  const answer = await client.request('GET', pathOf(resourceOf(ActiveResource), organization), { query })
  const { items: found } = answer as { items: ActiveResource[] } // the shape of a list
  const ready = found.filter(isReady).length
  if (found.length === count && ready === count) return
  throw new Error(
    `environment '${id}' has ${found.length} resources, ${ready} of them ready, instead of ${count}`,
  )
}
