import { useEffect, useRef, useState } from 'preact/hooks'
import { isObject, parseJson } from '../../operator/domain/base/json.ts'
import type { FormState } from './form-state.ts'
import type { Others } from './model/form.ts'
import { readAt } from './model/pointer.ts'

/** The members of an object that its schema does not name, as JSON. */
export function OthersField({ others, state }: { readonly others: Others; readonly state: FormState }) {
  const { pointer, named, isSecret, isOpen } = others
  const all = readAt(state.value, pointer)
  const entries = isObject(all) ? Object.entries(all) : []
  const rest = Object.fromEntries(entries.filter(([key]) => !named.has(key)))
  const isEmpty = Object.keys(rest).length === 0
  const [text, setText] = useState(() => (isEmpty ? '' : JSON.stringify(rest, undefined, 2)))
  const [problem, setProblem] = useState('')
  const element = useRef<HTMLTextAreaElement>(null)
  // A pointer of a field never begins so.
  const place = `others of ${pointer}`
  useEffect(() => () => state.report(place, ''), [])
  if (!isOpen && isEmpty) return null
  const id = `${state.idPrefix}${isSecret ? 'other-secrets' : 'other-values'}`
  const change = (next: string) => {
    setText(next)
    const parsed = next.trim() === '' ? {} : parseJson(next)
    const found = isObject(parsed) ? '' : 'must be a JSON object'
    setProblem(found)
    element.current?.setCustomValidity(found)
    state.report(place, found)
    if (!isObject(parsed)) return
    const kept = entries.filter(([key]) => named.has(key))
    const added = Object.entries(parsed).filter(([key]) => !named.has(key))
    const joined = Object.fromEntries([...kept, ...added])
    state.write(pointer, pointer !== '' && Object.keys(joined).length === 0 ? undefined : joined)
  }
  return (
    <details open={!isEmpty || problem !== ''}>
      <summary>{isSecret ? 'Other secrets' : 'Other values'}</summary>
      <div class="form-field">
        <label for={id}>
          {isSecret ? 'Other secrets as a JSON object' : 'Other values as a JSON object'}
        </label>
        <textarea
          id={id}
          ref={element}
          rows={4}
          class={isSecret ? 'masked mono' : 'mono'}
          spellcheck={false}
          autocomplete="off"
          disabled={state.isDisabled}
          value={text}
          aria-invalid={problem !== ''}
          aria-describedby={`${id}-error`}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
        <p id={`${id}-error`} class="form-message" aria-live="polite">
          {problem}
        </p>
      </div>
    </details>
  )
}
