import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { call, callAll } from './client.ts'
import { type Answer, addressOf, type OperationName, type RequestInput } from './operations.ts'
import { type ApiProblem, asProblem } from './problem.ts'

/** What a page knows of something that it reads: the newest answer, and the problem of the last attempt. */
export interface Read<T> {
  readonly data: T | undefined
  readonly problem: ApiProblem | undefined
  readonly isLoading: boolean
}

interface Entry {
  readonly state: Signal<Read<unknown>>
  readonly load: () => Promise<void>
  users: number
  running: Promise<void> | undefined
  isStale: boolean
}

const entries = new Map<string, Entry>()
const maxUnused = 100

/** Reads with an operation, and again when it changes; a list is read to its end. Undefined input reads nothing. */
export function useRead<K extends OperationName>(
  operation: K,
  input: RequestInput<K> | undefined,
  { isList = false } = {},
): Read<Answer<K>> & { readonly reload: () => void } {
  const key = input === undefined ? '' : addressOf(operation, input).address
  const entry = useMemo(
    () => entryFor(key, () => (isList ? callAll(operation, input) : call(operation, input))),
    [key, isList],
  )
  useEffect(() => {
    if (key === '') return undefined
    entry.users += 1
    void refresh(entry)
    return () => {
      entry.users -= 1
    }
  }, [entry])
  const read = entry.state.value as Read<Answer<K>> // the key contains operation and input
  return { ...read, reload: () => void refresh(entry) }
}

/** Reads again what the page shows of these addresses; what it does not show is forgotten. */
export async function invalidate(prefix: string): Promise<void> {
  await Promise.all([...entries.keys()].filter((key) => key.startsWith(prefix)).map(readAgain))
}

/** Reads one address again if the page shows it. */
export async function readAgain(address: string): Promise<void> {
  const entry = entries.get(address)
  if (entry && entry.users > 0) await refresh(entry)
  else entries.delete(address)
}

function entryFor(key: string, read: () => Promise<unknown>): Entry {
  const known = entries.get(key)
  if (known) return known
  const state = signal<Read<unknown>>({ data: undefined, problem: undefined, isLoading: key !== '' })
  const entry: Entry = {
    state,
    users: 0,
    running: undefined,
    isStale: false,
    async load() {
      state.value = { ...state.value, isLoading: true }
      try {
        const data = await read()
        state.value = { data: reuse(state.value.data, data), problem: undefined, isLoading: false }
      } catch (error) {
        state.value = { ...state.value, problem: asProblem(error), isLoading: false }
      }
    },
  }
  entries.set(key, entry)
  forgetUnused()
  return entry
}

/** Keeps the earlier object if nothing changed, so that nothing is drawn again. */
function reuse(before: unknown, after: unknown): unknown {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after
}

/** Reads once at a time; a change during a read causes one more. */
function refresh(entry: Entry): Promise<void> {
  if (entry.running) {
    entry.isStale = true
    return entry.running
  }
  entry.running = (async () => {
    do {
      entry.isStale = false
      await entry.load()
    } while (entry.isStale)
    entry.running = undefined
  })()
  return entry.running
}

function forgetUnused(): void {
  for (const [key, entry] of entries) {
    if (entries.size <= maxUnused) return
    if (entry.users === 0) entries.delete(key)
  }
}
