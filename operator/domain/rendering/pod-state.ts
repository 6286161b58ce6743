import type { Reason } from '../../api/reasons/reasons.ts'
import { isObject } from '../base/json.ts'

/** Why a pod does not run. */
export interface PodProblem {
  readonly reason: Reason
  readonly message: string
  /** When it began, for a problem that may pass: `Unschedulable`. RFC 3339. */
  readonly since?: string
}

/** What a rollout needs of the status of a pod. */
export interface PodState {
  readonly problem?: PodProblem
  /** How a container of the pod ended, if it failed. */
  readonly failure?: string
}

interface Terminated {
  readonly exitCode?: number
  readonly reason?: string
  readonly message?: string
}

interface Waiting {
  readonly reason?: string
  readonly message?: string
}

interface ContainerStatus {
  readonly name?: string
  readonly state?: {
    readonly waiting?: Waiting
    readonly terminated?: Terminated
  }
  readonly lastState?: { readonly terminated?: Terminated }
}

interface PodStatus {
  readonly conditions?: readonly {
    readonly type?: string
    readonly status?: string
    readonly reason?: string
    readonly message?: string
    readonly lastTransitionTime?: string
  }[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
}

/** Reasons of a waiting container that only a change of the workload, the image or the registry ends. */
export const imageReasons: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
])
/** The kubelet's reason for a process that could not be started. */
const notStarted = 'RunContainerError'
export const startReasons: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  notStarted,
])
/** How a container ended whose process could not be started. Between the attempts, it waits in CrashLoopBackOff. */
const unstartedReasons: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun'])

/** The state of a pod; texts name containers, not the pod, so that equal pods have equal texts. */
export function podStateOf(status: unknown): PodState {
  if (!isObject(status)) return {}
  const { conditions = [], initContainerStatuses = [], containerStatuses = [] } = status as PodStatus // of a Pod
  const containers = [...initContainerStatuses, ...containerStatuses]
  const problem =
    containers.map(problemOfContainer).find((each) => each !== undefined) ?? unschedulable(conditions)
  const failure = containers.map(failureOf).find((each) => each !== undefined)
  return { ...(problem && { problem }), ...(failure !== undefined && { failure }) }
}

function problemOfContainer(container: ContainerStatus): PodProblem | undefined {
  const { name = '', lastState } = container
  const { reason = '', message } = waitingOf(container)
  const detail = message ? `: ${message}` : ''
  if (imageReasons.has(reason))
    return { reason: 'ImagePullBackOff', message: `container '${name}': ${reason}${detail}` }
  if (startReasons.has(reason))
    return { reason: 'ContainerNotStarted', message: `container '${name}': ${reason}${detail}` }
  if (reason !== 'CrashLoopBackOff') return undefined
  const end = lastState?.terminated
  return { reason, message: end ? endText(name, end) : `container '${name}' ends again and again` }
}

/** What a container waits for: in all attempts the same for one that could not be started. */
function waitingOf({ state, lastState }: ContainerStatus): Waiting {
  const { waiting = {} } = state ?? {}
  const { reason = '', message } = lastState?.terminated ?? {}
  const isUnstarted = waiting.reason === 'CrashLoopBackOff' && unstartedReasons.has(reason)
  return isUnstarted ? { reason: notStarted, ...(message !== undefined && { message }) } : waiting
}

function failureOf({ name = '', state, lastState }: ContainerStatus): string | undefined {
  const end = state?.terminated ?? lastState?.terminated
  return end?.exitCode ? endText(name, end) : undefined
}

function endText(container: string, { exitCode = 0, reason, message }: Terminated): string {
  const why = reason && reason !== 'Error' && reason !== 'Completed' ? ` (${reason})` : ''
  return `container '${container}' ended with exit code ${exitCode}${why}${message ? `: ${message.trim()}` : ''}`
}

function unschedulable(conditions: NonNullable<PodStatus['conditions']>): PodProblem | undefined {
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined
  const { message = 'no node can run the pod', lastTransitionTime: since } = scheduled
  return { reason: 'Unschedulable', message, ...(since === undefined ? {} : { since }) }
}
