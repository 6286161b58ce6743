import { RateLimited } from '../response/errors.ts'
import { isAddressKey } from './source-address.ts'

/** Bytes in memory per caller. */
export interface ByteBudget {
  /** Throws RateLimited if the caller has reached the limit. */
  ensureAvailable(caller: string): void
  /** Counts bytes. Throws RateLimited if they and earlier bytes exceed the limit, unless `force` is set. */
  reserve(caller: string, bytes: number, options?: { readonly force?: boolean }): void
  release(caller: string, bytes: number): void
}

const retrySeconds = 1

interface ByteLimits {
  /** Of each caller. */
  readonly limit: number
  /** Of all callers together; beyond it, each may have a small share. */
  readonly total: number
  /** Says what there is too much of. */
  readonly refusal?: string
}

/**
 * Limits the bytes of each caller and of all. A single reservation may exceed the limit of its caller, and one alone that of all.
 * Beyond the total, the callers that have more than a share are refused, so that others are served. Earlier callers keep what they
 * have, so the shares must have a finite sum: with equal ones, 200 callers could have five times the total.
 */
function createTotal({ limit, total, refusal }: ByteLimits): ByteBudget {
  const reserved = new Map<string, number>()
  const reservedBy = (caller: string) => reserved.get(caller) ?? 0
  let all = 0

  function fits(caller: string, bytes: number): boolean {
    if (reserved.size === 0) return true
    const earlier = reservedBy(caller)
    if (earlier > 0 && earlier + bytes > limit) return false
    const callers = reserved.size + (earlier > 0 ? 0 : 1)
    return all + bytes <= total || earlier + bytes <= total / callers ** 1.5
  }

  return {
    ensureAvailable(caller) {
      if (reservedBy(caller) >= limit) throw new RateLimited(retrySeconds, refusal)
    },
    reserve(caller, bytes, { force = false } = {}) {
      if (!force && !fits(caller, bytes)) throw new RateLimited(retrySeconds, refusal)
      reserved.set(caller, reservedBy(caller) + bytes)
      all += bytes
    },
    release(caller, bytes) {
      const rest = reservedBy(caller) - bytes
      all -= bytes
      if (rest > 0) reserved.set(caller, rest)
      else reserved.delete(caller)
    },
  }
}

/** The share of the total that callers without a user have: many addresses must take nothing from users. */
const shareOfAddresses = 1 / 4

/** The limits of the bytes of users, and of addresses. */
export function createByteBudget(limits: ByteLimits): ByteBudget {
  const ofUsers = createTotal(limits)
  const ofAddresses = createTotal({ ...limits, total: limits.total * shareOfAddresses })
  const of = (caller: string) => (isAddressKey(caller) ? ofAddresses : ofUsers)
  return {
    ensureAvailable: (caller) => of(caller).ensureAvailable(caller),
    reserve: (caller, bytes, options) => of(caller).reserve(caller, bytes, options),
    release: (caller, bytes) => of(caller).release(caller, bytes),
  }
}
