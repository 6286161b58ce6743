import type { EnvironmentRuntimeV2, RuntimeControllerV2, RuntimePod } from '../../api/types.ts'
import type { Tone } from '../../components/tones.ts'

/** State of a pod in a word. */
export type PodState = 'ready' | 'completed' | 'starting' | 'failing' | 'unknown'

/** A pod of a workload, as it is shown. */
export interface PodView {
  readonly name: string
  readonly state: PodState
  readonly restarts: number
  /** Why containers wait or have ended, such as `main: CrashLoopBackOff`. */
  readonly reasons: readonly string[]
}

/** What a pod does: it is ready only if all its containers are. */
export function podView({ podName, phase, status, containerStatuses }: RuntimePod): PodView {
  const restarts = containerStatuses.reduce((sum, { restart_count }) => sum + restart_count, 0)
  const words = { Success: 'ready', Pending: 'starting', Failure: 'failing', Unknown: 'unknown' } as const
  const isCompleted = phase === 'Succeeded'
  return {
    name: podName,
    state: isCompleted ? 'completed' : words[status],
    restarts,
    reasons: containerStatuses.flatMap(reasonsOf),
  }
}

function reasonsOf({ name, state }: RuntimePod['containerStatuses'][number]): string[] {
  const { waiting, terminated } = state
  if (waiting?.reason) return [`${name}: ${[waiting.reason, waiting.message].filter(Boolean).join(': ')}`]
  if (terminated === undefined || terminated.exit_code === 0) return []
  const cause = terminated.reason && terminated.reason !== 'Error' ? ` (${terminated.reason})` : ''
  return [`${name}: ended with exit code ${terminated.exit_code ?? 'unknown'}${cause}`]
}

/** An object that runs the pods of a workload, as it is shown. */
export interface ControllerView {
  readonly name: string
  readonly state: string
  readonly tone: Tone
}

const tones: Readonly<Record<RuntimeControllerV2['status'], Tone>> = {
  Running: 'good',
  Succeeded: 'good',
  Starting: 'wait',
  'Partially Succeeded': 'bad',
  Failed: 'bad',
  Stopped: 'off',
  Unknown: 'off',
}

/** What an object does, by its name: its ID begins with its kind. */
export function controllerView(id: string, { status }: Pick<RuntimeControllerV2, 'status'>): ControllerView {
  return { name: id.replace(/^[^/]*\//, ''), state: status.toLowerCase(), tone: tones[status] }
}

/** How many pods of the newest revision are ready, of those that are wanted: older pods say nothing about a rollout. */
export function readinessOf({ replicas, revision, pods }: RuntimeControllerV2): string {
  const newest = pods.filter((pod) => pod.revision === revision)
  const ready = newest.filter((pod) => ['ready', 'completed'].includes(podView(pod).state)).length
  const older = pods.length - newest.length
  const rest = older === 0 ? '' : `, ${older} of an older revision`
  return replicas === 0 && pods.length === 0 ? 'no pods wanted' : `${ready} of ${replicas} pods ready${rest}`
}

/** Whether the number of pods can be set. */
export function isScalable({ kind }: Pick<RuntimeControllerV2, 'kind'>): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet'
}

/** Names of the workloads of an environment: those that are deployed, and those that still run. */
export function workloadsOf(
  resources: readonly { readonly res_id: string }[],
  modules: EnvironmentRuntimeV2['modules'],
): string[] {
  const deployed = resources.flatMap(({ res_id }) => /^modules\.([^.]+)$/.exec(res_id)?.[1] ?? [])
  return [...new Set([...deployed, ...Object.keys(modules)])].sort()
}
