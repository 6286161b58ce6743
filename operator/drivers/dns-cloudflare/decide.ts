import { type ExistingRecord, type HostType, hostTypes, isAsWanted, type WantedRecord } from './record.ts'

/** The record that a resource desires for a name, or none. */
export interface DesiredRecord {
  readonly name: string
  /** The comment that marks its records. */
  readonly mark: string
  /** Absent when the records are to be deleted. */
  readonly record?: WantedRecord
}

/** Operations for one name, which succeed or fail together. */
export interface Change {
  readonly deletes: readonly string[]
  readonly patches: readonly (WantedRecord & { readonly id: string })[]
  readonly posts: readonly WantedRecord[]
}

export type Decision =
  | { readonly kind: 'asWanted' }
  /** The list contains no record of ours; it may be late. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'change'; readonly change: Change }
  /** The name has a foreign record; `change` deletes a newer one of ours. */
  | { readonly kind: 'conflict'; readonly message: string; readonly change?: Change }

/** Decides what to change in the records of a name; records without the mark are never touched. */
export function decide(desired: DesiredRecord, records: readonly ExistingRecord[]): Decision {
  const own = records.filter((each) => each.comment === desired.mark && isHostType(each.type))
  const { record } = desired
  if (!record) return own.length === 0 ? { kind: 'absent' } : changing({ deletes: own.map(({ id }) => id) })
  const foreign = records.find(
    (each) => !own.includes(each) && isInTheWay(each, record) && !givesWay(each, own),
  )
  if (foreign) return conflict(desired, foreign, own)
  const kept = own.find((each) => isAsWanted(each, record)) ?? own.find((each) => each.type === record.type)
  const deletes = own.filter((each) => each !== kept).map(({ id }) => id)
  if (!kept) return changing({ deletes, posts: [record] })
  if (!isAsWanted(kept, record)) return changing({ deletes, patches: [{ id: kept.id, ...record }] })
  return deletes.length === 0 ? { kind: 'asWanted' } : changing({ deletes })
}

/** Whether a change only creates records. */
export function isPureCreation({ deletes, patches }: Change): boolean {
  return deletes.length === 0 && patches.length === 0
}

/** The number of operations of a change. */
export function sizeOf({ deletes, patches, posts }: Change): number {
  return deletes.length + patches.length + posts.length
}

/**
 * When two clusters create the same name at the same time, the older record wins; both clusters see the times. Records
 * without a mark never give way.
 */
function givesWay(rival: ExistingRecord, own: readonly ExistingRecord[]): boolean {
  return isMark(rival.comment) && own.some((each) => isBefore(each, rival))
}

function isBefore(left: ExistingRecord, right: ExistingRecord): boolean {
  if (left.createdOn === undefined || right.createdOn === undefined) return false
  if (left.createdOn !== right.createdOn) return left.createdOn < right.createdOn
  return left.comment < right.comment
}

function conflict(desired: DesiredRecord, foreign: ExistingRecord, own: readonly ExistingRecord[]): Decision {
  const message = conflictText(desired, foreign)
  const isLater = isMark(foreign.comment) && own.length > 0 && own.every((each) => isBefore(foreign, each))
  if (!isLater) return { kind: 'conflict', message }
  return { kind: 'conflict', message, change: { deletes: own.map(({ id }) => id), patches: [], posts: [] } }
}

const markPattern = /^quartermaster:([0-9a-f]{8}):[0-9a-f]+$/

function isMark(comment: string): boolean {
  return markPattern.test(comment)
}

function changing(change: Partial<Change>): Decision {
  return { kind: 'change', change: { deletes: [], patches: [], posts: [], ...change } }
}

function isHostType(type: string): type is HostType {
  return hostTypes.some((each) => each === type)
}

/** A CNAME allows no other record; an address allows records that are not about the host. */
function isInTheWay({ type }: ExistingRecord, wanted: WantedRecord): boolean {
  return wanted.type === 'CNAME' || isHostType(type) || type === 'NS'
}

function conflictText({ name, mark }: DesiredRecord, { type, comment }: ExistingRecord): string {
  return `the name '${name}' has a record of type ${type} that belongs to ${ownerText(comment, mark)}`
}

/** A mark is `quartermaster:<installation>:<GUResID>`. */
function ownerText(comment: string, mark: string): string {
  const [, installation] = mark.split(':')
  const [, other] = markPattern.exec(comment) ?? []
  if (other === undefined) return 'another client'
  return other === installation
    ? 'another resource of this installation'
    : 'another Quartermaster installation'
}
