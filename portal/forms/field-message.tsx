/** What is wrong with a field. */
export function FieldMessage({ id, message }: { readonly id: string; readonly message: string | undefined }) {
  return (
    <p id={id} class="form-message" aria-live="polite">
      {message ?? ''}
    </p>
  )
}
