import { setTimeout } from 'node:timers/promises'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { Log } from '../../../operator/log.ts'

/** Time limit of all attempts, and the first pause between them. */
const timeoutMs = 6000
const initialPauseMs = 50

/** Whether the API server rejected a call for good; false if it was busy or failed, so that a repetition may succeed. */
export function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status !== 429 && error.status < 500
}

/**
 * Repeats a call to the API server until it responds or the time limit is reached. Pass `isFinal` to also repeat a call
 * that the API server could not serve.
 */
export async function retryUntilAnswered<T>(
  call: (isRepeated: boolean) => Promise<T>,
  isAnswer: (error: unknown) => boolean = (error) => error instanceof ApiError,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let pause = initialPauseMs; ; pause *= 2) {
    try {
      return await call(pause > initialPauseMs)
    } catch (error) {
      if (isAnswer(error) || performance.now() + pause > deadline) throw error
    }
    await setTimeout(pause)
  }
}

/** Runs the second step of a creation and reverts the first step if it fails, or if `isReverted` for this failure. */
export async function withRollback<T>(
  log: Log,
  rollback: () => Promise<unknown>,
  finish: () => Promise<T>,
  isReverted: (error: unknown) => boolean = () => true,
): Promise<T> {
  try {
    return await finish()
  } catch (error) {
    if (!isReverted(error)) throw error
    await retryUntilAnswered(rollback, isFinal).catch((failure: unknown) =>
      log.error('rollback of a failed creation failed', { error: failure }),
    )
    throw error
  }
}
