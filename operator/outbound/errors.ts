/** The target of a call is not one that may be called; nothing was connected to. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
  /** Whether an exception for the host or its address would let the call through. */
  readonly isAllowable: boolean
  constructor(message: string, isAllowable = false) {
    super(message)
    this.isAllowable = isAllowable
  }
}

/** A header that must not be sent as it is; nothing was sent. */
export class InvalidHeader extends TypeError {
  override readonly name = 'InvalidHeader'
}

/** What kept an answer from coming. */
export type OutboundErrorCode =
  | 'Timeout'
  | 'Aborted'
  | 'Connection'
  | 'Certificate'
  | 'TooLarge'
  | 'Compressed'
  | 'Closed'

/** No answer came, or none that can be read; the message tells neither headers nor bodies. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: OutboundErrorCode
  constructor(code: OutboundErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
