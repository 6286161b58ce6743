import { useMemo, useRef } from 'preact/hooks'
import type { FreeForm } from '../../operator/api/schema.ts'
import { FormSections } from './form-sections.tsx'
import type { FormState } from './form-state.ts'
import { placeProblems, type ValueProblem } from './model/check.ts'
import { type Form, type FormKind, formOf } from './model/form.ts'
import { writeAt } from './model/pointer.ts'
import { OthersField } from './others-field.tsx'

interface Props {
  readonly schema: FreeForm
  /** What the schema describes; an object when absent. */
  readonly kind?: FormKind
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Messages by JSON pointer into the value. */
  readonly errors?: ReadonlyMap<string, string>
  readonly stored?: ReadonlySet<string>
  /** Receives the problems of texts that have no value, by JSON pointer, when they change. `value` lacks these texts. */
  readonly onUnreadable?: (problems: ReadonlyMap<string, string>) => void
  readonly disabled?: boolean
  /** Distinguishes the form within its page. */
  readonly idPrefix: string
}

const none: ReadonlySet<string> = new Set()

/** A form that a JSON Schema describes, with the hints for the portal. */
export function SchemaForm({
  schema,
  kind,
  value,
  onChange,
  errors,
  stored = none,
  onUnreadable,
  disabled,
  idPrefix,
}: Props) {
  const form = useMemo(() => formOf(schema, kind), [schema, kind])
  const problems = useMemo(() => placeProblems(form, value, listOf(errors)), [form, value, errors])
  const unreadable = useRef<ReadonlyMap<string, string>>(new Map())
  const report = (pointer: string, problem: string) => {
    if ((unreadable.current.get(pointer) ?? '') === problem) return
    const others = [...unreadable.current].filter(([key]) => key !== pointer)
    unreadable.current = new Map(problem === '' ? others : [...others, [pointer, problem]])
    onUnreadable?.(unreadable.current)
  }
  const state = {
    value,
    problems,
    stored,
    isDisabled: disabled ?? false,
    idPrefix,
    report,
    write: (pointer: string, next: unknown) => onChange(writeAt(value, pointer, next)),
  }
  return (
    <div class="schema-form">
      {problems.others.length > 0 && (
        <div class="notice notice-bad" role="alert">
          <ul>
            {problems.others.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      <FormContent form={form} state={state} />
    </div>
  )
}

/** The fields of a form, and the members without fields. */
function FormContent({ form, state }: { readonly form: Form; readonly state: FormState }) {
  return (
    <>
      <FormSections form={form} state={state} />
      {form.others.map((others) => (
        <OthersField key={others.pointer} others={others} state={state} />
      ))}
    </>
  )
}

function listOf(errors: ReadonlyMap<string, string> = new Map()): ValueProblem[] {
  return [...errors].map(([pointer, message]) => ({ pointer, message }))
}
