/** Keeps the place of a large answer while its text is in use. */
export interface AnswerHold {
  /** Receives the function that gives the place to another answer. */
  keep(leave: () => void): void
  /** Gives the place away; may be repeated. */
  end(): void
}

/** Keeps nothing once the signal is aborted: then the caller no longer waits for an answer. */
export function createAnswerHold(signal: AbortSignal): AnswerHold {
  let leave: (() => void) | undefined
  return {
    keep(next) {
      if (signal.aborted) next()
      else leave = next
    },
    end() {
      leave?.()
      leave = undefined
    },
  }
}
