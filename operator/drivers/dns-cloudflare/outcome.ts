import { ReconcileError, Stalled, Waiting } from '../../domain/base/errors.ts'
import { ApiFault } from './fault.ts'

/** What the caller of a driver is told of a call that went wrong. */
export function errorOf(fault: unknown): Error {
  if (!(fault instanceof ApiFault)) return fault instanceof Error ? fault : new Error(String(fault))
  if (fault.kind === 'limited') return new Waiting('RateLimited', fault.message, fault.seconds)
  if (fault.kind === 'denied' || fault.kind === 'refused') return new Stalled(fault.reason, fault.message)
  return unavailable(fault.message)
}

/** To be tried again with growing pauses. */
export function unavailable(message: string): ReconcileError {
  return new ReconcileError('ProviderUnavailable', message)
}

/** To be tried again when it is known what came of an operation. */
export function unknownOutcome(name: string, seconds: number): Waiting {
  return new Waiting(
    'OutcomeUnknown',
    `the provider's answer about '${name}' was lost: looking again when it must have settled`,
    seconds,
  )
}

/** The record cannot be made in this zone. */
export function wrongZone(name: string, zoneId: string, zoneName?: string): Stalled {
  const shown = zoneName === undefined ? '' : `, whose name is '${zoneName}'`
  return new Stalled('WrongZone', `the name '${name}' does not lie in the zone '${zoneId}'${shown}`)
}
