/** The target is not allowed; no connection was made. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
  /** Whether a setting for the host or its address can allow the call. */
  readonly isAllowable: boolean
  constructor(message: string, isAllowable = false) {
    super(message)
    this.isAllowable = isAllowable
  }
}

/** A header is not valid; nothing was sent. */
export class InvalidHeader extends TypeError {
  override readonly name = 'InvalidHeader'
}

/** Why a call has no response. */
export type OutboundErrorCode =
  | 'Timeout'
  | 'Busy'
  | 'Aborted'
  | 'Connection'
  | 'Certificate'
  | 'TooLarge'
  | 'Compressed'
  | 'Closed'

/** A call has no readable response; the message contains neither headers nor bodies. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: OutboundErrorCode
  constructor(code: OutboundErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
