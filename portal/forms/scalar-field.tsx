import { useEffect, useRef, useState } from 'preact/hooks'
import { sameJson } from '../../operator/domain/base/json.ts'
import { FieldMessage } from './field-message.tsx'
import type { FormState } from './form-state.ts'
import type { Choice } from './model/control.ts'
import type { Field } from './model/form.ts'
import { readAt } from './model/pointer.ts'
import { isPlaceholder, parseText, textOf } from './model/text.ts'

interface Props {
  readonly field: Field
  readonly state: FormState
}

/** Label, control, help and message of a field with one value. */
export function ScalarField({ field, state }: Props) {
  const id = `${state.idPrefix}${field.id}`
  const [problem, setProblem] = useState('')
  useEffect(() => () => state.report(field.pointer, ''), [])
  const message = problem === '' ? state.problems.byPointer.get(field.pointer) : problem
  const shared = {
    id,
    disabled: state.isDisabled,
    'aria-required': field.isRequired,
    'aria-invalid': message !== undefined,
    'aria-describedby': `${id}-help ${id}-error`,
  }
  return (
    <div class="form-field">
      <label for={id}>
        {field.isSecret && <Lock />}
        {field.label}
        {field.isRequired && <span class="required"> *</span>}
      </label>
      <Control
        field={field}
        state={state}
        shared={shared}
        onProblem={(found) => {
          setProblem(found)
          state.report(field.pointer, found)
        }}
      />
      <p id={`${id}-help`} class="form-help">
        {[field.help, defaultText(field)].filter(Boolean).join(' ')}
      </p>
      <FieldMessage id={`${id}-error`} message={message} />
    </div>
  )
}

/** The default of a secret is not shown. */
function defaultText({ schema, isSecret }: Field): string | undefined {
  if (isSecret || !Object.hasOwn(schema, 'default')) return undefined
  return `Default: ${typeof schema['default'] === 'string' ? schema['default'] : JSON.stringify(schema['default'])}`
}

function Lock() {
  return (
    <svg class="lock" viewBox="0 0 16 16" role="img" aria-label="Secret: ">
      <path d="M4 7V5a4 4 0 0 1 8 0v2h1v7H3V7zm2 0h4V5a2 2 0 0 0-4 0z" />
    </svg>
  )
}

interface Shared {
  readonly id: string
  readonly disabled: boolean
  readonly 'aria-required': boolean
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
}

function Control({
  field,
  state,
  shared,
  onProblem,
}: Props & { readonly shared: Shared; readonly onProblem: (problem: string) => void }) {
  const { control, isSecret, schema, pointer } = field
  const value = readAt(state.value, pointer)
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => textOf(field, value))
  const [hasLines, setHasLines] = useState(text.includes('\n'))
  useEffect(() => {
    // The value was changed elsewhere, for example by a reset.
    const parsed = parseText(field, text)
    if ('value' in parsed && !sameJson(parsed.value, value)) setText(textOf(field, value))
  }, [value])
  if (control.kind === 'choice' && !isSecret && !(typeof value === 'string' && isPlaceholder(value)))
    return (
      <ChoiceControl
        choices={control.choices}
        value={value}
        shared={shared}
        write={(next) => state.write(pointer, next)}
      />
    )
  const change = (next: string) => {
    setText(next)
    const parsed = parseText(field, next)
    const problem = 'problem' in parsed ? parsed.problem : ''
    element.current?.setCustomValidity(problem)
    onProblem(problem)
    if ('value' in parsed) state.write(pointer, parsed.value)
  }
  const suggestions = suggestionsOf(field)
  const given = {
    ...shared,
    ref: element,
    value: text,
    spellcheck: false,
    placeholder: placeholderOf(field, state.stored),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      change(currentTarget.value),
  }
  if (isLong(control.kind, schema) || hasLines)
    return <textarea {...given} rows={4} class={isSecret ? 'masked mono' : 'mono'} autocomplete="off" />
  // A pasted key of several lines must keep them.
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData('text') ?? ''
    if (!pasted.trimEnd().includes('\n')) return
    event.preventDefault()
    setHasLines(true)
    change(text + pasted)
  }
  if (isSecret) return <input {...given} type="password" autocomplete="new-password" onPaste={onPaste} />
  if (control.kind === 'number')
    return <input {...given} type="text" inputMode="decimal" autocomplete="off" />
  return (
    <>
      <input
        {...given}
        type="text"
        autocomplete="off"
        list={suggestions.length > 0 ? `${shared.id}-list` : undefined}
        onPaste={onPaste}
      />
      {suggestions.length > 0 && (
        <datalist id={`${shared.id}-list`}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** Texts that the field suggests, which schemas of the portal can have. */
function suggestionsOf({ schema, control }: Field): readonly string[] {
  const { suggestions } = schema
  if (control.kind !== 'text' || !Array.isArray(suggestions)) return []
  return suggestions.filter((each) => typeof each === 'string')
}

function isLong(kind: string, schema: Field['schema']): boolean {
  if (kind !== 'text') return kind !== 'number' && kind !== 'choice'
  return schema['contentMediaType'] !== undefined || schema['format'] === 'multiline'
}

function placeholderOf({ isSecret, pointer, schema, control }: Field, stored: ReadonlySet<string>): string {
  if (isSecret) return stored.has(pointer) ? 'unchanged' : ''
  const [example] = Array.isArray(schema['examples']) ? schema['examples'] : []
  if (example !== undefined) return typeof example === 'string' ? example : JSON.stringify(example)
  return control.kind === 'text' || control.kind === 'number' ? '' : 'JSON'
}

function ChoiceControl({
  choices,
  value,
  shared,
  write,
}: {
  readonly choices: readonly Choice[]
  readonly value: unknown
  readonly shared: Shared
  readonly write: (value: unknown) => void
}) {
  const index = choices.findIndex((each) => sameJson(each.value, value))
  const isOther = index < 0 && value !== undefined
  return (
    <select
      {...shared}
      value={isOther ? 'other' : index < 0 ? '' : String(index)}
      onChange={({ currentTarget }) => write(choices[Number(currentTarget.value || -1)]?.value)}
    >
      <option value="">Not set</option>
      {choices.map(({ label }, at) => (
        <option key={at} value={String(at)}>
          {label}
        </option>
      ))}
      {isOther && <option value="other">{typeof value === 'string' ? value : JSON.stringify(value)}</option>}
    </select>
  )
}
