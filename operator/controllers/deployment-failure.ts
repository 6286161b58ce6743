import {
  type DeploymentProblem,
  type EnvironmentDeployment,
  longestInProblem,
} from '../api/environment-deployment.ts'
import { annotations } from '../api/names.ts'
import { Stalled, Waiting } from '../domain/errors.ts'
import { shortened, storedBytes } from '../domain/size.ts'
import type { Observed } from '../kube/status.ts'
import { conditionOf } from '../kube/verdict.ts'

type Seen = Observed<typeof EnvironmentDeployment>

const maxProblems = 200
const maxProblemsBytes = 500_000

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
  if (isFinal || remaining <= 0) return failure({ ...source, problems: [...problems] })
  const shown = statedOf(problems)
  const message = messageOf(shown, problems.length)
  return new Waiting('NotPlannable', message, Math.ceil(remaining), { ...source, problems: shown })
}

/** The end of a deployment that failed, with everything it saw. */
export function failure(observed: Seen): Stalled {
  const { problems = [], finishTime = new Date().toISOString() } = observed
  const shown = statedOf(problems)
  const reason = shown.length === 1 && shown[0] ? shown[0].reason : 'DeploymentFailed'
  return new Stalled(reason, messageOf(shown, problems.length), { ...observed, problems: shown, finishTime })
}

/** The problems as a status takes them: each as long as its schema lets it be, and not too many; the last one says how many more. */
function statedOf(problems: readonly DeploymentProblem[]): DeploymentProblem[] {
  const shown: DeploymentProblem[] = []
  let bytes = 0
  for (const { object, reason, message } of problems.slice(0, maxProblems)) {
    const problem = {
      object: shortened(object, longestInProblem.object),
      reason: shortened(reason, longestInProblem.reason),
      message: shortened(message, longestInProblem.message),
    }
    bytes += storedBytes(problem)
    if (bytes > maxProblemsBytes) break
    shown.push(problem)
  }
  const more = problems.length - shown.length
  if (more > 0)
    shown.push({ object: '', reason: 'MoreProblems', message: `${more} more problems, not listed` })
  return shown
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
