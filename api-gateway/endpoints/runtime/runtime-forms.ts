import type {
  FirstRuntime,
  RuntimeController,
  RuntimeStatus,
  RuntimeStatusClass,
  SecondRuntime,
} from './runtime-shape.ts'

/** The namespace of an environment, and the objects that run the pods of its workloads, as kubectl names them. */
export interface Runtime {
  readonly namespace: string
  readonly modules: Readonly<Record<string, Readonly<Record<string, RuntimeController>>>>
}

/** The state of all workloads together; undefined without workloads. */
export function statusOfAll(modules: Runtime['modules']): RuntimeStatus | undefined {
  const all = new Set(
    Object.values(modules).flatMap((each) => Object.values(each).map(({ status }) => status)),
  )
  const has = (...statuses: RuntimeStatus[]) => statuses.some((each) => all.has(each))
  if (all.size <= 1) return [...all][0]
  if (has('Failed', 'Partially Succeeded'))
    return has('Running', 'Succeeded', 'Partially Succeeded') ? 'Partially Succeeded' : 'Failed'
  const order = ['Starting', 'Unknown', 'Running', 'Succeeded'] as const
  return order.find((each) => all.has(each))
}

const classes: Readonly<Record<RuntimeStatus, RuntimeStatusClass>> = {
  Running: 'Success',
  Succeeded: 'Success',
  Starting: 'Warning',
  'Partially Succeeded': 'Warning',
  Failed: 'Failure',
  Stopped: 'Stopped',
  Unknown: 'Unknown',
}

/** The first form: clients know only the classes of states, and take the ID of an object for that of its workload. */
export function toFirstForm({ namespace, modules }: Runtime): FirstRuntime {
  const entries = Object.entries(modules).map(([id, controllers]) => {
    const byName = Map.groupBy(Object.entries(controllers), ([key]) => nameIn(key))
    const named = [...byName].flatMap(([name, all]) =>
      all.map(
        ([key, each]) => [all.length === 1 ? name : key, { ...each, status: classes[each.status] }] as const,
      ),
    )
    return [id, Object.fromEntries(named)] as const
  })
  return { namespace, modules: Object.fromEntries(entries) }
}

/** The second form, with the state of each workload. */
export function toSecondForm({ namespace, modules }: Runtime): SecondRuntime {
  const entries = Object.entries(modules).map(([id, controllers]) => {
    const status = statusOfAll({ [id]: controllers }) ?? 'Unknown'
    return [id, { status, status_class: classes[status], controllers }]
  })
  return { namespace, modules: Object.fromEntries(entries) }
}

/** The name in the ID of an object. */
function nameIn(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
