import type { ActiveResource, ProvisionedInstance } from '../../api/active-resource.ts'

/** What stands for a resource, or may stand. */
interface Standings {
  readonly provisioned?: ProvisionedInstance
  readonly predecessors?: readonly ProvisionedInstance[]
}

/**
 * Resources whose status notes a standing although no call could have made anything of it. A standing is noted before
 * the first call; when the driver says that the call made nothing, the note is taken back. A process that begins anew
 * knows of no such note and takes each for something that may stand.
 */
export interface Untouched {
  /** Status facts of the resource as if nothing were noted that no call could have made. */
  without<T extends Standings>(resource: ActiveResource, facts: T): T
  /** A standing is about to be noted: until something is called, what stood before is all that stands. */
  note(resource: ActiveResource): void
  /** A call may have made something, or the resource goes: what its status says is so. */
  forget(resource: ActiveResource): void
}

export function createUntouched(): Untouched {
  const before = new Map<string, Standings>()
  return {
    without({ metadata }, facts) {
      const standings = before.get(metadata.uid ?? '')
      if (!standings) return facts
      const { provisioned: _, predecessors: __, ...others } = facts
      return { ...others, ...standings } as typeof facts // both are optional
    },
    note({ metadata, status }) {
      const { provisioned, predecessors } = status ?? {}
      before.set(metadata.uid ?? '', {
        ...(provisioned ? { provisioned } : {}),
        ...(predecessors ? { predecessors } : {}),
      })
    },
    forget({ metadata }) {
      before.delete(metadata.uid ?? '')
    },
  }
}
