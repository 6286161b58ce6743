import { setTimeout } from 'node:timers/promises'
import { ApiError } from '../../../operator/kube/client/client.ts'
import type { Log } from '../../../operator/log.ts'

/** Time limit of all attempts, and the first pause between them. */
const timeoutMs = 6000
const initialPauseMs = 50

/** Repeats a call to the API server until it responds or the time limit is reached. */
export async function retryUntilAnswered<T>(call: (isRepeated: boolean) => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let pause = initialPauseMs; ; pause *= 2) {
    try {
      return await call(pause > initialPauseMs)
    } catch (error) {
      if (error instanceof ApiError || performance.now() + pause > deadline) throw error
    }
    await setTimeout(pause)
  }
}

/** Runs the second step of a creation and reverts the first step if it fails. */
export async function withRollback<T>(
  log: Log,
  rollback: () => Promise<void>,
  finish: () => Promise<T>,
): Promise<T> {
  try {
    return await finish()
  } catch (error) {
    await retryUntilAnswered(rollback).catch((failure: unknown) =>
      log.error('rollback of a failed creation failed', { error: failure }),
    )
    throw error
  }
}
