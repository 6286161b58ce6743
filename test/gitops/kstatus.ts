/** The state of an object by the rules of kstatus, which Flux waits by. */
export type Health = 'Current' | 'InProgress' | 'Failed' | 'Terminating'

/** The fields of an object that kstatus reads. */
export interface HealthFields {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

/** Returns what kstatus returns for an object of a custom kind; test/cluster/gitops/flux.test.ts compares the two. */
export function healthOf({ metadata, status = {} }: HealthFields): Health {
  if (metadata.deletionTimestamp) return 'Terminating'
  const { observedGeneration, conditions = [] } = status
  const { generation } = metadata
  if (generation !== undefined && observedGeneration !== undefined && generation !== observedGeneration)
    return 'InProgress'
  const decisive = conditions.find(
    (each) => each.status === 'True' && (each.type === 'Reconciling' || each.type === 'Stalled'),
  )
  if (decisive) return decisive.type === 'Stalled' ? 'Failed' : 'InProgress'
  const ready = conditions.find(({ type }) => type === 'Ready')
  return !ready || ready.status === 'True' ? 'Current' : 'InProgress'
}
