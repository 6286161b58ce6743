import type { Reason } from '../../api/reasons/reasons.ts'
import { Failed, reworded, Stalled, Waiting } from '../../domain/base/errors.ts'
import { redact } from '../../domain/secret/redact.ts'
import { ApiError } from '../../kube/client/client.ts'

/** What a driver throws gets a name, and loses any secret that it may tell. */
export async function step<T>(
  reason: Reason,
  doing: string,
  secrets: unknown,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw error
    const message = redact(error instanceof Error ? error.message : String(error), secrets)
    if (error instanceof Waiting || error instanceof Stalled) throw reworded(error, { message })
    const observed = error instanceof Failed ? error.observed : undefined
    throw new Failed(reason, `${doing}: ${message}`, observed)
  }
}

/** Lets an error that says what to do about it tell also what stands by now. */
export async function withProgress<T>(observed: object, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Waiting || error instanceof Stalled ? reworded(error, { observed }) : error
  }
}

/** Ends the wait, not the work: a repeat of the call adopts what the first one made. */
export function withinDeadline<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => reject(new Error('the driver did not answer in time'))
    if (signal.aborted) expire()
    signal.addEventListener('abort', expire, { once: true })
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
  })
}
