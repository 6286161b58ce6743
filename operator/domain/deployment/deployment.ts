import type { deploymentStates, Environment, Start } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { annotations } from '../../api/names.ts'
import { compareText, sameJson } from '../base/json.ts'
import { truncate } from '../base/size-limits.ts'

/** State of a deployment, as the REST API names it. */
export type DeploymentState = (typeof deploymentStates)[number]

/**
 * The state of a deployment, from its conditions. Those of one that is being deleted may say what hinders its deletion, so its
 * end decides.
 */
export function stateOfDeployment({
  metadata,
  status,
}: Pick<EnvironmentDeployment, 'metadata' | 'status'>): DeploymentState {
  if (metadata.deletionTimestamp && status?.finishTime) return status.problems ? 'failed' : 'succeeded'
  const holds = (type: string) =>
    status?.conditions?.some((each) => each.type === type && each.status === 'True')
  if (holds('Ready')) return 'succeeded'
  if (holds('Stalled')) return 'failed'
  return status?.startTime ? 'in progress' : 'pending'
}

/** Whether a deployment has succeeded or failed. */
export function isFinished(deployment: Pick<EnvironmentDeployment, 'metadata' | 'status'>): boolean {
  return ['succeeded', 'failed'].includes(stateOfDeployment(deployment))
}

/**
 * Whether the gateway, or the operator for Workloads, created the deployment. An admission policy sets `triggered-by` on objects of other clients, so a copy
 * of such a deployment from Git does not count.
 */
export function isMadeOverRest({ metadata }: Pick<EnvironmentDeployment, 'metadata'>): boolean {
  const creator = metadata.annotations?.[annotations.createdBy]
  return creator !== undefined && creator === metadata.annotations?.[annotations.triggeredBy]
}

const byNumber = new Intl.Collator('en', { numeric: true })

/** The set that a deployment deploys: that of its status, else that of its spec; undefined until it is known. */
export function setNameOf({
  spec,
  status,
}: Pick<EnvironmentDeployment, 'spec' | 'status'>): string | undefined {
  return status?.setName ?? spec.setName
}

/** Compares by creation time, then by name with numbers in numeric order. No two names are equal. */
export function byAge(
  left: Pick<EnvironmentDeployment, 'metadata'>,
  right: Pick<EnvironmentDeployment, 'metadata'>,
): number {
  const [before, after] = [left.metadata.creationTimestamp, right.metadata.creationTimestamp]
  if (before !== after) return before < after ? -1 : 1
  const [one, other] = [left.metadata.name, right.metadata.name]
  return byNumber.compare(one, other) || compareText(one, other)
}

/** The order in which the deployments of an environment run: one that has begun, then the oldest. */
function inOrder(left: EnvironmentDeployment, right: EnvironmentDeployment): number {
  const hasBegun = ({ status }: EnvironmentDeployment) => Number(status?.setName !== undefined)
  return hasBegun(right) - hasBegun(left) || byAge(left, right)
}

function inReverse(left: EnvironmentDeployment, right: EnvironmentDeployment): number {
  return inOrder(right, left)
}

/** The first of the deployments that run or wait. One pass, because many may wait. */
function firstUnfinished(
  deployments: readonly EnvironmentDeployment[],
  compare: (left: EnvironmentDeployment, right: EnvironmentDeployment) => number,
  fits: (deployment: EnvironmentDeployment) => boolean = () => true,
): EnvironmentDeployment | undefined {
  let first: EnvironmentDeployment | undefined
  for (const each of deployments)
    if (!isFinished(each) && fits(each) && (!first || compare(each, first) < 0)) first = each
  return first
}

/** The unfinished deployment of an environment that may proceed. */
export function nextToRun(deployments: readonly EnvironmentDeployment[]): EnvironmentDeployment | undefined {
  return firstUnfinished(deployments, inOrder)
}

/** The unfinished deployment of an environment that runs last. */
export function lastToRun(deployments: readonly EnvironmentDeployment[]): EnvironmentDeployment | undefined {
  return firstUnfinished(deployments, inReverse)
}

/** The unfinished deployment that runs directly before another. */
export function unfinishedBefore(
  deployments: readonly EnvironmentDeployment[],
  deployment: EnvironmentDeployment,
): EnvironmentDeployment | undefined {
  const isBefore = (each: EnvironmentDeployment) => isOther(each, deployment) && inOrder(each, deployment) < 0
  return firstUnfinished(deployments, inReverse, isBefore)
}

/** The unfinished deployment that runs directly after another, which may have ended. */
export function unfinishedAfter(
  deployments: readonly EnvironmentDeployment[],
  deployment: EnvironmentDeployment,
): EnvironmentDeployment | undefined {
  const isAfter = (each: EnvironmentDeployment) => isOther(each, deployment) && inOrder(each, deployment) > 0
  return firstUnfinished(deployments, inOrder, isAfter)
}

function isOther({ metadata }: EnvironmentDeployment, other: EnvironmentDeployment): boolean {
  return metadata.uid !== other.metadata.uid
}

