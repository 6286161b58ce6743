import type { deploymentStates, Environment, Start } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { annotations } from '../../api/names.ts'
import { sameJson } from '../base/json.ts'
import { truncate } from '../base/size.ts'

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

/**
 * Whether the gateway created the deployment. The cluster stamps `triggered-by` on whatever another client creates, so
 * a copy of such a deployment that comes out of Git does not count.
 */
export function isMadeOverRest({ metadata }: Pick<EnvironmentDeployment, 'metadata'>): boolean {
  const creator = metadata.annotations?.[annotations.createdBy]
  return creator !== undefined && creator === metadata.annotations?.[annotations.triggeredBy]
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

/** Which of the unfinished deployments of an environment may go on: one that has begun, else the oldest. */
export function nextToRun(deployments: readonly EnvironmentDeployment[]): EnvironmentDeployment | undefined {
  const hasBegun = ({ status }: EnvironmentDeployment) => Number(status?.setName !== undefined)
  return deployments
    .filter((each) => !isFinished(each))
    .sort((left, right) => hasBegun(right) - hasBegun(left) || byAge(left, right))[0]
}

/** Whether it got beyond planning, so that its set is what the environment is meant to be. */
function hasPassedPlanning({ status }: Pick<EnvironmentDeployment, 'status'>): boolean {
  return status?.startTime !== undefined && status.setName !== undefined
}

/** The newest of these deployments that passed planning. */
export function lastDeployment(
  deployments: readonly EnvironmentDeployment[],
): EnvironmentDeployment | undefined {
  return deployments.filter(hasPassedPlanning).sort(byAge).at(-1)
}

/**
 * Deployments that may be cleaned up, of all those of an environment: finished ones beyond the newest `kept`, all of them
 * created over REST, but neither the one that passed planning last nor those that others start from. Deployments that a
 * person or a GitOps tool created are theirs.
 */
export function removableDeployments(
  deployments: readonly EnvironmentDeployment[],
  kept: number,
  starts: ReadonlySet<string>,
): EnvironmentDeployment[] {
  const finished = deployments.filter((each) => isMadeOverRest(each) && isFinished(each)).sort(byAge)
  const last = lastDeployment(deployments)
  return finished
    .slice(0, Math.max(0, finished.length - kept))
    .filter((each) => each !== last && !starts.has(each.metadata.name))
}

/** A deployment to build on, and its set as far as that is known. */
export interface Base {
  readonly deploymentName: string
  readonly setName: string | undefined
}

/**
 * The deployment on whose set the next one builds: the environment's `from` as long as it was not used yet, else the one
 * that the environment remembers as planned last, else none (the empty set). Other deployments do not matter: they may
 * be gone.
 */
export function baseOf(
  environment: Pick<Environment, 'spec' | 'status'>,
  find: (deploymentName: string) => EnvironmentDeployment | undefined,
): Base | undefined {
  const { lastPlanned } = environment.status ?? {}
  const from = environment.spec.fromDeploymentName
  return from !== undefined && from !== lastPlanned?.environmentFromName
    ? baseNamed(environment, from, find)
    : lastPlanned
}

/** The deployment of that name as a base: an environment that starts from it, or planned it last, remembers its set. */
export function baseNamed(
  { status }: Pick<Environment, 'status'>,
  deploymentName: string,
  find: (deploymentName: string) => EnvironmentDeployment | undefined,
): Base {
  const { start, lastPlanned } = status ?? {}
  const remembered = (known: typeof start | typeof lastPlanned) =>
    known?.deploymentName === deploymentName ? known.setName : undefined
  const present = find(deploymentName)
  return {
    deploymentName,
    setName: remembered(start) ?? (present && setNameOf(present)) ?? remembered(lastPlanned),
  }
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

/** Whether an environment need not learn more of this deployment to start from it. */
export function isStartRemembered(environment: Environment, deployment: EnvironmentDeployment): boolean {
  const { metadata, status } = environment
  return (
    metadata.deletionTimestamp !== undefined ||
    sameJson(status?.start, rememberedStart(environment, deployment))
  )
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
    creatorName: creatorName === undefined ? undefined : truncate(creatorName, 253), // by kubectl it may be anything
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

/** The highest number in the names of deployments to an environment, `<environment>.<number>`; 0 when there is none. */
export function highestDeploymentNumber(deployments: readonly EnvironmentDeployment[]): number {
  let highest = 0
  for (const { metadata, spec } of deployments) {
    const [, number] = numbered.exec(metadata.name.slice(spec.environmentName.length)) ?? []
    const isOwn = metadata.name.startsWith(spec.environmentName)
    if (isOwn && number) highest = Math.max(highest, Number(number))
  }
  return highest
}

/** Longer numbers are names that people chose: counting on from them would soon be inexact. */
const numbered = /^\.([1-9]\d{0,11})$/

/** The number that the next deployment of an environment bears in its name; one that was given is never given again. */
export function nextDeploymentNumber(
  { status }: Pick<Environment, 'status'>,
  deployments: readonly EnvironmentDeployment[],
): number {
  return Math.max(status?.lastDeploymentNumber ?? 0, highestDeploymentNumber(deployments)) + 1
}
