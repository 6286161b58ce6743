const pauses = [500, 1000, 2000, 5000]

/** Runs an action until it succeeds, with growing pauses; returns a function that stops. */
export function startRetries(action: () => Promise<void>): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const attempt = async (count: number) => {
    try {
      await action()
    } catch {
      if (isStopped) return
      timer = setTimeout(() => void attempt(count + 1), pauses[Math.min(count, pauses.length - 1)])
    }
  }
  void attempt(0)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
