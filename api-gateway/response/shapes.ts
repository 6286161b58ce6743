import { type TUnsafe, Type } from 'typebox'
import { anyValue, object, type Static, string, type TSchema } from '../../operator/api/schema.ts'

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

/** The body of every refusal. */
export const errorShape = named(
  'Error',
  object(
    {
      error: string('Machine-readable reason: one CamelCase word.', { maxLength: 63 }),
      message: string('Human-readable message.', { maxLength: 65_536 }),
    },
    { details: anyValue('Additional information, if any.') },
    'An error.',
  ),
)

/** The body of what goes on; there is none while nothing is to be said. */
export const acceptedShape = object(
  {},
  { status_message: string('Notice that no operator is running.', { maxLength: 8192 }) },
  'An accepted operation. The body is empty unless there is a notice.',
)

/** A refusal that is a JSON string. */
export const plainErrorShape = string('Human-readable message.', { maxLength: 65_536 })

/** What has one of several shapes. */
export function anyOf<const T extends readonly TSchema[]>(...schemas: T): TUnsafe<Static<T[number]>> {
  return Type.Unsafe<Static<T[number]>>({ anyOf: schemas })
}
