import { useEffect } from 'preact/hooks'
import { baseAddress } from '../api/base-address.ts'
import { Mark } from './header.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Shown without a session; the address stays, so that the wanted page follows. */
export function SignInPage() {
  useEffect(() => {
    document.title = 'Sign in – Quartermaster'
  }, [])
  return (
    <main class="sign-in">
      <div class="sign-in-box">
        <p class="brand">
          <Mark />
          <span>Quartermaster</span>
        </p>
        <h1>Sign in</h1>
        <SignInForm keepsPage={false} />
        <p class="muted">
          The session lasts eight hours, or until the token expires. This page does not store the token. REST
          clients: <a href={`${baseAddress}docs`}>API reference</a>.
        </p>
      </div>
    </main>
  )
}
