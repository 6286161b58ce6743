/** A pod of a workload. */
export interface PodView {
  readonly name: string
  readonly phase: string
  readonly status: string
  readonly restarts: number
}

/** A controller of a workload, such as a Deployment. */
export interface ControllerView {
  readonly id: string
  readonly kind: string
  readonly replicas: number | undefined
  readonly status: string
  readonly message: string
  readonly pods: readonly PodView[]
}

type Json = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entriesOf(value: unknown): [string, Json][] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, each]): [string, Json][] =>
    isObject(each) ? [[key, each]] : [],
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Controllers of a workload, from the runtime of its environment; the API leaves their form open. */
export function controllersOf(modules: Json, workload: string): ControllerView[] {
  return entriesOf(modules[workload]).map(([id, { kind, replicas, status, message, pods }]) => ({
    id,
    kind: textOf(kind),
    replicas: typeof replicas === 'number' ? replicas : undefined,
    status: textOf(status),
    message: textOf(message),
    pods: (Array.isArray(pods) ? pods : []).filter(isObject).map(podOf),
  }))
}

function podOf({ podName, phase, status, containerStatuses }: Json): PodView {
  const containers = (Array.isArray(containerStatuses) ? containerStatuses : []).filter(isObject)
  const restarts = containers.map(({ restart_count: count }) => (typeof count === 'number' ? count : 0))
  return {
    name: textOf(podName),
    phase: textOf(phase),
    status: textOf(status),
    restarts: restarts.reduce((sum, each) => sum + each, 0),
  }
}

/** Names of the workloads of an environment: those that are deployed, and those that still run. */
export function workloadsOf(resources: readonly { readonly res_id: string }[], modules: Json): string[] {
  const deployed = resources.flatMap(({ res_id }) => /^modules\.([^.]+)$/.exec(res_id)?.[1] ?? [])
  return [...new Set([...deployed, ...Object.keys(modules)])].sort()
}
