import type { ServerResponse } from 'node:http'
import { RateLimited } from '../response/errors.ts'

/** Bytes of answers that their callers have not taken yet. */
export interface AnswerBudget {
  /** Refuses a caller who leaves so many bytes untaken that nothing more is done for them. */
  demandRoom(caller: string): void
  /**
   * Counts an answer until it is taken. Refuses one to a read over the limit, unless it is the only one of the caller;
   * one to a write is not refused any more, since what it tells of is done.
   */
  hold(caller: string, answer: HeldAnswer): void
}

/** An answer on its way. */
export interface HeldAnswer {
  readonly bytes: number
  readonly response: Pick<ServerResponse, 'once'>
  readonly isRead: boolean
}

/** What one caller may leave untaken at the same time. */
const mostAnswerBytes = 64 * 1024 * 1024
const retrySeconds = 1

/** Answers are kept in memory until they are taken: for each caller about so many bytes of them. */
export function createAnswerBudget(mostBytes = mostAnswerBytes): AnswerBudget {
  const held = new Map<string, number>()
  const heldBy = (caller: string) => held.get(caller) ?? 0
  return {
    demandRoom(caller) {
      if (heldBy(caller) >= mostBytes) refuse()
    },
    hold(caller, { bytes, response, isRead }) {
      const sum = heldBy(caller) + bytes
      if (isRead && sum > bytes && sum > mostBytes) refuse()
      held.set(caller, sum)
      response.once('close', () => {
        const rest = heldBy(caller) - bytes
        if (rest > 0) held.set(caller, rest)
        else held.delete(caller)
      })
    },
  }
}

function refuse(): never {
  throw new RateLimited(retrySeconds)
}
