import type { deploymentStates, Environment, Start } from '../api/environment.ts'
import type { EnvironmentDeployment } from '../api/environment-deployment.ts'
import { annotations } from '../api/names.ts'
import { cutTo } from './size.ts'

/** State of a deployment in the words of REST. */
export type DeploymentState = (typeof deploymentStates)[number]

/** The state that the conditions of a deployment speak of. */
export function stateOfDeployment({ status }: Pick<EnvironmentDeployment, 'status'>): DeploymentState {
  const holds = (type: string) =>
    status?.conditions?.some((each) => each.type === type && each.status === 'True')
  if (holds('Ready')) return 'succeeded'
  if (holds('Stalled')) return 'failed'
  return status?.startTime ? 'in progress' : 'pending'
}

/** Whether a deployment has ended, one way or the other. */
export function isFinished(deployment: Pick<EnvironmentDeployment, 'status'>): boolean {
  return ['succeeded', 'failed'].includes(stateOfDeployment(deployment))
}

const byNumber = new Intl.Collator('en', { numeric: true })

/** The set that a deployment deploys: the one it was found to, or else the one it names; undefined until it is known. */
export function setNameOf({
  spec,
  status,
}: Pick<EnvironmentDeployment, 'spec' | 'status'>): string | undefined {
  return status?.setName ?? spec.setName
}

/** Older first: by creation, then by name with numbers compared as numbers. */
export function byAge(
  left: Pick<EnvironmentDeployment, 'metadata'>,
  right: Pick<EnvironmentDeployment, 'metadata'>,
): number {
  const [before, after] = [left.metadata.creationTimestamp ?? '', right.metadata.creationTimestamp ?? '']
  if (before !== after) return before < after ? -1 : 1
  return byNumber.compare(left.metadata.name, right.metadata.name)
}

/** Whether it got beyond planning, so that its set is what the environment is meant to be. */
function passedPlanning({ status }: Pick<EnvironmentDeployment, 'status'>): boolean {
  return status?.startTime !== undefined && status.setName !== undefined
}

/** The newest deployment that passed planning: what the environment is meant to be. */
export function lastDeployment(
  deployments: readonly EnvironmentDeployment[],
): EnvironmentDeployment | undefined {
  return deployments.filter(passedPlanning).sort(byAge).at(-1)
}

/**
 * Deployments that may go, of all those of an environment: finished ones beyond the newest `kept`, but neither the last
 * that passed planning nor those that others start from.
 */
export function forgettable(
  deployments: readonly EnvironmentDeployment[],
  kept: number,
  starts: ReadonlySet<string>,
): EnvironmentDeployment[] {
  const finished = deployments.filter(isFinished).sort(byAge)
  const last = lastDeployment(deployments)
  return finished
    .slice(0, Math.max(0, finished.length - kept))
    .filter((each) => each !== last && !starts.has(each.metadata.name))
}

/**
 * The deployment on whose set the next one builds: the environment's `from` as long as it was not used yet, else the
 * newest that passed planning, else none (the empty set).
 */
export function baseDeploymentName(
  environment: Pick<Environment, 'spec'>,
  deployments: readonly EnvironmentDeployment[],
): string | undefined {
  const last = lastDeployment(deployments)
  const from = environment.spec.fromDeploymentName
  const lastUsed = last?.status?.environmentFromName
  return from !== undefined && from !== lastUsed ? from : last?.metadata.name
}

/**
 * What is to be remembered of the deployment from which an environment starts, given the one that has its name now. A
 * later one of the same name does not replace the one that was meant; nothing is known of one that has no set yet.
 */
export function rememberedStart(
  { spec, status }: Pick<Environment, 'spec' | 'status'>,
  present: EnvironmentDeployment | undefined,
): Start | undefined {
  const known = status?.start?.deploymentName === spec.fromDeploymentName ? status?.start : undefined
  const isMeant = known === undefined || known.deploymentUid === present?.metadata.uid
  return (isMeant && present && startAt(present)) || known
}

function startAt(deployment: EnvironmentDeployment): Start | undefined {
  const { metadata, spec, status } = deployment
  const { name, uid = '', creationTimestamp = '' } = metadata
  const setName = setNameOf(deployment)
  if (setName === undefined) return undefined
  const creatorName = metadata.annotations?.[annotations.createdBy]
  const optional: { [K in keyof Start]?: Start[K] | undefined } = {
    deltaName: spec.deltaName,
    fromDeploymentName: spec.fromDeploymentName ?? status?.fromDeploymentName,
    comment: spec.comment,
    creatorName: creatorName === undefined ? undefined : cutTo(creatorName, 253), // by kubectl it may be anything
    changeTime: status?.finishTime ?? status?.startTime,
  }
  return {
    deploymentName: name,
    deploymentUid: uid,
    environmentName: spec.environmentName,
    setName,
    state: stateOfDeployment(deployment),
    creationTime: creationTimestamp,
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<Start>), // by the type of `optional`
  }
}

/** The set of the deployment of that name, as an environment remembers it; undefined when it does not start from it. */
export function rememberedSet(
  { status }: Pick<Environment, 'status'>,
  deploymentName: string,
): string | undefined {
  return status?.start?.deploymentName === deploymentName ? status.start.setName : undefined
}

/** The number that the next deployment of an environment bears in its name. */
export function nextDeploymentNumber(
  environmentName: string,
  deployments: readonly EnvironmentDeployment[],
): number {
  const numbers = deployments.map(({ metadata }) => Number(metadata.name.slice(environmentName.length + 1)))
  return Math.max(0, ...numbers.filter(Number.isSafeInteger)) + 1
}
