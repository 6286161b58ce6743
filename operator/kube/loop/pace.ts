/** How much work a turn of the event loop takes. */
export interface Pace {
  /** Whether this turn has had its share, so that the next piece of work waits; ask right before the work. */
  isSpent(): boolean
}

/** Milliseconds of work in one turn of the event loop; the piece that goes beyond is the last. */
const mostMs = 20

/**
 * Spreads pieces of work that need the processor alone over turns of the event loop, so that answers, timers and other
 * work come in between however many pieces there are.
 */
export function createPace(now: () => number = () => performance.now()): Pace {
  let began: number | undefined
  return {
    isSpent() {
      if (began !== undefined) return now() - began >= mostMs
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
