import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { isObject } from '../../operator/domain/base/json.ts'
import { FieldMessage } from './field-message.tsx'
import type { FormState } from './form-state.ts'
import type { Field } from './model/form.ts'
import { readAt } from './model/pointer.ts'

interface Props {
  readonly field: Field
  readonly kind: 'list' | 'map'
  readonly member: (key: string | number) => Field
  readonly state: FormState
  /** Shows a member; passed in because members can have members. */
  readonly View: ComponentType<{ readonly field: Field; readonly state: FormState }>
}

/** The members of a list, or of an object whose keys are free; they can be added and removed. */
export function MembersField({ field, kind, member, state, View }: Props) {
  const id = `${state.idPrefix}${field.id}`
  const value = readAt(state.value, field.pointer)
  const keys: (string | number)[] = Array.isArray(value)
    ? value.map((_, at) => at)
    : isObject(value)
      ? Object.keys(value)
      : []
  const [key, setKey] = useState('')
  const add = () => {
    if (kind === 'list')
      state.write(field.pointer, [...(Array.isArray(value) ? value : []), emptyOf(member(0))])
    else if (key !== '' && !keys.includes(key)) state.write(member(key).pointer, emptyOf(member(key)))
    setKey('')
  }
  return (
    <fieldset class="group" aria-describedby={`${id}-help ${id}-error`} disabled={state.isDisabled}>
      <legend>
        {field.label}
        {field.isRequired && <span class="required"> *</span>}
      </legend>
      <p id={`${id}-help`} class="form-help">
        {field.help ?? ''}
      </p>
      {keys.map((each, at) => {
        const one = member(each)
        const labelled = kind === 'list' ? { ...one, label: `${field.label} ${at + 1}` } : one
        return (
          <div class="form-member" key={`${keys.length}:${each}`}>
            <View field={labelled} state={state} />
            <button
              type="button"
              aria-label={`Remove ${labelled.label}`}
              onClick={() => state.write(one.pointer, undefined)}
            >
              Remove
            </button>
          </div>
        )
      })}
      <div class="actions">
        {kind === 'map' && (
          <input
            aria-label={`New key of ${field.label}`}
            value={key}
            placeholder="Key"
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        )}
        <button type="button" onClick={add}>
          Add to {field.label}
        </button>
      </div>
      <FieldMessage id={`${id}-error`} message={state.problems.byPointer.get(field.pointer)} />
    </fieldset>
  )
}

/** What a new member begins with. An empty text is a value, because the member exists. */
function emptyOf({ control }: Field): unknown {
  if (control.kind === 'object') return {}
  if (control.kind === 'list') return []
  return control.kind === 'choice' ? control.choices[0]?.value : ''
}
