import type { StoredObject } from '../../../operator/api/kind.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { imageReasons, startReasons } from '../../../operator/domain/rendering/pod-state.ts'
import type { RuntimeContainer, RuntimePod } from './runtime-shape.ts'

type Status = RuntimePod['status']

interface ContainerStatus {
  readonly name?: string
  readonly ready?: boolean
  readonly restartCount?: number
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly running?: { readonly startedAt?: string | null }
    readonly terminated?: {
      readonly exitCode?: number
      readonly signal?: number
      readonly reason?: string
      readonly startedAt?: string | null
      readonly finishedAt?: string | null
    }
  }
}

interface PodStatus {
  readonly phase?: RuntimePod['phase']
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
}

/**
 * A pod in responses. Texts that a container or its command may have a part in are left out, because they can contain
 * secrets: the status of the workload has them, without secrets.
 */
export function runtimePod({ metadata, status }: StoredObject, revision: number): RuntimePod {
  const {
    phase = 'Unknown',
    initContainerStatuses = [],
    containerStatuses = [],
  } = (isObject(status) ? status : {}) as PodStatus // of a Pod
  const containers = [...initContainerStatuses, ...containerStatuses].map(containerOf)
  return {
    podName: metadata.name,
    revision,
    phase,
    status: statusOfPod(phase, containers),
    containerStatuses: containers,
  }
}

function statusOfPod(phase: RuntimePod['phase'], containers: readonly RuntimeContainer[]): Status {
  if (phase === 'Failed') return 'Failure'
  if (phase === 'Succeeded') return 'Success'
  if (phase === 'Unknown') return 'Unknown'
  if (containers.some(({ status }) => status === 'Failure')) return 'Failure'
  const isReady = phase === 'Running' && containers.every(({ status }) => status === 'Success')
  return isReady ? 'Success' : 'Pending'
}

function containerOf({
  name = '',
  ready = false,
  restartCount = 0,
  state = {},
}: ContainerStatus): RuntimeContainer {
  const { waiting, running, terminated } = state
  return {
    name,
    ready,
    restart_count: restartCount,
    status: statusOfContainer(ready, state),
    state: {
      waiting: waiting && {
        reason: waiting.reason,
        message: imageReasons.has(waiting.reason ?? '') ? waiting.message : undefined,
      },
      running: running && { started_at: running.startedAt ?? undefined },
      terminated: terminated && {
        exit_code: terminated.exitCode,
        signal: terminated.signal,
        reason: terminated.reason,
        started_at: terminated.startedAt ?? undefined,
        finished_at: terminated.finishedAt ?? undefined,
      },
    },
  }
}

function statusOfContainer(
  ready: boolean,
  { waiting, running, terminated }: NonNullable<ContainerStatus['state']>,
): Status {
  if (ready) return 'Success'
  if (terminated) return terminated.exitCode === 0 ? 'Success' : 'Failure'
  if (running) return 'Pending'
  const { reason = '' } = waiting ?? {}
  const isFailing = imageReasons.has(reason) || startReasons.has(reason) || reason === 'CrashLoopBackOff'
  return isFailing ? 'Failure' : 'Pending'
}
