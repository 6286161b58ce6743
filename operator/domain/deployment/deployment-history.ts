import { hash } from 'node:crypto'
import {
  type Environment,
  type LastPlanned,
  type PastDeployment,
  pastDeploymentLimits,
} from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { canonicalJson, sameJson } from '../base/json.ts'
import {
  highestDeploymentNumber,
  isFinished,
  isMadeOverRest,
  lastDeployment,
  stateOfDeployment,
} from './deployment.ts'
import { nextToRun } from './deployment-order.ts'

/** Condition of a deployment that ran before with the same name and spec. */
export const alreadyRan = 'AlreadyRan'

type Remembering = Pick<Environment, 'status'>
type Memory = Pick<
  NonNullable<Environment['status']>,
  'lastPlanned' | 'lastDeploymentNumber' | 'lastDeploymentName' | 'pastDeployments'
>

/** Identifies a run across deletion and re-creation, by name and spec. */
export function runHash({ metadata, spec }: Pick<EnvironmentDeployment, 'metadata' | 'spec'>): string {
  return hash('sha256', canonicalJson([metadata.name, spec])).slice(0, 16)
}

/** Whether the deployment repeats one that ran: it has the same outcome and did nothing. */
export function isRepetition({ status }: Pick<EnvironmentDeployment, 'status'>): boolean {
  return (
    status?.conditions?.some(({ type, status: holds }) => type === alreadyRan && holds === 'True') ?? false
  )
}

/** Whether this is the last planned deployment of the environment. */
export function isLastPlanned({ status }: Remembering, deployment: EnvironmentDeployment): boolean {
  return status?.lastPlanned?.hash === runHash(deployment)
}

/** The history in the status of an environment, updated with the existing deployments. */
export function historyOf(environment: Remembering, deployments: readonly EnvironmentDeployment[]): Memory {
  const lastPlanned = lastPlannedOf(environment, deployments)
  const status = { ...environment.status, ...(lastPlanned ? { lastPlanned } : {}) }
  const pastDeployments = pastDeploymentsOf({ status }, deployments)
  const number = Math.max(status.lastDeploymentNumber ?? 0, highestDeploymentNumber(deployments))
  const last = deployments.find(({ metadata }) => metadata.name === lastPlanned?.deploymentName)
  const isThere = last && !last.metadata.deletionTimestamp && isLastPlanned({ status }, last)
  return {
    lastPlanned,
    lastDeploymentName: isThere ? lastPlanned?.deploymentName : undefined,
    lastDeploymentNumber: number || undefined,
    pastDeployments: pastDeployments.length > 0 ? pastDeployments : undefined,
  }
}

/** The last planned deployment. Of several that are planned and unfinished, only the one that has its turn continues. */
function lastPlannedOf(
  { status }: Remembering,
  deployments: readonly EnvironmentDeployment[],
): LastPlanned | undefined {
  const known = status?.lastPlanned
  const running = nextToRun(
    deployments.filter(({ status: own, metadata }) => own?.startTime && !metadata.deletionTimestamp),
  )
  // An environment without history, such as one restored without its status, uses the existing deployments.
  const last = running ?? (known ? undefined : lastDeployment(deployments))
  if (!last?.status?.setName) return known
  const hash = runHash(last)
  const { setName, environmentFromName, environmentFromTime } = last.status
  // A process that dies while it starts a deployment leaves the start to the next one, and the delta may have changed.
  if (hash === known?.hash && setName === known.setName) return known
  return { deploymentName: last.metadata.name, hash, setName, environmentFromName, environmentFromTime }
}

/** The known deleted deployments, and those that are being deleted. */
function pastDeploymentsOf(
  environment: Remembering,
  deployments: readonly EnvironmentDeployment[],
): PastDeployment[] {
  const known = environment.status?.pastDeployments ?? []
  const going = deployments.flatMap((each) => entryOf(environment, each) ?? [])
  if (going.length === 0) return known
  const entries = new Map(known.map((each) => [each.hash, each]))
  let room = pastDeploymentLimits.byOthers - countByOthers(known)
  for (const each of going) {
    const isNew = !entries.has(each.hash)
    if (isNew && !each.overRest && room <= 0) continue
    if (isNew && !each.overRest) room -= 1
    entries.set(each.hash, each)
  }
  const all = [...entries.values()]
  const surplus = all.filter(({ overRest }) => overRest).slice(0, -pastDeploymentLimits.overRest)
  return surplus.length === 0 ? all : all.filter((each) => !surplus.includes(each))
}

/** The history entry of a deployment that is being deleted; undefined for one that wrote nothing. */
function entryOf({ status }: Remembering, deployment: EnvironmentDeployment): PastDeployment | undefined {
  if (!deployment.metadata.deletionTimestamp || isRepetition(deployment)) return undefined
  const hash = runHash(deployment)
  if (!isFinished(deployment)) {
    if (hash !== status?.lastPlanned?.hash) return undefined
    // A copy that is deleted before it says that it ran.
    const past = status.pastDeployments?.find((each) => each.hash === hash)
    if (past?.state === 'succeeded' || past?.state === 'failed') return undefined
  }
  const state = stateOfDeployment(deployment)
  return { hash, state, overRest: isMadeOverRest(deployment) || undefined }
}

/** Whether a deployment can be deleted: the environment remembers it, need not remember it, or its history is full. */
export function isRemembered(environment: Remembering, deployment: EnvironmentDeployment): boolean {
  const wanted = entryOf(environment, deployment)
  if (!wanted) return true
  const known = environment.status?.pastDeployments ?? []
  return known.some((each) => sameJson(each, wanted)) || (!wanted.overRest && isFull(environment))
}

function countByOthers(past: readonly PastDeployment[]): number {
  return past.filter(({ overRest }) => !overRest).length
}

function isFull({ status }: Remembering): boolean {
  return countByOthers(status?.pastDeployments ?? []) >= pastDeploymentLimits.byOthers
}

/** What to do with a deployment that has not begun, by the history of its environment. */
export type RunDecision = 'run' | 'succeeded' | 'failed' | 'superseded' | 'full'

/**
 * A finished deployment does not run again. A deployment that was deleted while it ran continues if it is still the last
 * planned one. An environment with a full history cannot recognize repetitions, so it accepts new deployments only from the
 * gateway, which never reuses names.
 */
export function decideRun(environment: Remembering, deployment: EnvironmentDeployment): RunDecision {
  const hash = runHash(deployment)
  const past = environment.status?.pastDeployments?.find((each) => each.hash === hash)
  if (past?.state === 'succeeded' || past?.state === 'failed') return past.state
  if (isLastPlanned(environment, deployment)) return 'run'
  if (past) return 'superseded'
  return !isMadeOverRest(deployment) && isFull(environment) ? 'full' : 'run'
}
