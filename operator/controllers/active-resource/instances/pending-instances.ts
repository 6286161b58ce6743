import type { ActiveResource, ProvisionedInstance } from '../../../api/active-resource.ts'

interface Instances {
  readonly provisioned?: ProvisionedInstance
  readonly predecessors?: readonly ProvisionedInstance[]
}

/**
 * Resources whose status records an instance although no driver call can have made it. The status records an instance
 * before the first call; when the call fails without making anything, the status returns to the earlier instances. A
 * new process knows no pending instances: it deprovisions each recorded instance as one that may exist.
 */
export interface PendingInstances {
  /** Returns the status with the instances from before the record; one without an instance has no record, because all are deprovisioned. */
  without<T extends Instances>(resource: ActiveResource, status: T): T
  /** Keeps the instances from before the record, after the status records another one. */
  add(resource: ActiveResource): void
  /** Ends the pending state: a call may have made the instance, or the resource is deleted. */
  remove(resource: ActiveResource): void
}

export function createPendingInstances(): PendingInstances {
  const earlier = new Map<string, Instances>()
  return {
    without({ metadata }, status) {
      const instances = status.provisioned && earlier.get(metadata.uid)
      return instances ? { ...status, ...instances } : status
    },
    add({ metadata, status }) {
      const { provisioned, predecessors } = status ?? {}
      earlier.set(metadata.uid, { provisioned, predecessors })
    },
    remove({ metadata }) {
      earlier.delete(metadata.uid)
    },
  }
}
