import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  readonly title: string
  /** Text of the button that confirms. */
  readonly button: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
  readonly children: ComponentChildren
}

/** Asks before something that cannot be taken back. */
export function Confirmation({ title, button, onConfirm, onCancel, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = dialog
    current?.showModal()
    // Closing returns the focus to where it was.
    return () => current?.close()
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirmation-title" onCancel={onCancel}>
      <h2 id="confirmation-title">{title}</h2>
      {children}
      <div class="actions">
        <button type="button" autofocus onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={onConfirm}>
          {button}
        </button>
      </div>
    </dialog>
  )
}
