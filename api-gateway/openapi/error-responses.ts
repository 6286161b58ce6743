import type { TSchema } from '../../operator/api/schema.ts'

/** Description of an error response. */
interface ErrorDescription {
  /** Name of the component and default value of `error`. */
  readonly name: string
  readonly description: string
  readonly example: unknown
  /** Headers in addition to those of every response. */
  readonly headers?: Readonly<Record<string, object>>
}

const errorDescription = (
  name: string,
  description: string,
  message: string,
  details?: unknown,
): ErrorDescription => ({
  name,
  description,
  example: { error: name, message, details },
})

const retryAfter = {
  description: 'Number of seconds after which to try again.',
  schema: { type: 'integer', minimum: 1 },
  example: 1,
}

const errorDescriptions: Readonly<Record<number, ErrorDescription>> = {
  400: errorDescription(
    'Invalid',
    'The request is not valid; the message says what is wrong and where.',
    "'id' must not have fewer than 2 characters",
  ),
  401: {
    ...errorDescription(
      'Unauthorized',
      'The header `Authorization` is missing.',
      "the header 'Authorization' is missing",
    ),
    headers: {
      'WWW-Authenticate': {
        description: 'Authentication scheme.',
        required: true,
        schema: { type: 'string', const: 'Bearer' },
      },
    },
  },
  403: errorDescription(
    'Forbidden',
    'The token does not grant access, or the user lacks the required role.',
    'the token does not grant access',
  ),
  404: errorDescription(
    'NotFound',
    'An object in the path does not exist, or the caller may not know that it exists.',
    "application 'shop' not found",
  ),
  409: errorDescription(
    'Conflict',
    'The request conflicts with the current state: an ID is taken, or an object is in use.',
    "application 'shop' already exists",
  ),
  422: errorDescription(
    'Unprocessable',
    'The body is not valid JSON, lacks a required field, has a field of the wrong type, has only unknown fields, or a misspelt one.',
    'the body is not valid JSON',
  ),
  429: {
    ...errorDescription(
      'TooManyRequests',
      'The rate limit of the user, or of the address if the request is not authenticated, is reached.',
      'the request rate limit is reached',
    ),
    headers: { 'Retry-After': { ...retryAfter, required: true } },
  },
  500: {
    ...errorDescription(
      'Internal',
      'Internal error. `details.request_id` is the ID of the request in the log.',
      'internal error; the log has details under the request id',
      { request_id: '5b1d9c1e-7d52-4b0e-9d38-0f4d6f5f2a11' },
    ),
    headers: { 'Retry-After': retryAfter },
  },
  503: {
    name: 'NotReady',
    description: 'The gateway is starting or has lost its connection to the cluster.',
    example: { error: 'Internal', message: 'the gateway is starting' },
  },
}

const plainNotFound: ErrorDescription = {
  name: 'NotFoundText',
  description: 'An object in the path does not exist. The body is a JSON string.',
  example: "delta 'first-release' not found",
}

/** Returns the error response of a status; undefined if the operation declares another body. */
export function errorDescriptionOf(
  status: number,
  schema: TSchema | undefined,
): ErrorDescription | undefined {
  const { title, type } = (schema ?? {}) as { title?: string; type?: string }
  if (status === 404 && type === 'string') return plainNotFound
  return title === 'Error' ? errorDescriptions[status] : undefined
}

/** Returns the description of an error status. */
export function errorStatusText(status: number): string | undefined {
  return errorDescriptions[status]?.description
}
