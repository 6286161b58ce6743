/** The first complete list of a reflector, which tries to read it until it can. */
export class FirstList {
  readonly #complete = Promise.withResolvers<void>()
  #isComplete = false
  /** The error of the last attempt. */
  #failure: unknown
  /** Resolves when the current attempt fails. */
  #failed = Promise.withResolvers<void>()

  /** Resolves when the list is complete; rejects after `refuse`. */
  get complete(): Promise<void> {
    return this.#complete.promise
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  /** The list is complete. */
  finish(): void {
    this.#isComplete = true
    this.#complete.resolve()
  }

  /** An attempt failed, and another one follows. */
  fail(failure: unknown): void {
    this.#failure = failure
    this.#failed.resolve()
    this.#failed = Promise.withResolvers()
  }

  /** No attempt follows. */
  refuse(refusal: unknown): void {
    this.#complete.reject(refusal)
  }

  /** Waits until the list is complete. Throws the error of the next attempt that fails, or the last error after `mostMs`. */
  async waitFor(mostMs: number): Promise<void> {
    if (this.#isComplete) return
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, mostMs)
    try {
      await Promise.race([this.#complete.promise, this.#failed.promise, late.promise])
    } finally {
      clearTimeout(timer)
    }
    if (!this.#isComplete) throw this.#failure ?? new Error('the first list does not end')
  }
}
