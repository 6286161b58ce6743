/** A record as the interface shows it; one made by hand may lack nothing either. */
export interface DnsRecord {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly content: string
  readonly proxiable: boolean
  readonly proxied: boolean
  /** Seconds; 1 is automatic. */
  readonly ttl: number
  readonly settings: Readonly<Record<string, unknown>>
  readonly meta: Readonly<Record<string, unknown>>
  readonly comment: string | null
  readonly tags: readonly string[]
  readonly created_on: string
  readonly modified_on: string
  readonly comment_modified_on?: string
}

/** A record and its zone. */
export interface StoredRecord extends DnsRecord {
  readonly zone_id: string
}

interface Change {
  readonly at: number
  readonly id: string
  readonly before: StoredRecord | undefined
}

export type Records = ReturnType<typeof createRecords>

const historyMs = 10 * 60 * 1000

/** All records of all zones, with enough history to list earlier states. */
export function createRecords(clock: () => number) {
  const byId = new Map<string, StoredRecord>()
  const byName = new Map<string, Set<string>>()
  const below = new Map<string, number>()
  let changes: Change[] = []
  let revision = 0
  let isInTransaction = false
  let changed: () => void = () => {}

  function index(record: StoredRecord, step: 1 | -1): void {
    const key = `${record.zone_id}/${record.name}`
    const ids = byName.get(key) ?? new Set()
    if (step === 1) ids.add(record.id)
    else ids.delete(record.id)
    if (ids.size > 0) byName.set(key, ids)
    else byName.delete(key)
    for (const place of placesOf(record)) below.set(place, (below.get(place) ?? 0) + step)
  }

  function write(id: string, after: StoredRecord | undefined): StoredRecord | undefined {
    const before = byId.get(id)
    if (before) index(before, -1)
    if (after) {
      index(after, 1)
      byId.set(id, after)
    } else byId.delete(id)
    return before
  }

  function set(id: string, after: StoredRecord | undefined): void {
    const at = clock()
    const before = write(id, after)
    if (!isInTransaction && (changes[0]?.at ?? at) < at - 2 * historyMs) {
      changes = changes.filter((change) => change.at >= at - historyMs)
    }
    changes.push({ at, id, before })
    revision += 1
    if (!isInTransaction) changed()
  }

  return {
    /** Grows with every change. */
    revision: () => revision,
    all: (): readonly StoredRecord[] => [...byId.values()],
    get: (id: string): StoredRecord | undefined => byId.get(id),
    put: (record: StoredRecord): void => set(record.id, record),
    remove: (id: string): void => set(id, undefined),

    named(zoneId: string, name: string): readonly StoredRecord[] {
      return [...(byName.get(`${zoneId}/${name}`) ?? [])].flatMap((id) => byId.get(id) ?? [])
    },

    /** Whether anything has this name or lies below it. */
    isPopulated: (zoneId: string, name: string): boolean => (below.get(`${zoneId}/${name}`) ?? 0) > 0,

    /** The records of a zone as they were at a time. */
    asOf(zoneId: string, time: number): readonly StoredRecord[] {
      const then = new Map(byId)
      for (let position = changes.length - 1; position >= 0; position -= 1) {
        const change = changes[position]
        if (!change || change.at <= time) break
        if (change.before) then.set(change.id, change.before)
        else then.delete(change.id)
      }
      return [...then.values()].filter((record) => record.zone_id === zoneId)
    },

    /** All of the work or, when it throws, nothing of it. */
    transaction<T>(work: () => T): T {
      const [start, startRevision] = [changes.length, revision]
      isInTransaction = true
      try {
        return work()
      } catch (error) {
        for (const { id, before } of changes.splice(start).toReversed()) write(id, before)
        revision = startRevision
        throw error
      } finally {
        isInTransaction = false
        if (revision !== startRevision) changed()
      }
    },

    /** Calls the listener after every change; there is one listener. */
    onChange(listener: () => void): void {
      changed = listener
    },

    clear(): void {
      byId.clear()
      byName.clear()
      below.clear()
      changes = []
      revision += 1
      changed()
    },
  }
}

/** The name of the record and all names above it. */
function placesOf({ zone_id, name }: StoredRecord): readonly string[] {
  const labels = name.split('.')
  return labels.map((_, position) => `${zone_id}/${labels.slice(position).join('.')}`)
}
