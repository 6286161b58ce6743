import { useCallback, useState } from 'preact/hooks'
import type { Value } from '../../api/types.ts'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { useSchemaForm } from '../../forms/use-schema-form.ts'
import { CancelLink } from '../../managing/cancel-link.tsx'
import { CheckedForm } from '../../managing/checked-form.tsx'
import { navigate } from '../../routing/router.ts'
import { changeValue, createValue, type ValuesOwner } from './value-requests.ts'
import {
  changedEntry,
  changedValueBody,
  newValueBody,
  newValueOf,
  valueOf,
  valueSchema,
} from './value-schema.ts'

interface Props {
  readonly owner: ValuesOwner
  /** Undefined for a new value. */
  readonly edited: Value | undefined
  /** Key of a new value. */
  readonly initialKey: string
  /** The values that a new one may override. */
  readonly known: readonly Value[]
  /** Path of the list. */
  readonly list: string
}

const storedSecret: ReadonlySet<string> = new Set(['/value'])

/** Creates a shared value, or changes one. */
export function ValueForm({ owner, edited: given, initialKey, known, list }: Props) {
  // What the form begins with; the list is read again meanwhile.
  const [edited] = useState(given)
  const schemaOf = useCallback((value: unknown) => valueSchema(edited, value), [edited])
  const form = useSchemaForm(schemaOf, {
    idPrefix: 'value',
    initial: edited ? valueOf(edited) : newValueOf(initialKey, known),
    stored: edited?.is_secret ? storedSecret : undefined,
  })
  const [isSecretChosen, setSecretChosen] = useState(false)
  const change = (value: unknown) => {
    if (edited) return form.setValue(value)
    const entry = changedEntry({ value: form.value, isSecretChosen }, value, known)
    setSecretChosen(entry.isSecretChosen)
    form.setValue(entry.value)
  }
  const save = async () => {
    if (edited) await changeValue(owner, edited.key, changedValueBody(edited, form.value))
    else await createValue(owner, newValueBody(form.value))
    navigate(list)
  }
  return (
    <CheckedForm
      label={edited ? `Shared value ${edited.key}` : 'New shared value'}
      forms={[form]}
      button={edited ? 'Save the value' : 'Create the value'}
      onSubmit={save}
      actions={<CancelLink to={list} />}
    >
      <SchemaForm {...form.fields} onChange={change} />
    </CheckedForm>
  )
}
