import { useMemo, useRef, useState } from 'preact/hooks'
import type { FreeForm } from '../../operator/api/schema.ts'
import { problemsOf } from './model/check.ts'
import { type FormKind, formOf } from './model/form.ts'

interface Options {
  /** Distinguishes the form within its page. */
  readonly idPrefix: string
  readonly kind?: FormKind
  readonly initial?: unknown
  /** Pointers of secrets that are stored. */
  readonly stored?: ReadonlySet<string>
  readonly isDisabled?: boolean
}

/** A form with its value. `fields` are the properties of its `SchemaForm`. */
export interface SchemaFormHandle {
  readonly value: unknown
  readonly setValue: (value: unknown) => void
  readonly fields: {
    readonly schema: FreeForm
    readonly kind: FormKind | undefined
    readonly idPrefix: string
    readonly value: unknown
    readonly onChange: (value: unknown) => void
    readonly onUnreadable: (problems: ReadonlyMap<string, string>) => void
    readonly errors: ReadonlyMap<string, string>
    readonly stored: ReadonlySet<string> | undefined
    readonly disabled: boolean | undefined
  }
  /** Whether the form can be sent; from then on, the fields show their problems. */
  readonly check: () => boolean
}

const noErrors: ReadonlyMap<string, string> = new Map()

/** The value of a form, with a check before it is sent. The schema can depend on the value. */
export function useSchemaForm(
  given: FreeForm | ((value: unknown) => FreeForm),
  { idPrefix, kind, initial = {}, stored, isDisabled }: Options,
): SchemaFormHandle {
  const [value, setValue] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const unreadable = useRef(noErrors)
  const schema = useMemo(() => (typeof given === 'function' ? given(value) : given), [given, value])
  const form = useMemo(() => formOf(schema, kind), [schema, kind])
  const problems = useMemo(() => problemsOf(form, value, stored), [form, value, stored])
  const errors = useMemo(
    () => new Map(problems.map(({ pointer, message }) => [pointer, message])),
    [problems],
  )
  return {
    value,
    setValue,
    fields: {
      schema,
      kind,
      idPrefix,
      value,
      onChange: setValue,
      onUnreadable(found) {
        unreadable.current = found
      },
      errors: isChecked ? errors : noErrors,
      stored,
      disabled: isDisabled,
    },
    check() {
      setChecked(true)
      return problems.length === 0 && unreadable.current.size === 0
    },
  }
}
