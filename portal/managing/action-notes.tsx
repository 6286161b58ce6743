interface Props {
  /** What happens to resources, such as `replace`. */
  readonly actions: readonly { readonly action: string }[]
}

/** What follows from the actions of a plan whose words do not say it. */
export function ActionNotes({ actions }: Props) {
  const has = (wanted: string) => actions.some(({ action }) => action === wanted)
  return (
    <>
      {has('replace') && (
        <p class="notice notice-bad">
          To replace a resource means: a new one is provisioned, then the present one is deprovisioned, and
          its data is lost.
        </p>
      )}
      {has('retain') && (
        <p class="muted">
          To retain a resource means: no workload uses it any more, but it stays with its data until someone
          deletes it.
        </p>
      )}
    </>
  )
}
