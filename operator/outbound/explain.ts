import { InvalidHeader, OutboundError, TargetRefused } from './errors.ts'

/** The circumstances of a call without a response. */
export interface Circumstances {
  readonly url: URL
  readonly totalMs: number
  readonly isTimeout: boolean
  readonly isAborted: boolean
}

const certificateCodes =
  /^(CERT_|DEPTH_ZERO_|UNABLE_TO_|SELF_SIGNED_|ERR_TLS_CERT_|ERR_SSL_|INVALID_CA|INVALID_PURPOSE|EPROTO$)/

/** The error for the caller: the same text for the same cause, without IP addresses. */
export function explain(error: unknown, { url, totalMs, isTimeout, isAborted }: Circumstances): Error {
  if (error instanceof TargetRefused || error instanceof InvalidHeader || error instanceof OutboundError)
    return error
  const { host } = url
  if (isTimeout) return new OutboundError('Timeout', `'${host}' did not answer within ${totalMs} ms`)
  if (isAborted) return new OutboundError('Aborted', `the call to '${host}' was given up`)
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new OutboundError('Timeout', `'${host}' did not accept a connection in time`)
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED')
    return new OutboundError('Closed', 'no calls are made any more')
  if (certificateCodes.test(code))
    return new OutboundError('Certificate', `no trusted connection to '${host}': ${code}`)
  return new OutboundError('Connection', `no answer from '${host}': ${code}`)
}

/** The error's code; its message may contain addresses. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  const { code, name, cause, errors } = error as Partial<NodeJS.ErrnoException & AggregateError> // any error
  if (code) return code
  // One error for each address.
  if (errors?.length) return codeOf(errors[0])
  return cause === undefined ? (name ?? 'unknown') : codeOf(cause)
}
