import { type RestErrorName, restErrors } from '../../operator/api/reasons/errors.ts'
import {
  anyValue,
  object,
  oneOf,
  type Static,
  string,
  type TSchema,
  type TUnsafe,
  unsafe,
} from '../../operator/api/schema.ts'

/** Adds a schema to the components of the OpenAPI document. */
export function named<T extends TSchema>(title: string, schema: T): T {
  return { ...schema, title }
}

/** Allows null as well. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type = [], enum: words } = schema as { type?: string | string[]; enum?: unknown[] } // every schema is an object
  return unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'].flat(),
    ...(words ? { enum: [...words, null] } : {}),
  })
}

const errorNames = Object.keys(restErrors) as RestErrorName[] // the keys of a literal

/** Maximum length of the message of an error, in characters. */
export const longestMessage = 65_536

/** Body of every error response. */
export const errorShape = named(
  'Error',
  object(
    {
      error: oneOf(errorNames, 'Kind of the error.'),
      message: string('Human-readable message.', { maxLength: longestMessage }),
    },
    { details: anyValue('Additional information, if any.') },
    'An error.',
  ),
)

/** Body of a 202 response; without fields unless there is a notice. */
export const acceptedShape = object(
  {},
  { status_message: string('Notice that no operator is running.', { maxLength: 8192 }) },
  'An accepted operation. The object is empty unless there is a notice.',
)

/** Body of an error response that is a JSON string. */
export const plainErrorShape = string('Human-readable message.', { maxLength: longestMessage })

/** Allows any of several schemas. */
export function anyOf<const T extends readonly TSchema[]>(...schemas: T): TUnsafe<Static<T[number]>> {
  return unsafe<Static<T[number]>>({ anyOf: schemas })
}
