import type { Environment, Start } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { annotations } from '../../api/names.ts'
import { sameJson } from '../base/json.ts'
import { truncate } from '../base/size-limits.ts'
import { setNameOf, stateOfDeployment } from './deployment.ts'

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
