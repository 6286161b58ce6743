import type { Fields, TSchema } from '../../operator/api/schema.ts'

const requestId = 'X-Request-Id'

/** Headers of every response, as components. */
export const sharedHeaders: Readonly<Record<string, object>> = {
  [requestId]: {
    description:
      'ID of the request in the log. Taken from the request header if that has 8 to 64 letters, digits, hyphens or underscores. ' +
      'Absent if the request is not valid HTTP (400).',
    schema: { type: 'string', pattern: '^[\\w-]{8,64}$' },
    example: '5b1d9c1e-7d52-4b0e-9d38-0f4d6f5f2a11',
  },
}

/** Adds the headers of every response to those of an operation. */
export function withSharedHeaders(own: Readonly<Record<string, object>>): Record<string, object> {
  return { [requestId]: { $ref: `#/components/headers/${requestId}` }, ...own }
}

/** Converts headers that an operation declares. */
export function headersOf(fields: Fields): Record<string, object> {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, described(schema)]))
}

/** Moves the description of a schema to its parent, as parameters and headers require. */
export function described(schema: TSchema | undefined): {
  readonly description?: string
  readonly schema: object
} {
  const { description, ...rest } = (schema ?? {}) as { description?: string } // every schema may have one
  return { description, schema: rest }
}
