import type { KubeObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { isObject } from '../base/json.ts'
import type { PodProblem, PodState } from './pod-state.ts'

/** How far the cluster has replaced the pods of a workload. */
export type Rollout =
  | { readonly state: 'complete' }
  | {
      readonly state: 'running'
      readonly reason: Reason
      readonly message: string
      readonly retryAfterSeconds?: number
    }
  | { readonly state: 'failed'; readonly reason: Reason; readonly message: string }

/** A pod that the rollout replaces. */
export interface EarlierPod {
  readonly name: string
  readonly state: PodState
}

/** What a rollout is judged by. */
export interface RolloutInput {
  readonly object: KubeObject
  /** The newest ReplicaSet of a Deployment that reports refused pods, which may be those of an earlier one. */
  readonly replicaSet?: KubeObject
  /** The pods of the newest revision. */
  readonly pods: readonly PodState[]
  /** The pods of earlier revisions of a StatefulSet. */
  readonly earlierPods?: readonly EarlierPod[]
  /** Milliseconds since 1970. */
  readonly now: number
  /** How long a pod may wait for a node. */
  readonly schedulingSeconds: number
}

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

interface Status {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly conditions?: readonly Condition[]
}

interface Spec {
  readonly replicas?: number
  /** Of a Job. */
  readonly suspend?: boolean
  /** Of a StatefulSet. */
  readonly podManagementPolicy?: string
  readonly ordinals?: { readonly start?: number }
  readonly updateStrategy?: {
    readonly type?: string
    readonly rollingUpdate?: { readonly partition?: number }
  }
}

/** The kinds of objects that a rollout is waited for. */
export const rolloutKinds: ReadonlySet<string> = new Set([
  'apps/v1 Deployment',
  'apps/v1 StatefulSet',
  'batch/v1 Job',
])

/** How soon to look at a ReplicaSet again: its Deployment does not change when the new pods are refused too. */
const refusalSeconds = 5

/** Judges a rollout as `kubectl rollout status` does, and finds out why it cannot end. */
export function rolloutOf(input: RolloutInput): Rollout {
  const { object, replicaSet, pods, earlierPods = [] } = input
  const status = statusOf(object)
  const spec = (isObject(object.spec) ? object.spec : {}) as Spec
  const what = `${object.kind} '${object.metadata.name}'`
  const running: Rollout = {
    state: 'running',
    reason: 'Progressing',
    message: `waiting for the rollout of the ${what}`,
  }
  // Before, status and pods are those of an earlier revision.
  if (!isObserved(object, status)) return running
  if (isComplete[object.kind]?.(spec, status)) return { state: 'complete' }
  const refused = refusalOf(replicaSet ?? object)
  if (refused) return refused
  const failure = failureOf(what, status, pods)
  if (failure) return failure
  const problems = pods.flatMap(({ problem }) => problem ?? [])
  if (object.kind === 'StatefulSet') problems.push(...blockingProblems(spec, earlierPods))
  const retryAfterSeconds = reportsRefusedPods(object) ? refusalSeconds : undefined
  return problemRollout(problems, input) ?? { ...running, retryAfterSeconds }
}

/** The rollout of several objects. One that cannot end decides; otherwise one that runs, judged again when the first is due. */
export function jointRollout(rollouts: readonly Rollout[]): Rollout {
  const failed = rollouts.find(({ state }) => state === 'failed')
  if (failed) return failed
  const running = rollouts.filter((each) => each.state === 'running')
  const [first] = running
  if (!first) return { state: 'complete' }
  const retries = running.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])
  return { ...first, retryAfterSeconds: retries.length > 0 ? Math.min(...retries) : undefined }
}

/** The rollout of pods with these problems, of which only the wait for a node may pass; undefined without one. */
function problemRollout(
  problems: readonly PodProblem[],
  { now, schedulingSeconds }: Pick<RolloutInput, 'now' | 'schedulingSeconds'>,
): Rollout | undefined {
  const problem = problems.find(({ since }) => since === undefined) ?? problems[0]
  if (!problem) return undefined
  const { reason, message, since } = problem
  const left = since === undefined ? 0 : schedulingSeconds - (now - Date.parse(since)) / 1000
  if (!(left > 0)) return { state: 'failed', reason, message }
  return { state: 'running', reason, message, retryAfterSeconds: Math.ceil(left) }
}

/**
 * The problems of pods that Kubernetes neither replaces nor removes before they are ready. With a partition, a new pod may
 * be of the earlier revision again.
 */
