import { ActiveResource } from '../operator/api/active-resource.ts'
import { Environment } from '../operator/api/environment.ts'
import { EnvironmentDeployment } from '../operator/api/environment-deployment.ts'
import type { KubeClient } from '../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../operator/kube/client/resource.ts'
import { conditionOf, isReady, isStalled } from '../operator/kube/loop/outcome.ts'
import {
  applyFloor,
  chainFloor,
  deletionFloor,
  type Floor,
  independentFloor,
  sequenceFloor,
} from './floor.ts'
import {
  application,
  chainName,
  changeName,
  type DeploymentChoice,
  deployment,
  environment,
  independentName,
  organization,
} from './objects.ts'
import type { Watcher } from './watcher.ts'
import { objectsPerResource, type Work } from './work.ts'

/** Where scenarios run. */
export interface Stage {
  readonly client: KubeClient
  readonly deployments: Watcher<EnvironmentDeployment>
  readonly environments: Watcher<Environment>
  readonly gatewayUrl: string
  readonly adminToken: string
}

/** One thing that is timed: in an environment, after the scenarios before it in the same story. */
export interface Scenario {
  readonly name: string
  /** How many resources it is about. */
  readonly resources: number
  /** Seconds that the API server alone needs. */
  floorSeconds(floor: Floor): number
  readonly goal: Goal
  /** Answers the seconds from the client's write until a watcher sees the end. */
  run(stage: Stage, environmentId: string): Promise<number>
  /** How many resources of the environment are ready afterwards. */
  readonly leaves: number
}

/** What the project wants; each figure at most this. */
export interface Goal {
  readonly ratio?: number
  readonly seconds?: number
  /** Writes and reads of the operator, those for the deployment itself included. */
  readonly writesPerResource?: number
  readonly readsPerResource?: number
  readonly reconcilesPerResource?: number
}

/** Scenarios that follow one another in one environment, which is new each time. */
export interface Story {
  readonly name: string
  readonly scenarios: readonly Scenario[]
}

/** One create, one status, and one write for each object; a tenth for what a deployment costs by itself. */
function fresh(work: Work): Goal {
  return {
    writesPerResource: 2.1 + objectsPerResource(work),
    readsPerResource: work === 'echo' ? 0.1 : 1.1,
    reconcilesPerResource: 2.1,
  }
}

const titles: Readonly<Record<Work, string>> = {
  echo: '',
  object: ' with an object',
  five: ' with five objects',
}

/** A deployment of independent resources, by kubectl. */
export function deploy(count: number, goal: Goal = {}, work: Work = 'echo'): Scenario {
  return {
    name: `${count} independent${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => independentFloor(floor, count, work),
    goal: { ...fresh(work), ...goal },
    leaves: count,
    run: (stage, id) => deployTo(stage, id, 'first', { deltaName: independentName(count, work) }),
  }
}

function deployOverRest(count: number, goal: Goal): Scenario {
  return {
    ...deploy(count, goal),
    name: `${count} independent, over REST`,
    run: (stage, id) => post(stage, id, independentName(count, 'echo')),
  }
}

function deployChain(count: number, work: Work): Scenario {
  return {
    name: `chain of ${count}${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => chainFloor(floor, count, work),
    goal: { ...fresh(work), ratio: 3 },
    leaves: count,
    run: (stage, id) => deployTo(stage, id, 'first', { deltaName: chainName(work) }),
  }
}

// A deployment that changes nothing is a create and two writes of its status.
function redeploy(count: number, work: Work): Scenario {
  return {
    name: `${count} unchanged${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => sequenceFloor(floor, 2),
    goal: { seconds: 0.3, writesPerResource: 0.01, readsPerResource: 0.01, reconcilesPerResource: 0 },
    leaves: count,
    run: (stage, id) => deployTo(stage, id, 'again'),
  }
}

function redeployForced(count: number, work: Work): Scenario {
  return {
    name: `${count} provisioned again${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => applyFloor(floor, count, work),
    goal: { ratio: 1.5, writesPerResource: objectsPerResource(work) + 0.1, readsPerResource: 0.1 },
    leaves: count,
    run: (stage, id) => deployTo(stage, id, 'forced', { mode: 'full' }),
  }
}

function changeOne(count: number, work: Work): Scenario {
  return {
    name: `1 of ${count} changed${titles[work]}`,
    resources: 1,
    floorSeconds: (floor) => sequenceFloor(floor, 4),
    goal: { seconds: 0.2 },
    leaves: count,
    run: (stage, id) => deployTo(stage, id, 'change', { deltaName: changeName(work) }),
  }
}

/** The deletion of the environment with all of its resources. */
function removeAll(count: number, work: Work): Scenario {
  return {
    name: `deletion of ${count}${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => deletionFloor(floor, count, work),
    goal: { seconds: count / 100, writesPerResource: 1.1, readsPerResource: 0.1 },
    leaves: 0,
    run: removeEnvironment,
  }
}

/** A first deployment, one without changes, one with a change, one that provisions everything again, and the deletion. */
export function lifeOf(count: number, work: Work, goal: Goal = {}): Scenario[] {
  return [
    deploy(count, goal, work),
    redeploy(count, work),
    changeOne(count, work),
    ...(work === 'echo' ? [] : [redeployForced(count, work)]),
    removeAll(count, work),
  ]
}

/** Everything that `make bench` times; `quick` is the smallest part that shows that the benchmark works. */
export function stories(
  sizes: { readonly many: number; readonly few: number; readonly chain: number },
  quick: boolean,
): Story[] {
  const { many, few, chain } = sizes
  const small: Story = {
    name: 'few',
    scenarios: [deploy(few, { seconds: 2 }), removeAll(few, 'echo')],
  }
  if (quick) return [small]
  return [
    small,
    { name: 'many', scenarios: lifeOf(many, 'echo', { ratio: 1.3 }) },
    { name: 'objects', scenarios: lifeOf(many, 'object', { ratio: 1.3 }) },
    { name: 'five', scenarios: lifeOf(few, 'five', { ratio: 1.3 }) },
    { name: 'rest', scenarios: [deployOverRest(many, { ratio: 2.2 })] },
    { name: 'chain', scenarios: [deployChain(chain, 'echo')] },
    { name: 'object-chain', scenarios: [deployChain(chain, 'object')] },
  ]
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

async function post(
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
  const answer = await client.request('GET', pathOf(resourceOf(ActiveResource), organization))
  const { items } = answer as { items: ActiveResource[] } // the shape of a list
  const found = items.filter(({ spec }) => spec.environmentName === environment(id).metadata.name)
  const ready = found.filter(isReady).length
  if (found.length === count && ready === count) return
  throw new Error(
    `environment '${id}' has ${found.length} resources, ${ready} of them ready, instead of ${count}`,
  )
}
