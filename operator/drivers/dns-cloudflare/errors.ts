import { ReconcileError, Stalled, Waiting } from '../../domain/base/errors.ts'
import { CloudflareError } from './api-error.ts'

/** The error that a driver throws for a failed call. */
export function toDriverError(error: unknown): Error {
  if (!(error instanceof CloudflareError)) return error instanceof Error ? error : new Error(String(error))
  if (error.kind === 'rateLimited') return new Waiting('RateLimited', error.message, error.seconds)
  if (error.kind === 'denied' || error.kind === 'rejected') return new Stalled(error.reason, error.message)
  return unavailable(error.message)
}

/** An error to retry with back-off. */
export function unavailable(message: string): ReconcileError {
  return new ReconcileError('ProviderUnavailable', message)
}

/** An operation without a response: retried when a list shows whether it happened. */
export function unknownOutcome(name: string, seconds: number): Waiting {
  return new Waiting(
    'OutcomeUnknown',
    `the provider's answer about '${name}' was lost: waiting before the next check`,
    seconds,
  )
}

/** The name does not belong to the zone. */
export function wrongZone(name: string, zoneId: string, zoneName?: string): Stalled {
  const shown = zoneName === undefined ? '' : `, whose name is '${zoneName}'`
  return new Stalled('WrongZone', `the name '${name}' is not in the zone '${zoneId}'${shown}`)
}
