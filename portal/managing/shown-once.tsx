interface Props {
  /** What it is, for example `token`. */
  readonly what: string
  readonly value: string
  readonly onHide: () => void
}

/** A secret that the gateway returns only once. */
export function ShownOnce({ what, value, onHide }: Props) {
  return (
    <div class="notice notice-good" role="status">
      <p>Copy the {what} now. It is not shown again.</p>
      <output class="token mono">{value}</output>
      <button type="button" onClick={onHide}>
        Hide the {what}
      </button>
    </div>
  )
}
