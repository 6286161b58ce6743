/** An answer that is not a success, or no answer at all (status 0). */
export class ApiProblem extends Error {
  readonly status: number
  readonly reason: string
  readonly details: unknown

  constructor(status: number, reason: string, message: string, details?: unknown) {
    super(message)
    this.status = status
    this.reason = reason
    this.details = details
  }
}

/** Returns the problem of an answer; deltas and sets that are missing answer with a string. */
export function problemOf(status: number, body: unknown): ApiProblem {
  if (typeof body === 'string') return new ApiProblem(status, 'NotFound', body)
  if (typeof body !== 'object' || body === null) {
    return new ApiProblem(status, 'Internal', `the gateway answered with status ${status}`)
  }
  const { error, message, details } = body as { error?: unknown; message?: unknown; details?: unknown } // read with care
  const text = typeof message === 'string' ? message : `the gateway answered with status ${status}`
  return new ApiProblem(status, typeof error === 'string' ? error : 'Internal', text, details)
}

/** What to do about a problem, in one sentence. */
export function adviceFor({ status, message, details }: ApiProblem): string {
  if (status === 0) return 'Check the connection, then try again.'
  if (status === 403 && message.includes('access to this organization'))
    return 'Ask an administrator of the organization to make you a member.'
  if (status === 403) return 'Ask an administrator of the organization for the role.'
  if (status === 404) return 'It may have been deleted. Go back and choose another.'
  if (isUsed(details)) return 'Change or delete first what uses it.'
  if (status === 409) return adviceForConflict(message)
  if (status === 429) return 'Wait a moment, then try again.'
  return status >= 500 ? 'Try again. The log of the gateway says more.' : changeAdvice
}

/** Whether the same request can succeed later: the gateway is away, or has too much to do. */
export function endsByItself({ status }: ApiProblem): boolean {
  return status === 0 || status === 429 || status >= 500
}

const changeAdvice = 'Change the request, then try again.'

function adviceForConflict(message: string): string {
  if (/already (?:exists|has)/.test(message)) return 'Choose another, or change the existing one.'
  if (message.includes('last administrator')) return 'Make another user an administrator first.'
  // Another client wrote at the same moment; the request itself is right.
  if (message.includes('has been modified')) return 'Try again.'
  // Only something that runs ends by itself.
  if (/not finished|(?:is|are) being/.test(message)) return 'Wait until it has finished, then try again.'
  return changeAdvice
}

/** Whether other objects prevent a deletion; the message names them. */
function isUsed(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'referencing_resources' in details
}

/** Converts anything thrown. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem(0, 'Unreachable', 'the gateway cannot be reached')
}
