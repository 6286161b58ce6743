/** One call as it is remembered. */
export interface JournalEntry {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Name of the token, never the token; null when it is not one of ours. */
  readonly token: string | null
  readonly body: unknown
  /** 0 before the answer. */
  status: number
  /** Whether the call changed records. */
  committed: boolean
}

const most = 200_000

export type Journal = ReturnType<typeof createJournal>

/** The calls of the interface, oldest first. */
export function createJournal() {
  let entries: JournalEntry[] = []
  return {
    all: (): readonly JournalEntry[] => [...entries],
    add(entry: JournalEntry): JournalEntry {
      if (entries.length >= most) entries = entries.slice(most / 2)
      entries.push(entry)
      return entry
    },
    clear(): void {
      entries = []
    },
  }
}
