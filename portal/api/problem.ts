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
export function adviceFor({ status }: ApiProblem): string {
  if (status === 0) return 'Check the connection, then try again.'
  if (status === 403) return 'Ask an administrator of the organization for the role.'
  if (status === 404) return 'It may have been deleted. Go back and choose another.'
  if (status === 409) return 'Wait until it has finished, then try again.'
  if (status === 429) return 'Wait a moment, then try again.'
  return status >= 500
    ? 'Try again. The log of the gateway says more.'
    : 'Change the request, then try again.'
}

/** Converts anything thrown. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem(0, 'Unreachable', 'the gateway cannot be reached')
}