/** Whether planning succeeded, so that the set is the desired state of the environment. */
function hasPassedPlanning({ status }: Pick<EnvironmentDeployment, 'status'>): boolean {
  return status?.startTime !== undefined && status.setName !== undefined
}

/** The newest deployment whose planning succeeded. */
export function lastDeployment(
  deployments: readonly EnvironmentDeployment[],
): EnvironmentDeployment | undefined {
  return deployments.filter(hasPassedPlanning).sort(byAge).at(-1)
}

/**
 * The deployments of an environment that may be deleted: finished ones that were created over REST, beyond the newest
 * `kept`, except the last one whose planning succeeded.
 */
export function removableDeployments(
  deployments: readonly EnvironmentDeployment[],
  kept: number,
): EnvironmentDeployment[] {
  const finished = deployments.filter((each) => isMadeOverRest(each) && isFinished(each)).sort(byAge)
  const last = lastDeployment(deployments)
  return finished.slice(0, Math.max(0, finished.length - kept)).filter((each) => each !== last)
}

/** A deployment whose set the next delta is applied to, and that set if known. */
export interface Base {
  readonly deploymentName: string
  readonly setName: string | undefined
}

/**
 * The deployment whose set the next delta is applied to: the start of the environment if it is not used yet, else the last
 * planned one, else none (the empty set). Other deployments may be deleted and do not count.
 */
export function baseOf(
  environment: Pick<Environment, 'spec' | 'status'>,
  find: (deploymentName: string) => EnvironmentDeployment | undefined,
): Base | undefined {
  const { lastPlanned } = environment.status ?? {}
  const from = environment.spec.fromDeploymentName
  return from === undefined || isStartUsed(environment) ? lastPlanned : baseNamed(environment, from, find)
}

/** Whether the last planned deployment used the start. The same start counts again for a request at another time. */
function isStartUsed(environment: Pick<Environment, 'spec' | 'status'>): boolean {
  const { environmentFromName, environmentFromTime } = environment.status?.lastPlanned ?? {}
  const requested = startRequestTime(environment)
  const isSameTime = requested === undefined || requested === environmentFromTime
  return environment.spec.fromDeploymentName === environmentFromName && isSameTime
}

/**
 * When a client asked for the start of the environment. Undefined if the last request asked for another start: tools such as
 * Flux and Argo CD restore the name that Git has, and keep the request.
 */
export function startRequestTime({ spec }: Pick<Environment, 'spec'>): string | undefined {
  const { fromDeploymentName, fromRequest } = spec
  return fromRequest?.deploymentName === fromDeploymentName ? fromRequest?.time : undefined
}

/** The base of this name. The environment remembers the sets of its start and its last planned deployment. */
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
 * The copy of the deployment that an environment starts from, given the deployment that has the name now. A later object
 * with the same name does not replace it. Undefined while the deployment has no set.
 */
export function rememberedStart(
  { spec, status }: Pick<Environment, 'spec' | 'status'>,
  present: EnvironmentDeployment | undefined,
): Start | undefined {
  const known = status?.start?.deploymentName === spec.fromDeploymentName ? status?.start : undefined
  const isSame = known === undefined || known.deploymentUid === present?.metadata.uid
  return (isSame && present && startAt(present)) || known
}

/** Whether the environment already has an up-to-date copy of this deployment. */
export function isStartRemembered(environment: Environment, deployment: EnvironmentDeployment): boolean {
  const { metadata, status } = environment
  return (
    metadata.deletionTimestamp !== undefined ||
    sameJson(status?.start, rememberedStart(environment, deployment))
  )
}

function startAt(deployment: EnvironmentDeployment): Start | undefined {
  const { metadata, spec, status } = deployment
  const { name, uid, creationTimestamp } = metadata
  const setName = setNameOf(deployment)
  if (setName === undefined) return undefined
  const creatorName = metadata.annotations?.[annotations.createdBy]
  const optional: { [K in keyof Start]?: Start[K] | undefined } = {
    deltaName: spec.deltaName,
    fromDeploymentName: spec.fromDeploymentName ?? status?.fromDeploymentName,
    comment: spec.comment,
    creatorName: creatorName === undefined ? undefined : truncate(creatorName, 253), // a kubectl user can set any text
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

/** The highest number in the names `<environment>.<number>` of deployments; 0 when there is none. */
export function highestDeploymentNumber(deployments: readonly EnvironmentDeployment[]): number {
  let highest = 0
  for (const { metadata, spec } of deployments) {
    const [, number] = numbered.exec(metadata.name.slice(spec.environmentName.length)) ?? []
    const isOwn = metadata.name.startsWith(spec.environmentName)
    if (isOwn && number) highest = Math.max(highest, Number(number))
  }
  return highest
}

/** Longer numbers are not exact in JavaScript. They count as names. */
const numbered = /^\.([1-9]\d{0,11})$/

/** The number in the name of the next deployment. Numbers are never reused. */
export function nextDeploymentNumber(
  { status }: Pick<Environment, 'status'>,
  deployments: readonly EnvironmentDeployment[],
): number {
  return Math.max(status?.lastDeploymentNumber ?? 0, highestDeploymentNumber(deployments)) + 1
}
