import type { deploymentStates, Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { annotations } from '../../api/names.ts'
import { compareText } from '../base/json.ts'

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
