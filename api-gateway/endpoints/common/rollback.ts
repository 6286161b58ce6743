import { setTimeout } from 'node:timers/promises'
import { ApiError } from '../../../operator/kube/client/client.ts'
import type { Log } from '../../../operator/log.ts'

/** How long a call is repeated, and the first pause. */
const patienceMs = 6000
const firstPauseMs = 50

/** Repeats a call to the API server, for some seconds, as long as nobody answers. */
export async function untilAnswered<T>(call: (isRepeated: boolean) => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let pause = firstPauseMs; ; pause *= 2) {
    try {
      return await call(pause > firstPauseMs)
    } catch (error) {
      if (error instanceof ApiError || performance.now() + pause > deadline) throw error
    }
    await setTimeout(pause)
  }
}

/** Does the second half of a creation; when that fails, undoes the first, so that nothing is left of it. */
export async function withRollback<T>(
  log: Log,
  rollback: () => Promise<void>,
  finish: () => Promise<T>,
): Promise<T> {
  try {
    return await finish()
  } catch (error) {
    await untilAnswered(rollback).catch((failure: unknown) =>
      log.error('rollback of a failed creation failed', { error: failure }),
    )
    throw error
  }
}
