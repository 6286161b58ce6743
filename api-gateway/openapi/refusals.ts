import { type RestErrorName, restErrors } from '../../operator/api/reasons/errors.ts'
import type { TSchema } from '../../operator/api/schema.ts'

/** How the document shows that a status refuses. */
interface RefusalText {
  /** Its name among the components; the `error` of its body too, where that is not given. */
  readonly name: string
  readonly description: string
  readonly example: unknown
  /** Headers that it has besides those of every answer. */
  readonly headers?: Readonly<Record<string, object>>
}

const refusal = (name: RestErrorName, message: string, details?: unknown): RefusalText => ({
  name,
  description: restErrors[name].meaning,
  example: { error: name, message, ...(details === undefined ? {} : { details }) },
})

const retryAfter = {
  description: 'Seconds after which to try again.',
  schema: { type: 'integer', minimum: 1 },
  example: 1,
}

const refusals: Readonly<Record<number, RefusalText>> = {
  400: refusal('Invalid', "'id' must be 2 characters or more"),
  401: {
    ...refusal('Unauthorized', "the header 'Authorization' is missing"),
    headers: {
      'WWW-Authenticate': {
        description: 'How to authenticate.',
        required: true,
        schema: { type: 'string', const: 'Bearer' },
      },
    },
  },
  403: refusal('Forbidden', 'the token does not grant access'),
  404: refusal('NotFound', "application 'shop' not found"),
  409: refusal('Conflict', "application 'shop' already exists"),
  422: refusal('Unprocessable', 'the body is not valid JSON'),
  429: {
    ...refusal('TooManyRequests', 'the request rate limit is reached'),
    headers: { 'Retry-After': { ...retryAfter, required: true } },
  },
  500: {
    ...refusal('Internal', 'internal error; the log names it by the request id', {
      request_id: '5b1d9c1e-7d52-4b0e-9d38-0f4d6f5f2a11',
    }),
    headers: { 'Retry-After': retryAfter },
  },
  503: {
    name: 'NotReady',
    description: 'The gateway is starting, or has lost touch with the cluster.',
    example: { error: 'Internal', message: 'the gateway is starting' },
  },
}

const plainNotFound: RefusalText = {
  name: 'NotFoundText',
  description: 'What the path names does not exist, as a JSON string.',
  example: "delta 'first-release' not found",
}

/** The refusal that an operation answers under a status; undefined where its body is one of its own. */
export function refusalText(status: number, schema: TSchema | undefined): RefusalText | undefined {
  const { title, type } = (schema ?? {}) as { title?: string; type?: string }
  if (status === 404 && type === 'string') return plainNotFound
  return title === 'Error' ? refusals[status] : undefined
}

/** What a status that refuses says. */
export function refusalDescription(status: number): string | undefined {
  return refusals[status]?.description
}
