import { RateLimited } from '../response/errors.ts'

/** Bytes in memory per caller. */
export interface ByteBudget {
  /** Throws RateLimited if the caller has reached the limit. */
  ensureAvailable(caller: string): void
  /** Counts bytes. Throws RateLimited if they and earlier bytes exceed the limit, unless `force` is set. */
  reserve(caller: string, bytes: number, options?: { readonly force?: boolean }): void
  release(caller: string, bytes: number): void
}

const retrySeconds = 1

/** Limits the bytes of each caller; a single reservation may exceed the limit. `refusal` says what there is too much of. */
export function createByteBudget(limit: number, refusal?: string): ByteBudget {
  const reserved = new Map<string, number>()
  const reservedBy = (caller: string) => reserved.get(caller) ?? 0
  return {
    ensureAvailable(caller) {
      if (reservedBy(caller) >= limit) throw new RateLimited(retrySeconds, refusal)
    },
    reserve(caller, bytes, { force = false } = {}) {
      const earlier = reservedBy(caller)
      if (!force && earlier > 0 && earlier + bytes > limit) throw new RateLimited(retrySeconds, refusal)
      reserved.set(caller, earlier + bytes)
    },
    release(caller, bytes) {
      const rest = reservedBy(caller) - bytes
      if (rest > 0) reserved.set(caller, rest)
      else reserved.delete(caller)
    },
  }
}
