import type { ComponentChildren } from 'preact'
import { useModal } from './use-modal.ts'

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
  const dialog = useModal()
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
