import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Shows a dialog over the page. When it is gone, the focus returns to where it was, or to the content of the page. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // The dialog has left the page by now, so that closing it would not return the focus.
    return () => {
      const isLost = () => document.activeElement === document.body
      if (before instanceof HTMLElement && isLost()) before.focus()
      // A button that is disabled or absent by now takes no focus.
      if (isLost()) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })
    }
  }, [])
  return dialog
}
