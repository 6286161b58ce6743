import { RateLimited } from '../response/errors.ts'

/** Limit per user: each open page has one. */
const maxPerUser = 30
/** When a page may have been closed. */
const retryAfterSeconds = 10

/** The streams that are open, so that a user opens only so many and all end with the process. */
export interface OpenStreams {
  /** Counts a stream until its signal aborts; throws RateLimited above the limit. */
  open(userName: string): AbortController
  /** Ends all streams, and those that are opened later. */
  close(): void
}

export function createOpenStreams(): OpenStreams {
  const controllers = new Map<string, Set<AbortController>>()
  let isClosed = false
  return {
    open(userName) {
      const own = controllers.get(userName) ?? new Set()
      if (own.size >= maxPerUser)
        throw new RateLimited(
          retryAfterSeconds,
          `the user has ${maxPerUser} open streams, which is the limit`,
        )
      const controller = new AbortController()
      if (isClosed) {
        controller.abort()
        return controller
      }
      controllers.set(userName, own.add(controller))
      controller.signal.addEventListener('abort', () => {
        own.delete(controller)
        if (own.size === 0 && controllers.get(userName) === own) controllers.delete(userName)
      })
      return controller
    },
    close() {
      isClosed = true
      for (const own of controllers.values()) for (const controller of own) controller.abort()
    },
  }
}
