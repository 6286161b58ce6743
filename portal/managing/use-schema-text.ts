import { useMemo, useRef, useState } from 'preact/hooks'
import type { FreeForm } from '../../operator/api/schema.ts'
import { checkSchemaText } from '../forms/model/schema-check.ts'

/** The text of a JSON Schema while it is edited. */
export interface SchemaText {
  readonly text: string
  readonly setText: (text: string) => void
  /** The schema of the last text that was a JSON object. */
  readonly schema: FreeForm
  readonly problems: readonly string[]
  /** Whether the text can be sent. */
  readonly check: () => boolean
  /** Shows why the server refused the schema until the text changes; returns whether the message is about it. */
  readonly refuse: (message: string) => boolean
}

/** Keeps the text of a schema, and checks it while it is edited. `name` is that of the field in requests. */
export function useSchemaText(name: string, initial: FreeForm): SchemaText {
  const [text, setText] = useState(() => JSON.stringify(initial, undefined, 2))
  const { schema, problems } = useMemo(() => checkSchemaText(text), [text])
  const last = useRef<FreeForm>(initial)
  if (schema) last.current = schema
  const [refusal, setRefusal] = useState<{ text: string; message: string } | undefined>(undefined)
  return {
    text,
    setText,
    schema: last.current,
    problems: refusal && refusal.text === text ? [refusal.message, ...problems] : problems,
    check: () => problems.length === 0,
    refuse(message) {
      if (!message.startsWith(`'${name}' `)) return false
      setRefusal({ text, message: message.slice(name.length + 3) })
      return true
    },
  }
}
