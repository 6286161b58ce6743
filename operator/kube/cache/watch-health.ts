import type { KubeClient } from '../client/client.ts'
import type { Store } from './store.ts'

/** A watch without any answer for longer is dead: the API server sends a line each minute, and a watch is tried again meanwhile. */
const deadAfterMs = 300_000
/** How long a watch may take to recover after the API server was away. */
const recoveryMs = 120_000
const probeIntervalMs = 30_000

/** Whether the watches of a process work. */
export interface WatchHealth {
  /**
   * False when a watch has had no answer for minutes although the API server answers new connections: a restart heals that.
   * True while the API server is away or refuses a watch, which no restart heals.
   */
  isWell(): boolean
}

/** Judges the watches of a store each time it is asked; `probe` asks the API server over a new connection. */
export function createWatchHealth(
  store: Pick<Store, 'unansweredMs'>,
  probe: () => Promise<unknown>,
  now: () => number = () => performance.now(),
): WatchHealth {
  /** When the API server began to answer probes while the watch was dead; undefined when it did not. */
  let answersSince: number | undefined
  let probedAt = Number.NEGATIVE_INFINITY
  let isProbing = false

  async function probeOnce(): Promise<void> {
    isProbing = true
    try {
      await probe()
      answersSince ??= now()
    } catch {
      answersSince = undefined
    }
    isProbing = false
  }

  return {
    isWell() {
      if (store.unansweredMs() <= deadAfterMs) {
        answersSince = undefined
        return true
      }
      if (!isProbing && now() - probedAt >= probeIntervalMs) {
        probedAt = now()
        void probeOnce()
      }
      return answersSince === undefined || now() - answersSince <= recoveryMs
    },
  }
}

/** Asks the API server for its version over a new connection; `open` makes a client that has none. */
export async function probeOver(open: () => KubeClient): Promise<void> {
  const client = open()
  try {
    await client.request('GET', '/version')
  } finally {
    await client.close()
  }
}
