import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiProblem } from '../api/problem.ts'
import type { SchemaFormHandle } from '../forms/use-schema-form.ts'
import { FormProblem } from './form-problem.tsx'
import { useAction } from './use-action.ts'

interface Props {
  /** What the form is for, for screen readers. */
  readonly label: string
  /** Forms that must be without problems before the work begins. */
  readonly forms: readonly Pick<SchemaFormHandle, 'check' | 'refuse'>[]
  readonly button: string
  /** Whether the button is the main one of the page. */
  readonly isPrimary?: boolean
  readonly onSubmit: () => Promise<unknown>
  readonly children: ComponentChildren
  /** Shown after a success, until the next change. */
  readonly done?: string
  /** What is shown between the fields and the buttons. */
  readonly result?: ComponentChildren
  /** Further buttons and links. */
  readonly actions?: ComponentChildren
}

/** A form that is sent only without problems at its fields; the first of them gets the focus. What was typed is kept. */
export function CheckedForm({
  label,
  forms,
  button,
  isPrimary = true,
  onSubmit,
  children,
  done,
  result,
  actions,
}: Props) {
  const element = useRef<HTMLFormElement>(null)
  const [refusals, setRefusals] = useState(0)
  const [isDone, setDone] = useState(false)
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
    if (refusals > 0 && element.current) focusFirstProblem(element.current)
  }, [refusals])
  const place = ({ status, message }: ApiProblem) => {
    const isInvalid = status === 400 || status === 422
    if (!isInvalid || !forms.some((each) => each.refuse(message))) return false
    setRefusals(refusals + 1)
    return true
  }
  const submit = async () => {
    if (isBusy) return
    setDone(false)
    // Each of them shows its problems.
    if (forms.map((each) => each.check()).every(Boolean)) setDone(await run(onSubmit, place))
    else setRefusals(refusals + 1)
  }
  return (
    <form
      ref={element}
      class="panel stack"
      aria-label={label}
      noValidate
      onInput={() => setDone(false)}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      {problem && <FormProblem problem={problem} />}
      {result}
      {isDone && done !== undefined && (
        <p class="notice notice-good" role="status">
          {done}
        </p>
      )}
      <div class="actions">
        <button type="submit" class={isPrimary ? 'primary' : undefined} disabled={isBusy}>
          {button}
        </button>
        {actions}
      </div>
    </form>
  )
}

/** A control in a closed part of the form cannot have the focus, so the part is opened. */
function focusFirstProblem(form: HTMLFormElement): void {
  const control = form.querySelector<HTMLElement>('[aria-invalid="true"]')
  for (let part = control?.closest('details'); part; part = part.parentElement?.closest('details'))
    part.open = true
  control?.focus()
}
