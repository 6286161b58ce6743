import type { Changes, EnvironmentChange } from './changes.ts'

/** Pauses of a stream. */
export interface StreamPauses {
  /** Between lines while nothing changes: shorter than proxies and the server wait. */
  readonly heartbeatMs: number
  /** In which changes of one object become one event. */
  readonly collectMs: number
}

export const defaultPauses: StreamPauses = { heartbeatMs: 15_000, collectMs: 100 }

interface StreamOptions {
  readonly changes: Changes
  readonly organization: string
  readonly environmentName: string
  /** Whether the caller may still read the environment; the stream ends when not. */
  isAllowed(): Promise<boolean>
  /** Ends the stream. */
  readonly signal: AbortSignal
  readonly pauses?: StreamPauses
}

/**
 * Server-sent events about the changes of an environment. The first event says that everything must be read again, so a
 * reader that connects anew has missed nothing.
 */
export async function* eventStream(options: StreamOptions): AsyncGenerator<string> {
  const { changes, organization, environmentName, isAllowed, signal, pauses = defaultPauses } = options
  const pending = new Map<string, EnvironmentChange>()
  let proceed = () => {}
  const unsubscribe = changes.subscribe(organization, environmentName, (change) => {
    pending.set(`${change.kind}/${change.id}`, change)
    proceed()
  })
  const end = () => proceed()
  signal.addEventListener('abort', end)
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      proceed = () => {
        clearTimeout(timer)
        resolve()
      }
      if (signal.aborted) proceed()
    })
  try {
    yield eventOf('reload', {})
    while (!signal.aborted) {
      if (pending.size === 0) await pause(pauses.heartbeatMs)
      if (pending.size > 0) await collect(pauses.collectMs, signal)
      if (signal.aborted) return
      if (!(await isAllowed())) {
        yield eventOf('end', {})
        return
      }
      const events = [...pending.values()]
      pending.clear()
      yield events.length === 0 ? ': still here\n\n' : events.map((each) => eventOf('change', each)).join('')
    }
  } finally {
    signal.removeEventListener('abort', end)
    unsubscribe()
  }
}

/** Waits for more changes. */
function collect(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
  })
}

/** JSON has no line breaks, so an event is two lines. */
function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
