/** One entry of `errors` in an answer; the details are often in the chain. */
export interface WireError {
  readonly code: number
  readonly message: string
  readonly error_chain?: readonly WireError[]
}

/** Position of a page in everything that was found. */
export interface PageInfo {
  readonly page: number
  readonly per_page: number
  readonly count: number
  readonly total_count: number
  readonly total_pages: number
}

/** An answer before it is written to the connection. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal with the status and the errors of the real interface. */
export class ApiError extends Error {
  readonly status: number
  readonly errors: readonly WireError[]

  constructor(status: number, ...errors: readonly WireError[]) {
    super(errors.map(({ code, message }) => `${message} (${code})`).join(', '))
    this.status = status
    this.errors = errors
  }
}

/** The envelope of an answer that went well. */
export function success(
  result: unknown,
  more: { readonly page?: PageInfo; readonly messages?: readonly WireError[] } = {},
): Answer {
  const { page, messages = [] } = more
  const info = page === undefined ? {} : { result_info: page }
  return { status: 200, body: { result, success: true, errors: [], messages, ...info } }
}

/** The envelope of a refusal. */
export function failure(status: number, errors: readonly WireError[]): Answer {
  return { status, body: { result: null, success: false, errors, messages: [] } }
}

/** A record that does not fit: the reason is in the chain. */
export function invalidRecord(code: number, message: string): ApiError {
  return new ApiError(400, {
    code: 1004,
    message: 'DNS Validation Error',
    error_chain: [{ code, message }],
  })
}

/** A path that leads nowhere, for example by an identifier that is none. */
export function noRoute(status: number, path: string): ApiError {
  return new ApiError(
    status,
    { code: 7003, message: `Could not route to ${path}, perhaps your object identifier is invalid?` },
    { code: 7000, message: 'No route for that URI' },
  )
}

export const refusals = {
  missingAuthorization: () =>
    new ApiError(400, {
      code: 9106,
      message: 'Missing X-Auth-Key, X-Auth-Email or Authorization headers',
    }),
  malformedAuthorization: () =>
    new ApiError(400, {
      code: 6003,
      message: 'Invalid request headers',
      error_chain: [{ code: 6111, message: 'Invalid format for Authorization header' }],
    }),
  invalidToken: () => new ApiError(401, { code: 1000, message: 'Invalid API Token' }),
  invalidAccess: () => new ApiError(403, { code: 9109, message: 'Invalid access token' }),
  noRight: () => new ApiError(403, { code: 10000, message: 'Authentication error' }),
  tooManyCalls: () =>
    new ApiError(429, { code: 971, message: 'Please wait and consider throttling your request speed' }),
  noSuchRecord: () => new ApiError(404, { code: 81044, message: 'Record does not exist.' }),
  invalidBody: () => new ApiError(400, { code: 9207, message: 'Request body is invalid.' }),
  wrongMethod: () => new ApiError(405, { code: 10405, message: 'Method not allowed' }),
} as const
