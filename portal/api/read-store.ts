import { type Signal, signal } from '@preact/signals'
import { type ApiProblem, asProblem } from './problem.ts'

/** What a page knows of something that it reads: the newest answer, and the problem of the last attempt. */
export interface Read<T> {
  readonly data: T | undefined
  readonly problem: ApiProblem | undefined
  readonly isLoading: boolean
}

/** Something that pages read. A page draws it before it begins to use it. */
export interface Entry {
  readonly state: Signal<Read<unknown>>
  readonly read: () => Promise<unknown>
  users: number
  running: Promise<void> | undefined
  isStale: boolean
}

const entries = new Map<string, Entry>()
const maxUnused = 100

/** The entry of an address; an empty one is read by no page. */
export function entryFor(address: string, read: () => Promise<unknown>): Entry {
  const known = entries.get(address)
  if (known) return known
  const state = signal<Read<unknown>>({ data: undefined, problem: undefined, isLoading: address !== '' })
  const entry: Entry = { state, read, users: 0, running: undefined, isStale: false }
  entries.set(address, entry)
  forgetUnused(entry)
  return entry
}

/** Reads what a page begins to show; returns what ends its use. */
export function use(entry: Entry): () => void {
  entry.users += 1
  void refresh(entry)
  return () => {
    entry.users -= 1
  }
}

/** Reads again what the page shows of these addresses; the answers of others are forgotten. */
export async function invalidate(prefix: string): Promise<void> {
  await Promise.all([...entries.keys()].filter((key) => key.startsWith(prefix)).map(readAgain))
}

/** Reads one address again if the page shows it. */
export async function readAgain(address: string): Promise<void> {
  const entry = entries.get(address)
  if (!entry) return
  if (entry.users > 0) await refresh(entry)
  // The entry stays: a page that has drawn it may be about to use it.
  else if (entry.state.value.data !== undefined)
    entry.state.value = { data: undefined, problem: undefined, isLoading: true }
}

/** Reads once at a time; a change during a read causes one more. */
export function refresh(entry: Entry): Promise<void> {
  if (entry.running) {
    entry.isStale = true
    return entry.running
  }
  entry.running = (async () => {
    do {
      entry.isStale = false
      await load(entry)
    } while (entry.isStale)
    entry.running = undefined
  })()
  return entry.running
}

async function load({ state, read }: Entry): Promise<void> {
  state.value = { ...state.value, isLoading: true }
  try {
    const data = await read()
    state.value = { data: reuse(state.value.data, data), problem: undefined, isLoading: false }
  } catch (error) {
    state.value = { ...state.value, problem: asProblem(error), isLoading: false }
  }
}

/** Keeps the earlier object if nothing changed, so that nothing is drawn again. */
function reuse(before: unknown, after: unknown): unknown {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after
}

/** Forgets entries that no page uses, except the newest, which a page is about to use. */
function forgetUnused(newest: Entry): void {
  for (const [key, entry] of entries) {
    if (entries.size <= maxUnused) return
    if (entry.users === 0 && entry !== newest) entries.delete(key)
  }
}
