import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Shows a dialog over the page. When it is gone, the focus returns to where it was. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // The dialog has left the page by now, so that closing it would not return the focus.
    return () => {
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus()
    }
  }, [])
  return dialog
}
