import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { Value } from '../../api/types.ts'
import { changed } from '../../managing/changed.ts'

/** The value that the form changes; undefined for a new one. */
export type Edited = Pick<Value, 'is_secret' | 'value' | 'description'> | undefined

interface Entered {
  readonly key?: string
  readonly value?: string
  readonly description?: string
  readonly is_secret?: boolean
}

function entered(value: unknown): Entered {
  return isObject(value) ? value : {} // the form has the fields of its schema
}

/** The schema of the form for a shared value. A stored secret can be replaced, but it is never shown. */
export function valueSchema(edited: Edited, value: unknown): FreeForm {
  const isSecret = edited?.is_secret ?? entered(value).is_secret === true
  const properties: FreeForm = {
    ...(edited ? {} : newFields),
    value: {
      type: 'string',
      title: 'Value',
      description: isSecret ? 'It is never shown again.' : 'It can be empty.',
      writeOnly: isSecret,
    },
    description: { type: 'string', title: 'Description' },
  }
  return {
    type: 'object',
    properties,
    required: [...(edited ? [] : ['key', 'is_secret']), ...(isSecret ? ['value'] : [])],
    additionalProperties: false,
  }
}

const newFields: FreeForm = {
  key: { type: 'string', title: 'Key', description: 'Workloads read the value as ${values.KEY}.' },
  is_secret: {
    type: 'boolean',
    title: 'Secret',
    oneOf: [
      { const: false, title: 'no' },
      { const: true, title: 'yes: the value is never shown' },
    ],
  },
}

/** A value that exists, which a new one of the same key overrides. */
type Known = Pick<Value, 'key' | 'is_secret'>

/** What the form for a new value begins with. A value that overrides a secret one is secret too. */
export function newValueOf(key: string, known: readonly Known[]): FreeForm {
  return { ...(key === '' ? {} : { key }), is_secret: overridesSecret(key, known) }
}

function overridesSecret(key: string | undefined, known: readonly Known[]): boolean {
  return known.some((each) => each.is_secret && each.key === key)
}

/** What the form for a new value holds, and whether the user has chosen if the value is secret. */
export interface Entry {
  readonly value: unknown
  readonly isSecretChosen: boolean
}

/** The entry after a change of the form. Until the user chooses, the key decides whether the value is secret. */
export function changedEntry(before: Entry, after: unknown, known: readonly Known[]): Entry {
  const { key, is_secret } = entered(after)
  if (before.isSecretChosen || is_secret !== entered(before.value).is_secret)
    return { value: after, isSecretChosen: true }
  return { value: { ...entered(after), is_secret: overridesSecret(key, known) }, isSecretChosen: false }
}

/** What the form for a stored value begins with. */
export function valueOf(edited: NonNullable<Edited>): FreeForm {
  const { is_secret, value, description } = edited
  return {
    ...(is_secret || value === '' ? {} : { value }),
    ...(description === null ? {} : { description }),
  }
}

/** Body of a request for a new value. */
export function newValueBody(form: unknown) {
  const { key = '', value = '', description = null, is_secret = false } = entered(form)
  return { key, value, description, is_secret }
}

/**
 * Body of a request that changes a value: only what was changed, so that a change of another user is kept. A secret that
 * was not entered again is kept.
 */
export function changedValueBody(edited: NonNullable<Edited>, form: unknown) {
  const { value, description = null } = entered(form)
  return {
    description: changed(description, edited.description),
    value: edited.is_secret ? value : changed(value ?? '', edited.value),
  }
}
