import { FieldMessage } from './field-message.tsx'
import type { FormState } from './form-state.ts'
import { MembersField } from './members-field.tsx'
import type { Field, Form } from './model/form.ts'
import { readAt } from './model/pointer.ts'
import { ScalarField } from './scalar-field.tsx'

interface Props {
  readonly form: Form
  readonly state: FormState
}

/** Sections with rows of fields. */
export function FormSections({ form, state }: Props) {
  return (
    <>
      {form.sections.map(({ name, title, rows }, index) => {
        const content = rows.map(({ fields }) => (
          <div class="form-row" key={fields[0]?.pointer}>
            {fields.map((field) => (
              // Set through the object model, which the policy of the page allows.
              <div key={field.pointer} class="form-cell" style={{ flexGrow: field.hints.width }}>
                <FieldView field={field} state={state} />
              </div>
            ))}
          </div>
        ))
        if (title === undefined) return <div key={name ?? index}>{content}</div>
        return (
          <fieldset key={name} class="group">
            <legend>{title}</legend>
            {content}
          </fieldset>
        )
      })}
    </>
  )
}

/** A field with what is nested in it. */
export function FieldView({ field, state }: { readonly field: Field; readonly state: FormState }) {
  const { control } = field
  const value = readAt(state.value, field.pointer)
  // A placeholder can be in place of an object or a list.
  const isText = typeof value === 'string'
  if (control.kind === 'object' && !isText) {
    const id = `${state.idPrefix}${field.id}`
    return (
      <fieldset class="group" aria-describedby={field.help === undefined ? undefined : `${id}-help`}>
        <legend>
          {field.label} {field.isRequired && <span class="required">*</span>}
        </legend>
        {field.help !== undefined && (
          <p id={`${id}-help`} class="form-help">
            {field.help}
          </p>
        )}
        <FormSections form={control.form} state={state} />
        <FieldMessage id={`${id}-error`} message={state.problems.byPointer.get(field.pointer)} />
      </fieldset>
    )
  }
  if ((control.kind === 'list' || control.kind === 'map') && !isText)
    return (
      <MembersField
        field={field}
        member={control.member}
        kind={control.kind}
        state={state}
        View={FieldView}
      />
    )
  return <ScalarField field={field} state={state} />
}
