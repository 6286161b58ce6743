import { ApiError, lacksRight } from './api-error.ts'

/** An API server that starts refuses everything until it has read the roles: at most for so long after a request without an answer. */
const startsWithinMs = 15_000

/** Distinguishes a right that is missing from an API server that starts. Times are monotonic milliseconds. */
export class ServerStart {
  /** When a request last had no answer. */
  #silentAt = Number.NEGATIVE_INFINITY
  /** When a request last succeeded. */
  #servedAt = Number.NEGATIVE_INFINITY

  noteSilence(): void {
    this.#silentAt = performance.now()
  }

  noteSuccess(): void {
    this.#servedAt = performance.now()
  }

  /** Whether a right seems to be missing because the API server starts. */
  explains(error: ApiError): boolean {
    return performance.now() - this.#silentAt < startsWithinMs && lacksRight(error)
  }

  /** The last refusal of a request that was refused first at `since`. One that serves other requests meanwhile does not start. */
  lastRefusal(error: ApiError, since = Number.POSITIVE_INFINITY): ApiError {
    return this.explains(error) && this.#servedAt < since
      ? new ApiError(503, 'ServiceUnavailable', error.message)
      : error
  }
}
