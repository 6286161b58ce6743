/** Limits the work in one turn of the event loop. */
export interface Pace {
  /** Whether this turn has no time left; call it right before each piece of work. */
  isSpent(): boolean
}

/** Milliseconds of work in one turn; the piece that exceeds it is the last. */
const maxMs = 20

/** Spreads CPU-bound work over turns of the event loop, so that responses and timers run in between. */
export function createPace(now: () => number = () => performance.now()): Pace {
  let began: number | undefined
  return {
    isSpent() {
      if (began !== undefined) return now() - began >= maxMs
      began = now()
      setImmediate(() => {
        began = undefined
      })
      return false
    },
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
