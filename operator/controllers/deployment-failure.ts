import type { DeploymentProblem, EnvironmentDeployment } from '../api/environment-deployment.ts'
import { annotations } from '../api/names.ts'
import { Stalled, Waiting } from '../domain/errors.ts'
import type { Observed } from '../kube/status.ts'
import { conditionOf } from '../kube/verdict.ts'

type Seen = Observed<typeof EnvironmentDeployment>

/** Problems that a status holds at most. */
export const maxProblems = 200

/** Why planning failed: final for a deployment over REST; one of kubectl or GitOps gets time for its objects to arrive. */
export function refusal(
  deployment: EnvironmentDeployment,
  problems: readonly DeploymentProblem[],
  source: Seen,
  settleSeconds: number,
): Error {
  const { creationTimestamp = '', annotations: given } = deployment.metadata
  const isFinal = given?.[annotations.createdBy] !== undefined
  const remaining = settleSeconds - (Date.now() - Date.parse(creationTimestamp)) / 1000
  const shown = problems.slice(0, maxProblems)
  const observed = { ...source, problems: shown }
  if (!isFinal && remaining > 0)
    return new Waiting('NotPlannable', messageOf(shown, problems.length), Math.ceil(remaining), observed)
  return failure({ ...observed, finishTime: new Date().toISOString() }, problems.length)
}

/** The end of a deployment that failed, with everything it saw. */
export function failure(observed: Seen, count = observed.problems?.length ?? 0): Stalled {
  const { problems = [], finishTime = new Date().toISOString() } = observed
  const reason = problems.length === 1 && problems[0] ? problems[0].reason : 'DeploymentFailed'
  return new Stalled(reason, messageOf(problems, count), { ...observed, finishTime })
}

function messageOf(problems: readonly DeploymentProblem[], count: number): string {
  const shown = problems
    .slice(0, 5)
    .map(({ object, message }) => (object && !message.includes(object) ? `${object}: ${message}` : message))
  return count > 5 ? `${shown.join('; ')}; and ${count - 5} more` : shown.join('; ')
}

/** A finished deployment stays as it ended. */
export function finishedAs(deployment: EnvironmentDeployment): Seen {
  const { conditions: _, observedGeneration: __, ...seen } = deployment.status ?? {}
  const stalled = conditionOf(deployment, 'Stalled')
  if (stalled?.status === 'True') throw new Stalled(stalled.reason, stalled.message, seen)
  return seen
}
