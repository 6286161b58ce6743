import { EnvironmentDeployment, longestInProblem } from '../../api/environment-deployment.ts'
import { QuotaExceeded, Stalled, Waiting } from '../../domain/base/errors.ts'
import { shortenMessage, storedBytes } from '../../domain/base/size-limits.ts'
import { isMadeOverRest } from '../../domain/deployment/deployment.ts'
import { type ListedProblem, moreProblems, problemCount } from '../../domain/graph/problems.ts'
import type { Store } from '../../kube/cache/store.ts'
import { isRefused } from '../../kube/client/api-error.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'

type DeploymentStatus = Observed<typeof EnvironmentDeployment>

const maxProblems = 200
const maxProblemsBytes = 500_000

/** How long a deployment waits for objects since its creation, by the clock of the API server in milliseconds. */
interface Settling {
  readonly settleSeconds: number
  readonly serverNow: () => number
}

/** Whether the problem is a quota without room. */
export function isOfQuota({ reason }: ListedProblem): boolean {
  return reason === 'QuotaExceeded'
}

/**
 * Returns the error for a plan with problems. It is final for a deployment over REST; a deployment by kubectl or GitOps
 * waits, because its objects may be applied in any order. A deployment that has written some of its resources waits for
 * room in a quota. A deployment that a later process plans again keeps its start.
 */
export function planningFailure(
  deployment: EnvironmentDeployment,
  problems: readonly ListedProblem[],
  source: DeploymentStatus,
  settling: Settling,
): Error {
  if (deployment.status?.startTime && problems.every(isOfQuota))
    return new QuotaExceeded(messageOf(problems, problems.length), deployment.metadata.namespace)
  const isFinal = isMadeOverRest(deployment) && deployment.spec.workloads === undefined
  const remaining = remainingOf(deployment, settling)
  if (isFinal || remaining <= 0) return failure({ ...source, problems: [...problems] })
  const shown = limited(problems)
  const message = messageOf(shown, problemCount(problems))
  const observed = { ...startOf(deployment.status), ...source, problems: shown }
  return new Waiting('NotPlannable', message, Math.ceil(remaining), observed)
}

/** The status fields that say when a deployment started, and what it had planned from what. */
function startOf(status: DeploymentStatus = {}): DeploymentStatus {
  const { startTime, plan, setName, fromDeploymentName, environmentFromName, environmentFromTime } = status
  if (!startTime) return {}
  return { startTime, plan, setName, fromDeploymentName, environmentFromName, environmentFromTime }
}

/** The status that was written last. A reconcile that starts a deployment was given the one before. */
export function reportedStatus(
  store: Store,
  { metadata: { namespace, name, uid }, status }: EnvironmentDeployment,
): DeploymentStatus | undefined {
  const current = store.get(EnvironmentDeployment, namespace, name)
  return current?.metadata.uid === uid ? current?.status : status
}

/**
 * Returns the error that ends a deployment, with the start that its last status has: no end takes that back. A deployment
 * that ran before it was created again has no problems, and ended then.
 */
export function finalError(
  { reason, message, observed }: Stalled,
  {
    lastStatus,
    finishTime,
  }: { readonly lastStatus: DeploymentStatus | undefined; readonly finishTime: string },
): Stalled {
  const end = observed && 'problems' in observed ? { finishTime } : {}
  return new Stalled(reason, message, { ...startOf(lastStatus), ...end, ...observed })
}

/**
 * Returns the error for a missing source: Waiting at first, because the cache may be behind, then the failure. The status
 * of a deployment that has not started is then about content that it no longer has.
 */
export function awaitSource(
  deployment: EnvironmentDeployment,
  { reason, message: source }: Pick<Waiting, 'reason' | 'message'>,
  settling: Settling,
): Waiting | Stalled {
  const remaining = remainingOf(deployment, settling)
  const observed = deployment.status?.startTime ? undefined : {}
  if (remaining > 0) return new Waiting(reason, `waiting for ${source}`, Math.ceil(remaining), observed)
  return failure({ problems: [{ object: '', reason, message: `${source} not found` }] })
}

function remainingOf({ metadata }: EnvironmentDeployment, { settleSeconds, serverNow }: Settling): number {
  return settleSeconds - (serverNow() - Date.parse(metadata.creationTimestamp)) / 1000
}

/** Returns the error that ends a deployment, with its status. */
export function failure(observed: DeploymentStatus): Stalled {
  const { problems = [] } = observed
  const shown = limited(problems)
  const reason = shown.length === 1 && shown[0] ? shown[0].reason : 'DeploymentFailed'
  return new Stalled(reason, messageOf(shown, problemCount(problems)), { ...observed, problems: shown })
}

/** Fails the deployment for an object that the API server, or a policy, rejects for good; throws any other error again. */
export function failIfRejected(object: string, status: DeploymentStatus) {
  return (error: unknown): never => {
    if (!isRefused(error)) throw error
    throw failure({ ...status, problems: [{ object, reason: 'Rejected', message: error.message }] })
  }
}

/** Limits the problems to what a status can hold; the last one says how many are left out. */
function limited(problems: readonly ListedProblem[]): ListedProblem[] {
  const listed = problems.filter(({ more }) => more === undefined)
  const shown: ListedProblem[] = []
  let bytes = 0
  for (const { object, reason, message } of listed.slice(0, maxProblems)) {
    const problem = {
      object: shortenMessage(object, longestInProblem.object),
      reason,
      message: shortenMessage(message, longestInProblem.message),
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

/** Returns the status of a finished deployment, or throws the error that it ended with. */
export function finalStatus(deployment: EnvironmentDeployment): DeploymentStatus {
  const { observedGeneration: _, ...status } = deployment.status ?? {}
  const stalled = conditionOf(deployment, 'Stalled')
  if (stalled?.status === 'True') throw new Stalled(stalled.reason, stalled.message, status)
  return status
}
