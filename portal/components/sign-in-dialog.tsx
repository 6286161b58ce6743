import { useEffect } from 'preact/hooks'
import { needsSignIn } from '../api/client.ts'
import { closeDialog, loadSession } from '../api/session.ts'
import { SignInForm } from './sign-in-form.tsx'
import { useModal } from './use-modal.ts'

/** Sign-in over the page: what the page shows, and what was typed, stays. */
export function SignInDialog() {
  const dialog = useModal()
  useEffect(() => {
    // Another tab may have signed in.
    const recheck = () => void loadSession().catch(() => undefined)
    addEventListener('focus', recheck)
    return () => removeEventListener('focus', recheck)
  }, [])
  const cancel = (event: Event) => {
    event.preventDefault()
    closeDialog()
  }
  // A browser lets a page prevent one Escape; the next one closes the dialog.
  const keepOpen = () => {
    if (needsSignIn.value) dialog.current?.showModal()
    else closeDialog()
  }
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="sign-in-title" onCancel={cancel} onClose={keepOpen}>
      <h2 id="sign-in-title">{needsSignIn.value ? 'Your session has ended' : 'Continue your session'}</h2>
      <p>Sign in again to continue. The page keeps what you have typed.</p>
      <SignInForm keepsPage={true} />
      {!needsSignIn.value && (
        <button type="button" onClick={closeDialog}>
          Not now
        </button>
      )}
    </dialog>
  )
}
