import { ApiError } from '../client/api-error.ts'

/** Whether the API server forbids a watch, by its last answer. */
export class WatchPermission {
  #refusal: ApiError | undefined
  /** Resolves when the current attempt to watch is answered. */
  #answered = Promise.withResolvers<void>()

  /** The answer that forbids the watch. */
  get refusal(): ApiError | undefined {
    return this.#refusal
  }

  /** Takes the answer to an attempt to watch: an error, or none. */
  noteAnswer(error?: unknown): void {
    this.#refusal = error instanceof ApiError && error.status === 403 ? error : undefined
    this.endWait()
  }

  /** Ends the wait of those that ask, without an answer. */
  endWait(): void {
    this.#answered.resolve()
    this.#answered = Promise.withResolvers()
  }

  /** Waits until the current attempt to watch is answered. */
  async nextAnswer(): Promise<void> {
    await this.#answered.promise
  }
}
