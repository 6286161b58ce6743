import { RateLimited } from '../response/errors.ts'

/** Bytes of bodies that are being received. */
export interface BodyBudget {
  /** Counts bytes of a caller; refuses those over the limit. */
  take(caller: string, bytes: number): void
  give(caller: string, bytes: number): void
}

const retrySeconds = 1

/** Lets each caller send so many bytes at the same time; those who are slow hold what they sent. */
export function createBodyBudget(mostBytes: number): BodyBudget {
  const held = new Map<string, number>()
  return {
    take(caller, bytes) {
      const sum = (held.get(caller) ?? 0) + bytes
      if (sum > mostBytes) throw new RateLimited(retrySeconds)
      held.set(caller, sum)
    },
    give(caller, bytes) {
      const rest = (held.get(caller) ?? 0) - bytes
      if (rest > 0) held.set(caller, rest)
      else held.delete(caller)
    },
  }
}
