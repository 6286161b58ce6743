import type { DesiredRecord } from './decide.ts'
import type { HeldRecord } from './record.ts'

/** Times in milliseconds that say how far a zone's list can be trusted. */
export interface Patience {
  /** How long after a lost answer the operation may still happen. */
  readonly settleMs: number
  /** How late a list may be: what it does not show may have been there for less. */
  readonly confirmMs: number
  /** How long our own writes count for more than a list. */
  readonly overlayMs: number
}

/** What this process did in a zone and a list may not show yet. */
export interface ZoneMemory {
  /** The records of a name as a list has them, corrected by our own writes. */
  corrected(name: string, listed: readonly HeldRecord[]): readonly HeldRecord[]
  wrote(record: HeldRecord): void
  removed(name: string, id: string): void
  /** The answer of an operation for the wish was lost; how many times in a row it was. */
  lost(wish: DesiredRecord): number
  /** Seconds until a list tells what came of the lost operation; undefined when none was lost lately. */
  unsettledSeconds(wish: DesiredRecord): number | undefined
  /** Whether only a new list tells what came of an operation. */
  isUnsure(wish: DesiredRecord): boolean
  /** It is known again what stands. */
  settled(wish: DesiredRecord, isGone: boolean): void
  /** Seconds until a list that shows nothing can be believed; 0 when one begun at that time can. */
  doubtSeconds(wish: DesiredRecord, listBegun: number): number
  /** Forgets what is too old to matter. */
  prune(): void
}

interface Write {
  readonly record: HeldRecord | undefined
  readonly at: number
}

interface Loss {
  readonly at: number
  readonly count: number
}

/** An empty memory; `clock` only grows. */
export function createZoneMemory(
  clock: () => number,
  { settleMs, confirmMs, overlayMs }: Patience,
): ZoneMemory {
  const since = clock() // another process may have written just before
  const writes = new Map<string, Map<string, Write>>()
  const losses = new Map<string, Loss>()
  const gone = new Map<string, number>()

  function note(name: string, id: string, record: HeldRecord | undefined): void {
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
    lost(wish) {
      const count = (losses.get(keyOf(wish))?.count ?? 0) + 1
      losses.set(keyOf(wish), { at: clock(), count })
      gone.delete(keyOf(wish))
      return count
    },
    unsettledSeconds(wish) {
      const loss = losses.get(keyOf(wish))
      const left = loss ? loss.at + settleMs - clock() : 0
      return left > 0 ? Math.ceil(left / 1000) : undefined
    },
    isUnsure: (wish) => losses.has(keyOf(wish)),
    settled(wish, isGone) {
      losses.delete(keyOf(wish))
      if (isGone) gone.set(keyOf(wish), clock())
      else gone.delete(keyOf(wish))
    },
    doubtSeconds(wish, listBegun) {
      if (gone.has(keyOf(wish))) return 0 // we took it away ourselves
      const lastWrite = Math.max(since, losses.get(keyOf(wish))?.at ?? 0)
      const believedFrom = lastWrite + confirmMs
      return listBegun >= believedFrom ? 0 : Math.max(1, Math.ceil((believedFrom - clock()) / 1000))
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

/** Whether a list shows a record as somebody changed it after us. */
function isNewer(listed: HeldRecord | undefined, own: HeldRecord): boolean {
  return (
    listed?.modifiedOn !== undefined && own.modifiedOn !== undefined && listed.modifiedOn > own.modifiedOn
  )
}
