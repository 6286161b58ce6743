import type { Reason } from '../../api/reasons/reasons.ts'
import { copyError, ReconcileError, Stalled, Waiting } from '../../domain/base/errors.ts'
import { redact } from '../../domain/secret/redact.ts'
import { ApiError } from '../../kube/client/client.ts'

/** Runs a step; an error without a reason gets this one, and every message loses the secrets. */
export async function withReason<T>(
  reason: Reason,
  action: string,
  secrets: unknown,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw error
    const message = redact(error instanceof Error ? error.message : String(error), secrets)
    if (error instanceof Waiting || error instanceof Stalled) throw copyError(error, { message })
    const observed = error instanceof ReconcileError ? error.observed : undefined
    throw new ReconcileError(reason, `${action}: ${message}`, observed)
  }
}

/** Runs a step; its Waiting and Stalled errors carry the status that is known by now. */
export async function withObserved<T>(observed: object, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Waiting || error instanceof Stalled ? copyError(error, { observed }) : error
  }
}

/** Throws when the signal aborts before the call ends. The call continues: a repeated call adopts what it makes. */
export function withinDeadline<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => reject(new Error('the driver did not answer in time'))
    if (signal.aborted) expire()
    signal.addEventListener('abort', expire, { once: true })
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
  })
}
