import { useState } from 'preact/hooks'
import type { FormKind } from '../forms/model/form.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import type { SchemaText } from './use-schema-text.ts'

interface Props {
  readonly id: string
  readonly label: string
  /** What the form beside the editor is, as its heading. */
  readonly formLabel: string
  readonly schema: SchemaText
  readonly kind: FormKind
  readonly isDisabled?: boolean
}

/** The text of a schema with its problems, beside the form that it makes. */
export function SchemaEditor({ id, label, formLabel, schema, kind, isDisabled }: Props) {
  const [value, setValue] = useState<unknown>({})
  const { text, setText, problems } = schema
  return (
    <div class="columns">
      <div class="form-field">
        <label for={id}>{label}</label>
        <textarea
          id={id}
          class="mono"
          rows={18}
          spellcheck={false}
          autocomplete="off"
          readOnly={isDisabled}
          value={text}
          aria-invalid={problems.length > 0}
          aria-describedby={`${id}-problems`}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <ul id={`${id}-problems`} class="form-message" aria-live="polite">
          {problems.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </div>
      <section class="stack" aria-label={formLabel}>
        <h3>{formLabel}</h3>
        <SchemaForm
          schema={schema.schema}
          kind={kind}
          idPrefix={`${id}-preview`}
          value={value}
          onChange={setValue}
        />
      </section>
    </div>
  )
}
