import { useEffect, useState } from 'preact/hooks'
import { isDialogOpen, openDialog, sessionEnd } from '../api/session.ts'

const noticeMs = 10 * 60_000

/** Announces the end of the session in time to sign in again. */
export function SessionNotice() {
  const [isNear, setNear] = useState(false)
  const end = sessionEnd.value
  useEffect(() => {
    if (end === undefined) return undefined
    const remaining = end - noticeMs - Date.now()
    setNear(remaining <= 0)
    const timer = setTimeout(() => setNear(true), Math.max(0, remaining))
    return () => clearTimeout(timer)
  }, [end])
  if (end === undefined || !isNear || isDialogOpen.value) return null
  return (
    <div class="notice notice-wait session-notice" role="status">
      <p>
        Your session ends at {new Date(end).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.
        Nothing that you have typed is lost.
      </p>
      <button type="button" onClick={openDialog}>
        Sign in again
      </button>
    </div>
  )
}
