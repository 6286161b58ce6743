import type { ProvisionedInstance } from '../../api/active-resource.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { copyError, ReconcileError, Stalled, Waiting } from '../../domain/base/errors.ts'
import { driverName } from '../../domain/definition/definition.ts'
import { redact } from '../../domain/secret/redact.ts'
import type { DriverCalls } from '../../drivers/driver.ts'
import { ApiError, NoAnswer, QuotaError } from '../../kube/client/api-error.ts'

/** Runs a step; an error without a reason gets this one unless it is of the API server. Messages lose the secrets. */
export async function withReason<T>(
  reason: Reason,
  action: string,
  secrets: unknown,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Of a Secret, which has a fixed name: that of an object is QuotaExceeded.
    if (error instanceof QuotaError) throw error
    const message = redact(error instanceof Error ? error.message : String(error), secrets)
    // Both name objects, and a template may make the name of one of a secret.
    if (error instanceof ApiError)
      throw new ApiError(error.status, error.reason, message, error.retryAfterSeconds)
    if (error instanceof NoAnswer) throw new NoAnswer(message, { cause: error.cause })
    if (error instanceof Waiting || error instanceof Stalled) throw copyError(error, { message })
    if (error instanceof ReconcileError) throw copyError(error, { message: `${action}: ${message}` })
    throw new ReconcileError(reason, `${action}: ${message}`)
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

/** Makes a call of the driver of an instance and reports its end; drivers of organizations have one name together. */
export async function reportCall<T>(
  { driverCalls, vendors }: { readonly driverCalls: DriverCalls; readonly vendors: readonly string[] },
  { driverType, target }: Pick<ProvisionedInstance, 'driverType' | 'target'>,
  operation: 'provision' | 'deprovision',
  call: () => Promise<T>,
): Promise<T> {
  const begun = performance.now()
  let result: 'succeeded' | 'waiting' | 'failed' = 'failed'
  try {
    const answer = await call()
    result = 'succeeded'
    return answer
  } catch (error) {
    if (error instanceof Waiting) result = 'waiting'
    throw error
  } finally {
    const name = target === undefined ? driverName(driverType, vendors) : 'third-party'
    driverCalls.ended(name, operation, result, (performance.now() - begun) / 1000)
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
