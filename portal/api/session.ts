import { computed, signal } from '@preact/signals'
import { sameJson } from '../../operator/domain/base/json.ts'
import { call, continueRequests, needsSignIn, refusals } from './client.ts'
import type { UserProfile } from './types.ts'

/** Where the sign-in is: not yet known, signed out, signed in. */
export const sessionState = signal<'unknown' | 'signed-out' | 'signed-in'>('unknown')

/** Profile and roles of the user. */
export const user = signal<UserProfile | undefined>(undefined)

/** Host of the identity provider; undefined if none is configured. */
export const identityProvider = signal<string | undefined>(undefined)

/** Time when the session ends, in milliseconds since 1970. */
export const sessionEnd = signal<number | undefined>(undefined)

/** Whether the dialog is open because the user asked for it before the session ends. */
const wantsRenewal = signal(false)

/** Whether the sign-in dialog is open over the page. */
export const isDialogOpen = computed(() => needsSignIn.value || wantsRenewal.value)

export function openDialog(): void {
  wantsRenewal.value = true
}

export function closeDialog(): void {
  if (!needsSignIn.value) wantsRenewal.value = false
}

// Another tab signs in or out.
const channel = new BroadcastChannel('quartermaster-session')
channel.addEventListener('message', () => void loadSession())

/** Reads the state of the session, and continues what waits for it. */
export async function loadSession(): Promise<void> {
  const session = await call('GET /auth/session')
  identityProvider.value = session.identity_provider
  if (session.expires_at === undefined) {
    if (sessionState.value === 'unknown') sessionState.value = 'signed-out'
    else if (sessionState.value === 'signed-in') needsSignIn.value = true
    return
  }
  sessionEnd.value = Date.parse(session.expires_at)
  const profile = await call('GET /current-user')
  // What the page shows and what waits for the session is of the earlier user.
  if (user.value && user.value.id !== profile.id) {
    location.reload()
    return
  }
  user.value = profile
  sessionState.value = 'signed-in'
  wantsRenewal.value = false
  continueRequests()
}

let isReadingRoles = false

/** Reads the profile again: a refused request can mean that the roles have changed. */
async function readRoles(): Promise<void> {
  if (isReadingRoles || !user.value) return
  isReadingRoles = true
  try {
    const profile = await call('GET /current-user')
    if (profile.id === user.value.id && !sameJson(profile, user.value)) user.value = profile
  } catch {
    // The page keeps what it knows; the gateway checks each request.
  }
  isReadingRoles = false
}

refusals.subscribe((count) => {
  if (count > 0) void readRoles()
})

/** Exchanges an API token for a session; throws if the token is refused. */
export async function signIn(token: string): Promise<void> {
  await call('POST /auth/session', { body: { token } })
  await loadSession()
  channel.postMessage('signed in')
}

/** Deletes the session, and everything that the page knows. */
export async function signOut(): Promise<void> {
  await call('DELETE /auth/session')
  channel.postMessage('signed out')
  location.reload()
}