function blockingProblems(
  { replicas = 1, podManagementPolicy, ordinals, updateStrategy }: Spec,
  earlierPods: readonly EarlierPod[],
): PodProblem[] {
  const onDelete = updateStrategy?.type === 'OnDelete'
  if (!onDelete && (podManagementPolicy === 'Parallel' || updateStrategy?.rollingUpdate?.partition)) return []
  const cause = onDelete
    ? "with the update strategy 'OnDelete', Kubernetes replaces no pod of an earlier revision"
    : 'Kubernetes replaces no pod of an earlier revision before it is ready'
  const end = (ordinals?.start ?? 0) + replicas
  return earlierPods
    .map(({ name, state }) => ({ name, ordinal: Number(name.split('-').at(-1)), problem: state.problem }))
    .filter(({ ordinal }) => ordinal < end)
    .sort((left, right) => left.ordinal - right.ordinal)
    .flatMap(({ name, problem }) => (problem ? [withRemedy(problem, name, cause)] : []))
}

function withRemedy(problem: PodProblem, pod: string, cause: string): PodProblem {
  return { ...problem, message: `${problem.message}; delete the pod '${pod}': ${cause}` }
}

/** Whether the status is about the current spec. The spec of a Job cannot change, but for a few fields. */
function isObserved({ kind, metadata }: KubeObject, { observedGeneration = 0 }: Status): boolean {
  return kind === 'Job' || observedGeneration >= (metadata.generation ?? 0)
}

/** Whether enough pods are available although a change of the object is not rolled out yet. */
export function isAvailable(object: KubeObject): boolean {
  const { kind, spec } = object
  const given = statusOf(object)
  const wanted = (isObject(spec) ? spec : {}) as Spec // of these kinds
  if (!isObserved(object, given)) return false
  if (kind === 'Job') return isJobDone(wanted, given)
  if (kind === 'Deployment') return isTrue(given, 'Available')
  return (given.readyReplicas ?? 0) >= (wanted.replicas ?? 1)
}

const isComplete: Readonly<Record<string, (spec: Spec, status: Status) => boolean>> = {
  Deployment: ({ replicas = 1 }, { replicas: all = 0, updatedReplicas = 0, availableReplicas = 0 }) =>
    updatedReplicas >= replicas && all <= updatedReplicas && availableReplicas >= updatedReplicas,
  StatefulSet: isSetComplete,
  Job: isJobDone,
}

/** A suspended Job runs no pods, so no end of them is waited for. */
function isJobDone({ suspend = false }: Spec, status: Status): boolean {
  return suspend || isTrue(status, 'Complete')
}

function isSetComplete({ replicas = 1, updateStrategy }: Spec, status: Status): boolean {
  const { updatedReplicas = 0, readyReplicas = 0, availableReplicas = readyReplicas } = status
  const areReady = Math.min(readyReplicas, availableReplicas) >= replicas
  // A person decides when the pods become new.
  if (updateStrategy?.type === 'OnDelete') return areReady
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0
  // The revisions are equal at once when a roll-back begins, and differ for some time after the last pod is replaced.
  const isUpdated = partition > 0 || status.currentRevision === status.updateRevision
  return isUpdated && areReady && updatedReplicas >= replicas - partition
}

/** Whether a Deployment or a ReplicaSet reports that pods are refused. A Deployment repeats what its ReplicaSets report. */
export function reportsRefusedPods(object: KubeObject): boolean {
  return isTrue(statusOf(object), 'ReplicaFailure')
}

function refusalOf(object: KubeObject): Rollout | undefined {
  if (!reportsRefusedPods(object)) return undefined
  const message = `no pod can be made: ${conditionOf(statusOf(object), 'ReplicaFailure')?.message ?? ''}`
  const reason = /exceeded quota/.test(message) ? 'PodQuotaExceeded' : 'PodsRefused'
  return { state: 'failed', reason, message }
}

function failureOf(what: string, status: Status, pods: readonly PodState[]): Rollout | undefined {
  const failed = conditionOf(status, 'Failed')
  const ended = pods.map(({ failure }) => failure).find((each) => each !== undefined)
  if (failed?.status === 'True') {
    const message = [failed.message ?? `the ${what} failed`, ...(ended === undefined ? [] : [ended])].join(
      '; ',
    )
    return { state: 'failed', reason: 'JobFailed', message }
  }
  const progressing = conditionOf(status, 'Progressing')
  if (progressing?.status !== 'False' || progressing.reason !== 'ProgressDeadlineExceeded') return undefined
  const problem = pods.map((each) => each.problem).find((each) => each !== undefined)
  if (problem) return { state: 'failed', reason: problem.reason, message: problem.message }
  return {
    state: 'failed',
    reason: 'ProgressDeadlineExceeded',
    message: ended ?? `the pods of the ${what} are not ready in time`,
  }
}

function statusOf({ status }: KubeObject): Status {
  return (isObject(status) ? status : {}) as Status // of these kinds
}

function isTrue(status: Status, type: string): boolean {
  return conditionOf(status, type)?.status === 'True'
}

function conditionOf({ conditions = [] }: Status, type: string): Condition | undefined {
  return conditions.find((each) => each.type === type)
}
