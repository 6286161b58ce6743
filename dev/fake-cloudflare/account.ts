import type { Limits } from './limits.ts'
import type { Records } from './records.ts'
import type { Zone, Zones } from './zones.ts'

/** What the operations work on. */
export interface Account {
  readonly records: Records
  readonly zones: Zones
  readonly limits: Limits
  readonly clock: () => number
  /** How late lists are. */
  readonly listingDelayMs: () => number
}

/** An operation on the records of one zone. */
export interface Operation {
  readonly account: Account
  readonly zone: Zone
  readonly recordId: string
  readonly query: URLSearchParams
  readonly body: unknown
}
