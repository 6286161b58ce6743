import { useMemo, useRef, useState } from 'preact/hooks'
import type { FreeForm } from '../../operator/api/schema.ts'
import { problemOfRefusal, problemsOf, type ValueProblem } from './model/check.ts'
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
  /** Begins anew, as for another schema. */
  readonly clear: () => void
  /** Whether the form can be sent; from then on, the fields show their problems. */
  readonly check: () => boolean
  /** Shows why the server refused the value at its field until the value changes; returns whether it has one. */
  readonly refuse: (message: string) => boolean
}

/** What the server refused. */
interface Refusal {
  readonly problem: ValueProblem
  readonly value: unknown
}

/** The value of a form, with a check before it is sent. The schema can depend on the value. */
export function useSchemaForm(
  given: FreeForm | ((value: unknown) => FreeForm),
  { idPrefix, kind, initial = {}, stored, isDisabled }: Options,
): SchemaFormHandle {
  const [value, setValue] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const unreadable = useRef<ReadonlyMap<string, string>>(new Map())
  const schema = useMemo(() => (typeof given === 'function' ? given(value) : given), [given, value])
  const form = useMemo(() => formOf(schema, kind), [schema, kind])
  const problems = useMemo(() => problemsOf(form, value, stored), [form, value, stored])
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined)
  const errors = useMemo(() => {
    const refused = refusal && refusal.value === value ? [refusal.problem] : []
    const shown = [...refused, ...(isChecked ? problems : [])]
    return new Map(shown.map(({ pointer, message }) => [pointer, message]))
  }, [problems, isChecked, refusal, value])
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
      errors,
      stored,
      disabled: isDisabled,
    },
    clear() {
      setValue(initial)
      setChecked(false)
      unreadable.current = new Map()
    },
    check() {
      setChecked(true)
      return problems.length === 0 && unreadable.current.size === 0
    },
    refuse(message) {
      const problem = problemOfRefusal(form, value, message)
      if (problem) setRefusal({ problem, value })
      return problem !== undefined
    },
  }
}
