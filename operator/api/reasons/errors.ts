interface RestError {
  readonly status: number
  readonly meaning: string
}

/** The field `error` of the answers of the gateway, each with one status of the specification. */
export const restErrors = {
  Invalid: {
    status: 400,
    meaning: 'A value breaks a rule, or the body is too large; the message says which and where.',
  },
  QuotaExceeded: {
    status: 400,
    meaning:
      'A ResourceQuota of the organization does not allow more objects of this kind; `details` has the kind, the use and the limit.',
  },
  Unauthorized: { status: 401, meaning: 'The header `Authorization` is missing.' },
  Forbidden: { status: 403, meaning: 'The token is not valid, or its user lacks the required role.' },
  NotFound: { status: 404, meaning: 'The object does not exist, or the caller has no access to it.' },
  MethodNotAllowed: { status: 405, meaning: 'The path does not have this method.' },
  Conflict: { status: 409, meaning: 'The id is taken, or the object is in use or being changed.' },
  Unprocessable: {
    status: 422,
    meaning:
      'The body is not JSON, lacks a field, has a field of the wrong type, has only unknown fields, or a misspelt one.',
  },
  TooManyRequests: {
    status: 429,
    meaning: 'The token, or the address of a caller without a valid token, sends too many requests.',
  },
  Internal: {
    status: 500,
    meaning: 'An error of the service, or of the cluster; `details.request_id` finds it in the log.',
  },
} as const satisfies Readonly<Record<string, RestError>>

/** The `error` of an answer. */
export type RestErrorName = keyof typeof restErrors
