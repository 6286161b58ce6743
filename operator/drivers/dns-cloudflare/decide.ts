import { type HeldRecord, type HostType, hostTypes, isAsWanted, type WantedRecord } from './record.ts'

/** What a resource wants of a name: that its record stands there, or that no record of it does. */
export interface DesiredRecord {
  readonly name: string
  /** What the comment of its records says. */
  readonly mark: string
  /** None when its record shall go. */
  readonly record?: WantedRecord
}

/** Operations for one name, which happen together or not at all. */
export interface Change {
  readonly deletes: readonly string[]
  readonly patches: readonly (WantedRecord & { readonly id: string })[]
  readonly posts: readonly WantedRecord[]
}

export type Decision =
  | { readonly kind: 'asWanted' }
  /** Nothing is there; whether that can be believed is another question. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'change'; readonly change: Change }
  /** The name is somebody else's; a record of ours that came later than theirs gives way. */
  | { readonly kind: 'conflict'; readonly message: string; readonly change?: Change }

/** What to do about a wish, where these records have its name; records without its mark are never touched. */
export function decide(wish: DesiredRecord, records: readonly HeldRecord[]): Decision {
  const own = records.filter((each) => each.comment === wish.mark && isHostType(each.type))
  const { record } = wish
  if (!record) return own.length === 0 ? { kind: 'absent' } : changing({ deletes: own.map(({ id }) => id) })
  const foreign = records.find(
    (each) => !own.includes(each) && isInTheWay(each, record) && !givesWay(each, own),
  )
  if (foreign) return conflict(wish, foreign, own)
  const kept = own.find((each) => isAsWanted(each, record)) ?? own.find((each) => each.type === record.type)
  const deletes = own.filter((each) => each !== kept).map(({ id }) => id)
  if (!kept) return changing({ deletes, posts: [record] })
  if (!isAsWanted(kept, record)) return changing({ deletes, patches: [{ id: kept.id, ...record }] })
  return deletes.length === 0 ? { kind: 'asWanted' } : changing({ deletes })
}

/** Whether a change touches nothing that is there. */
export function isPureCreation({ deletes, patches }: Change): boolean {
  return deletes.length === 0 && patches.length === 0
}

/** How many operations a change is. */
export function sizeOf({ deletes, patches, posts }: Change): number {
  return deletes.length + patches.length + posts.length
}

/**
 * Of two clusters that made the same name at the same moment the first one keeps it, and both of them know it by the
 * times of the records; the records of people are never judged so.
 */
function givesWay(rival: HeldRecord, own: readonly HeldRecord[]): boolean {
  return isMark(rival.comment) && own.some((each) => isBefore(each, rival))
}

function isBefore(left: HeldRecord, right: HeldRecord): boolean {
  if (left.createdOn === undefined || right.createdOn === undefined) return false
  if (left.createdOn !== right.createdOn) return left.createdOn < right.createdOn
  return left.comment < right.comment
}

function conflict(wish: DesiredRecord, foreign: HeldRecord, own: readonly HeldRecord[]): Decision {
  const message = conflictText(wish, foreign)
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

/** An alias stands alone; addresses bear other records beside them that do not say where the host is. */
function isInTheWay({ type }: HeldRecord, wanted: WantedRecord): boolean {
  return wanted.type === 'CNAME' || isHostType(type) || type === 'NS'
}

function conflictText({ name, mark }: DesiredRecord, { type, comment }: HeldRecord): string {
  return `the name '${name}' has a record of type ${type} that belongs to ${ownerText(comment, mark)}`
}

/** A mark is `quartermaster:<installation>:<GUResID>`. */
function ownerText(comment: string, mark: string): string {
  const [, installation] = mark.split(':')
  const [, other] = markPattern.exec(comment) ?? []
  if (other === undefined) return 'somebody else'
  return other === installation
    ? 'another resource of this installation'
    : 'another Quartermaster installation'
}
