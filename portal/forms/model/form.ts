import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject, ownValue, sameJson } from '../../../operator/domain/base/json.ts'
import { partsOf } from '../../../operator/domain/schema/parted-schema.ts'
import { type Choice, choicesOf, controlKindOf } from './control.ts'
import { flatten, requiredNames } from './flatten.ts'
import { type Hints, hintsOf, layOut, type Section } from './layout.ts'
import { memberPointer } from './pointer.ts'

/** What a schema describes: an object, an object of secrets, or `values` and `secrets` (outputs and driver inputs). */
export type FormKind = 'object' | 'secrets' | 'parts'

/** A form that a JSON Schema describes. */
export interface Form {
  readonly sections: readonly Section<Field>[]
  readonly others: readonly Others[]
}

/** The members of an object that its schema does not name. */
export interface Others {
  /** JSON pointer of the object. */
  readonly pointer: string
  /** Names that have fields. */
  readonly named: ReadonlySet<string>
  readonly isSecret: boolean
  /** Whether the schema allows them. */
  readonly isOpen: boolean
}

/** A field of a form. */
export interface Field {
  /** Distinguishes the field within its form, in letters, digits, `-` and `_`. */
  readonly id: string
  /** JSON pointer into the value. */
  readonly pointer: string
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly isRequired: boolean
  readonly isSecret: boolean
  readonly hints: Hints
  readonly control: Control
  /** The schema without references at its top. */
  readonly schema: FreeForm
}

/** What a field is edited with. */
export type Control =
  | { readonly kind: 'text' | 'number' | 'json' }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | { readonly kind: 'object'; readonly form: Form }
  | { readonly kind: 'list' | 'map'; member(key: string | number): Field }

/** Objects that are nested deeper, or that follow so many fields, are edited as JSON. */
const maxDepth = 6
const maxFields = 2000

interface Context {
  readonly root: FreeForm
  readonly followed: ReadonlySet<string>
  readonly depth: number
  readonly isSecret: boolean
  /** Shared by all fields of the form. */
  readonly count: { left: number }
}

/** The form of a schema. Never throws: what has no other control is edited as JSON. */
export function formOf(schema: FreeForm, kind: FormKind = 'object'): Form {
  const count = { left: maxFields }
  const contextOf = (root: FreeForm, isSecret: boolean): Context => ({
    root,
    followed: new Set(),
    depth: 0,
    isSecret,
    count,
  })
  if (kind !== 'parts') return objectForm(schema, '', contextOf(schema, kind === 'secrets'))
  const { values = {}, secrets = {} } = partsOf(schema)
  const parts = [
    membersOf(values, '/values', contextOf(values, false)),
    membersOf(secrets, '/secrets', contextOf(secrets, true)),
  ]
  return {
    sections: layOut(
      parts.flatMap(({ fields }) => fields),
      ownValue(schema, 'uiGroups'),
    ),
    others: parts.map(({ others }) => others),
  }
}

function objectForm(schema: FreeForm, pointer: string, context: Context): Form {
  const { fields, others } = membersOf(schema, pointer, context)
  return { sections: layOut(fields, ownValue(schema, 'uiGroups')), others: [others] }
}

/** The fields of an object: its properties, and what it requires beyond them. */
function membersOf(given: unknown, pointer: string, context: Context) {
  const { schema, references } = flatten(given, context.root, context.followed)
  const properties = ownValue(schema, 'properties')
  const known = isObject(properties) ? properties : {}
  const required = new Set(requiredNames(schema))
  const names = [...new Set([...Object.keys(known), ...required])]
  context.count.left -= names.length
  const inner = { ...context, followed: references }
  const fields = names.map((name) =>
    fieldOf(name, memberPointer(pointer, name), ownValue(known, name), required.has(name), inner),
  )
  // A part that the schema forbids is `not: {}`.
  const isOpen = ownValue(schema, 'additionalProperties') !== false && !sameJson(schema['not'], {})
  const others = { pointer, named: new Set(names), isSecret: context.isSecret, isOpen }
  return { fields, others }
}

function fieldOf(
  name: string,
  pointer: string,
  given: unknown,
  isRequired: boolean,
  context: Context,
): Field {
  const { schema, references } = flatten(given, context.root, context.followed)
  const { title, description, writeOnly, format } = schema
  const isSecret = context.isSecret || writeOnly === true || format === 'password'
  const inner = { ...context, followed: references, depth: context.depth + 1, isSecret }
  return {
    id: idOf(pointer),
    pointer,
    name,
    label: typeof title === 'string' && title.trim() !== '' ? title : name,
    ...(typeof description === 'string' && description.trim() !== '' && { help: description }),
    isRequired,
    isSecret,
    hints: hintsOf(schema),
    control: controlOf(schema, pointer, inner),
    schema,
  }
}

function controlOf(schema: FreeForm, pointer: string, context: Context): Control {
  const kind = controlKindOf(schema)
  if (kind === 'choice') return { kind, choices: choicesOf(schema) ?? [] }
  if (kind === 'text' || kind === 'number' || kind === 'json') return { kind }
  if (context.depth >= maxDepth || context.count.left <= 0) return { kind: 'json' }
  if (kind === 'object') return { kind, form: objectForm(schema, pointer, context) }
  const members = ownValue(schema, kind === 'list' ? 'items' : 'additionalProperties')
  return {
    kind,
    member: (key) =>
      fieldOf(String(key), memberPointer(pointer, key), members, false, {
        ...context,
        // Counted for each member, because the form grows with the value.
        count: { left: maxFields },
      }),
  }
}

/** Equal only for equal pointers. */
function idOf(pointer: string): string {
  return pointer
    .replace(/[^A-Za-z0-9/]/g, (each) => `_${each.charCodeAt(0).toString(16)}_`)
    .replaceAll('/', '-')
}
