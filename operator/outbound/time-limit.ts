/** A time limit that can be paused. */
export interface TimeLimit {
  /** Aborts when the time is up. */
  readonly signal: AbortSignal
  /** From now on, no time passes until `resume`. */
  pause(): void
  resume(): void
  /** Frees the timer. */
  end(): void
}

/** Begins a limit of so many milliseconds. */
export function startTimeLimit(ms: number): TimeLimit {
  const over = new AbortController()
  let left = ms
  let since = 0
  let timer: NodeJS.Timeout | undefined
  function resume(): void {
    since = performance.now()
    timer = setTimeout(() => over.abort(), left)
    timer.unref()
  }
  resume()
  return {
    signal: over.signal,
    pause() {
      clearTimeout(timer)
      left = Math.max(0, left - (performance.now() - since))
    },
    resume,
    end: () => clearTimeout(timer),
  }
}
