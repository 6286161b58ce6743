import type { OidcSettings } from '../settings.ts'
import { contentPolicy, escapeHtml, htmlPage } from './html.ts'

// Without JavaScript the form sends nothing, because other sites could send the same form.
const script = `
const form = document.querySelector('form')
const output = document.querySelector('output')
// Tabs of the portal look at the session again.
const announce = (what) => new BroadcastChannel('quartermaster-session').postMessage(what)
const send = async (method, body) => {
  output.textContent = 'Please wait …'
  try {
    const headers = body ? { 'content-type': 'application/json' } : {}
    const response = await fetch('session', { method, headers, body: body && JSON.stringify(body) })
    output.textContent = await messageFor(response)
    if (response.ok) announce(method === 'POST' ? 'signed in' : 'signed out')
  } catch {
    output.textContent = 'The gateway cannot be reached. Try again.'
  }
}
const messageFor = async (response) => {
  if (response.status === 204) return 'You are signed out. The session cookie has been deleted.'
  const body = await response.json()
  if (response.ok)
    return 'You are signed in. The session expires at ' + new Date(body.expires_at).toLocaleString() + '.'
  if (response.status === 429)
    return 'Too many attempts. Try again in ' + (response.headers.get('retry-after') || 'some') + ' seconds.'
  return 'Sign-in failed: ' + body.message + '.'
}
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const token = form.elements.token.value.trim()
  form.reset()
  return send('POST', { token })
})
document.querySelector('#end').addEventListener('click', () => send('DELETE'))
if (location.hash === '#signed-in') {
  output.textContent = 'You are signed in. The session expires in eight hours.'
  // The portal continues in its tab, or where the sign-in began.
  announce('signed in')
  const target = sessionStorage.getItem('return-to')
  sessionStorage.removeItem('return-to')
  if (target && URL.canParse(target) && new URL(target).origin === location.origin) location.replace(target)
}
`

/** Content security policy of the sign-in page. */
export const signInPolicy = contentPolicy(script)

/** Page where a human user exchanges an API token for a session cookie or follows the link to the identity provider. */
export function signInPage(oidc: Provider | undefined): string {
  return htmlPage('Sign in – Quartermaster', contentOf(oidc), script)
}

/** Identity provider and public URL of the gateway. */
type Provider = Pick<OidcSettings, 'issuer' | 'publicUrl'>

function linkTo({ issuer, publicUrl }: Provider): string {
  // Uses the public URL, because the cookies of the sign-in belong to its host.
  const { href } = new URL('auth/oidc', publicUrl)
  return `<p><a href="${escapeHtml(href)}">Sign in with ${escapeHtml(new URL(issuer).host)}</a></p>\n`
}

function contentOf(oidc: Provider | undefined): string {
  return `<main>
<h1>Sign in</h1>
${oidc ? linkTo(oidc) : ''}<p>Enter an API token to start a session. The session lasts eight hours, or until the token expires. The page does not store the token.</p>
<form method="post">
<label for="token">API token</label>
<input id="token" name="token" type="password" required maxlength="1024" autocomplete="off" spellcheck="false" autofocus>
<button>Sign in</button>
<button id="end" type="button">Sign out</button>
</form>
<output role="status" for="token"></output>
<p><a href="../">Open the portal</a></p>
<noscript><p>This page requires JavaScript. Without it, use <code>POST /auth/session</code>.</p></noscript>
</main>`
}
