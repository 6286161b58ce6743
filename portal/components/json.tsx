interface Props {
  readonly value: unknown
  /** Text for an empty value. */
  readonly empty: string
}

/** A value as text. */
export function Json({ value, empty }: Props) {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (value === undefined || isEmpty) return <p class="muted">{empty}</p>
  return (
    <pre class="json" tabIndex={0}>
      {JSON.stringify(value, undefined, 2)}
    </pre>
  )
}
