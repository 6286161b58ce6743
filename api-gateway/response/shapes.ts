import { type TUnsafe, Type } from 'typebox'
import { type RestErrorName, restErrors } from '../../operator/api/reasons/errors.ts'
import { anyValue, object, oneOf, type Static, string, type TSchema } from '../../operator/api/schema.ts'

/** A schema that the OpenAPI document lists under a name of its own. */
export function named<T extends TSchema>(title: string, schema: T): T {
  return { ...schema, title }
}

/** What may also be null. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type = [], enum: words } = schema as { type?: string | string[]; enum?: unknown[] } // a schema
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'].flat(),
    ...(words ? { enum: [...words, null] } : {}),
  })
}

const errorNames = Object.keys(restErrors) as RestErrorName[] // the keys of a literal

/** The body of every refusal. */
export const errorShape = named(
  'Error',
  object(
    {
      error: oneOf(errorNames, 'Kind of the error.'),
      message: string('What is wrong, for people.', { maxLength: 65_536 }),
    },
    { details: anyValue('More about it, where there is more.') },
    'A refusal.',
  ),
)

/** The body of what goes on; there is none while nothing is to be said. */
export const acceptedShape = object(
  {},
  { status_message: string('That no operator works on it now.', { maxLength: 8192 }) },
  'Something to know about what goes on; no body when there is nothing.',
)

/** A refusal that is a JSON string. */
export const plainErrorShape = string('What was not found.', { maxLength: 65_536 })

/** What has one of several shapes. */
export function anyOf<const T extends readonly TSchema[]>(...schemas: T): TUnsafe<Static<T[number]>> {
  return Type.Unsafe<Static<T[number]>>({ anyOf: schemas })
}
