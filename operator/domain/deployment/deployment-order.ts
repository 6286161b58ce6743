import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { byAge, isFinished } from './deployment.ts'

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
