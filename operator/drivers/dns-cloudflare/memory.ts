import type { DesiredRecord } from './decide.ts'
import type { ExistingRecord } from './record.ts'

/** Milliseconds that bound how stale a zone's list may be. */
export interface ConsistencyTimes {
  /** How long an operation without a response may still happen. */
  readonly settleMs: number
  /** How late a list may be in showing a record. */
  readonly confirmMs: number
  /** How long our own writes override a list. */
  readonly overlayMs: number
}

/** The recent writes of this process in a zone, which a list may not show yet. */
export interface ZoneMemory {
  /** The listed records of a name, corrected by our own writes. */
  corrected(name: string, listed: readonly ExistingRecord[]): readonly ExistingRecord[]
  wrote(record: ExistingRecord): void
  removed(name: string, id: string): void
  /** Notes an operation without a response; returns how many there were in a row. */
  lost(desired: DesiredRecord): number
  /** Seconds until a list shows the result of an operation without a response; undefined when none is recent. */
  unsettledSeconds(desired: DesiredRecord): number | undefined
  /** Whether the result of an operation is known only from a new list. */
  isUnsure(desired: DesiredRecord): boolean
  /** Notes that the records of the name are known again. */
  settled(desired: DesiredRecord, isGone: boolean): void
  /** Seconds until a list proves that a record is absent; 0 when a list of that time does. */
  doubtSeconds(desired: DesiredRecord, listBegun: number): number
  /** Drops entries that are too old to matter. */
  prune(): void
}

interface Write {
  readonly record: ExistingRecord | undefined
  readonly at: number
}

interface Loss {
  readonly at: number
  readonly count: number
}

/** An empty memory; `clock` is monotonic. */
export function createZoneMemory(
  clock: () => number,
  { settleMs, confirmMs, overlayMs }: ConsistencyTimes,
): ZoneMemory {
  const since = clock() // another process may have written just before
  const writes = new Map<string, Map<string, Write>>()
  const losses = new Map<string, Loss>()
  const gone = new Map<string, number>()

  function note(name: string, id: string, record: ExistingRecord | undefined): void {
    const ofName = writes.get(name) ?? new Map<string, Write>()
    writes.set(name, ofName.set(id, { record, at: clock() }))
  }

  return {
    corrected(name, listed) {
      const ofName = writes.get(name)
      if (!ofName) return listed
      const records = new Map(listed.map((each) => [each.id, each]))
      for (const [id, { record, at }] of ofName) {
        if (clock() - at > overlayMs) continue
        if (!record) records.delete(id)
        else if (!isNewer(records.get(id), record)) records.set(id, record)
      }
      return [...records.values()]
    },
    wrote(record) {
      note(record.name, record.id, record)
    },
    removed(name, id) {
      note(name, id, undefined)
    },
    lost(desired) {
      const count = (losses.get(keyOf(desired))?.count ?? 0) + 1
      losses.set(keyOf(desired), { at: clock(), count })
      gone.delete(keyOf(desired))
      return count
    },
    unsettledSeconds(desired) {
      const loss = losses.get(keyOf(desired))
      const left = loss ? loss.at + settleMs - clock() : 0
      return left > 0 ? Math.ceil(left / 1000) : undefined
    },
    isUnsure: (desired) => losses.has(keyOf(desired)),
    settled(desired, isGone) {
      losses.delete(keyOf(desired))
      if (isGone) gone.set(keyOf(desired), clock())
      else gone.delete(keyOf(desired))
    },
    doubtSeconds(desired, listBegun) {
      if (gone.has(keyOf(desired))) return 0 // deleted by this process
      const lastWrite = Math.max(since, losses.get(keyOf(desired))?.at ?? 0)
      // An operation without a response, also one of the process before, may still happen.
      const provenFrom = lastWrite + Math.max(settleMs, confirmMs)
      return listBegun >= provenFrom ? 0 : Math.max(1, Math.ceil((provenFrom - clock()) / 1000))
    },
    prune() {
      const old = clock() - Math.max(overlayMs, settleMs, confirmMs) * 2
      for (const [name, ofName] of writes) {
        for (const [id, { at }] of ofName) if (at < old) ofName.delete(id)
        if (ofName.size === 0) writes.delete(name)
      }
      for (const [key, { at }] of losses) if (at < old) losses.delete(key)
      for (const [key, at] of gone) if (at < old) gone.delete(key)
    },
  }
}

function keyOf({ mark, name }: DesiredRecord): string {
  return `${mark} ${name}`
}

/** Whether another client changed the listed record after us. */
function isNewer(listed: ExistingRecord | undefined, own: ExistingRecord): boolean {
  return (
    listed?.modifiedOn !== undefined && own.modifiedOn !== undefined && listed.modifiedOn > own.modifiedOn
  )
}
