import { useEffect } from 'preact/hooks'
import { isDialogOpen, loadSession, sessionState } from '../api/session.ts'
import { CurrentPage } from './current-page.tsx'
import { Header } from './header.tsx'
import { SessionNotice } from './session-notice.tsx'
import { SignInDialog } from './sign-in-dialog.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { startRetries } from './startup.ts'

/** The whole portal: the sign-in, or the header and the current page. */
export function Portal() {
  useEffect(() => startRetries(loadSession), [])
  if (sessionState.value === 'unknown') return <p class="starting">Connecting to the gateway …</p>
  if (sessionState.value === 'signed-out') return <SignInPage />
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header />
      <SessionNotice />
      <CurrentPage />
      {isDialogOpen.value && <SignInDialog />}
    </>
  )
}
