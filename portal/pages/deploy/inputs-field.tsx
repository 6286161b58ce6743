import { useState } from 'preact/hooks'

interface Props {
  readonly id: string
  readonly schema: object | undefined
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** Inputs of a dependency as JSON; absent for a type without inputs. */
export function InputsField({ id, schema, value, onChange }: Props) {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2))
  const [problem, setProblem] = useState('')
  if (!schema || Object.keys((schema as { properties?: object }).properties ?? {}).length === 0) return null
  const change = (next: string) => {
    setText(next)
    try {
      onChange(JSON.parse(next))
      setProblem('')
    } catch {
      setProblem('This is not valid JSON.')
    }
  }
  return (
    <div>
      <label for={id}>Inputs as JSON</label>
      <textarea
        id={id}
        rows={4}
        spellcheck={false}
        value={text}
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-problem`}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <p id={`${id}-problem`} class="form-message" role="alert">
        {problem}
      </p>
    </div>
  )
}
