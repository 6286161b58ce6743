import { type EnvironmentDeployment, longestInProblem } from '../../api/environment-deployment.ts'
import { annotations } from '../../api/names.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { shortened, storedBytes } from '../../domain/base/size.ts'
import { type ListedProblem, moreProblems, problemCount } from '../../domain/graph/problems.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'

type Seen = Observed<typeof EnvironmentDeployment>

const maxProblems = 200
const maxProblemsBytes = 500_000

/** Why planning failed: final for a deployment over REST; one of kubectl or GitOps gets time for its objects to arrive. */
export function refusal(
  deployment: EnvironmentDeployment,
  problems: readonly ListedProblem[],
  source: Seen,
  settleSeconds: number,
): Error {
  const isFinal = deployment.metadata.annotations?.[annotations.createdBy] !== undefined
  const remaining = remainingOf(deployment, settleSeconds)
  if (isFinal || remaining <= 0) return failure({ ...source, problems: [...problems] })
  const shown = statedOf(problems)
  const message = messageOf(shown, problemCount(problems))
  return new Waiting('NotPlannable', message, Math.ceil(remaining), { ...source, problems: shown })
}

/** What a deployment names and is not there gets time to arrive, over REST too: it may be heard of later. */
export function awaited(
  deployment: EnvironmentDeployment,
  { reason, message: what }: { readonly reason: Reason; readonly message: string },
  settleSeconds: number,
): Waiting | Stalled {
  const remaining = remainingOf(deployment, settleSeconds)
  if (remaining > 0) return new Waiting(reason, `waiting for ${what}`.replace(/,$/, ''), Math.ceil(remaining))
  return failure({ problems: [{ object: '', reason, message: `${what} did not come` }] })
}

function remainingOf({ metadata }: EnvironmentDeployment, settleSeconds: number): number {
  return settleSeconds - (Date.now() - Date.parse(metadata.creationTimestamp ?? '')) / 1000
}

/** The end of a deployment that failed, with everything it saw. */
export function failure(observed: Seen): Stalled {
  const { problems = [], finishTime = new Date().toISOString() } = observed
  const shown = statedOf(problems)
  const reason = shown.length === 1 && shown[0] ? shown[0].reason : 'DeploymentFailed'
  return new Stalled(reason, messageOf(shown, problemCount(problems)), {
    ...observed,
    problems: shown,
    finishTime,
  })
}

/** The problems as a status takes them: each as long as its schema lets it be, and not too many; the last one says how many more. */
function statedOf(problems: readonly ListedProblem[]): ListedProblem[] {
  const listed = problems.filter(({ more }) => more === undefined)
  const shown: ListedProblem[] = []
  let bytes = 0
  for (const { object, reason, message } of listed.slice(0, maxProblems)) {
    const problem = {
      object: shortened(object, longestInProblem.object),
      reason,
      message: shortened(message, longestInProblem.message),
    }
    bytes += storedBytes(problem)
    if (bytes > maxProblemsBytes) break
    shown.push(problem)
  }
  const more = problemCount(problems) - shown.length
  if (more === 0) return shown
  const { object, reason, message } = moreProblems(more)
  return [...shown, { object, reason, message }]
}

function messageOf(problems: readonly ListedProblem[], count: number): string {
  const shown = problems
    .slice(0, 5)
    .map(({ object, message }) => (object && !message.includes(object) ? `${object}: ${message}` : message))
  return count > 5 ? `${shown.join('; ')}; and ${count - 5} more` : shown.join('; ')
}

/** A finished deployment stays as it ended. */
export function finishedAs(deployment: EnvironmentDeployment): Seen {
  const { observedGeneration: _, ...seen } = deployment.status ?? {}
  const stalled = conditionOf(deployment, 'Stalled')
  if (stalled?.status === 'True') throw new Stalled(stalled.reason, stalled.message, seen)
  return seen
}
