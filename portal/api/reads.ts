import { useEffect, useMemo } from 'preact/hooks'
import { call, callAll } from './client.ts'
import { type Answer, addressOf, type OperationName, type RequestInput } from './operations.ts'
import { type ApiProblem, endsByItself } from './problem.ts'
import { type Entry, entryFor, type Read, refresh, use } from './read-store.ts'

const retryMs = 10_000

/** Reads with an operation, and again when it changes; a list is read to its end. Undefined input reads nothing. */
export function useRead<K extends OperationName>(
  operation: K,
  input: RequestInput<K> | undefined,
  { isList = false } = {},
): Read<Answer<K>> & { readonly reload: () => void } {
  const key = input === undefined ? '' : keyOf(operation, input)
  const entry = useMemo(
    () => entryFor(key, () => (isList ? callAll(operation, input) : call(operation, input))),
    [key, isList],
  )
  useEffect(() => (key === '' ? undefined : use(entry)), [entry])
  const read = entry.state.value as Read<Answer<K>> // the key contains operation and input
  useRetries(entry, read.problem)
  return { ...read, reload: () => void refresh(entry) }
}

/** Reads again what failed for a reason that ends by itself, while the page is visible. */
function useRetries(entry: Entry, problem: ApiProblem | undefined): void {
  useEffect(() => {
    if (!problem || !endsByItself(problem)) return undefined
    const timer = setInterval(() => {
      // Several parts of a page can read the same; a slow gateway answers one request before the next.
      if (document.visibilityState === 'visible' && !entry.running) void refresh(entry)
    }, retryMs)
    return () => clearInterval(timer)
  }, [entry, problem])
}

/** Begins with the address, by which entries are invalidated. */
function keyOf<K extends OperationName>(operation: K, input: RequestInput<K>): string {
  const { address, accept = '' } = addressOf(operation, input)
  return `${address} ${accept}`.trimEnd()
}
