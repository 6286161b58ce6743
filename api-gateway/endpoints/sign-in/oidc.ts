import { string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { staleCacheReason } from '../../authenticate.ts'
import { type Endpoint, endpoint, type Gateway } from '../../endpoint.ts'
import { setCookieHeader } from '../../request/parameters.ts'
import { errorShape } from '../../response/shapes.ts'
import type { OidcSettings } from '../../settings.ts'
import { readCookie, sessionCookie, setCookie } from '../../sign-in/cookies.ts'
import { signInSeconds } from '../../sign-in/oidc.ts'
import { findHumanUser } from '../../sign-in/oidc-user.ts'

const tag = 'Sessions'
const cookieName = 'sign-in'

/** Cookie with the state of a sign-in. */
function stateCookie(value: string, seconds: number, { publicUrl }: OidcSettings): string {
  const { pathname: path, host } = new URL('auth', publicUrl)
  return setCookie({ name: cookieName, value, path, seconds, host })
}

function configured({ oidc, settings }: Gateway) {
  if (!oidc || !settings.oidc)
    throw new Problem('NotFound', 'sign-in with an identity provider is not configured')
  return { oidc, settings: settings.oidc }
}

/** Query parameters of the callback. Percent-encoded, they fit into the header size limit. */
const answerFields = {
  code: string('Authorization code.', { maxLength: 4096 }),
  state: string('State parameter of the authorization request.', { maxLength: 128 }),
  iss: string('Issuer identifier of the identity provider.', { maxLength: 512 }),
  error: string('Error code of the identity provider.', { maxLength: 128 }),
}

function answerIn(query: Readonly<Partial<Record<string, string>>>): URLSearchParams {
  const answer = new URLSearchParams()
  for (const name of Object.keys(answerFields)) {
    const value = query[name]
    if (value !== undefined) answer.set(name, value)
  }
  return answer
}

const locationHeader = { Location: string('Address that the browser is redirected to.', { maxLength: 4096 }) }

/** Sign-in with the identity provider. */
export const oidc: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/auth/oidc',
    summary: 'Redirect to the identity provider to sign in',
    tag,
    access: 'public',
    responses: { 302: undefined, 404: errorShape },
    responseHeaders: { ...locationHeader, ...setCookieHeader },
    async handle(_call, gateway) {
      const { oidc: provider, settings } = configured(gateway)
      const { location, signedState } = await provider.begin()
      const cookie = stateCookie(signedState, signInSeconds, settings)
      return { status: 302, headers: { location, 'set-cookie': cookie } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/auth/oidc/callback',
    summary: 'Complete the sign-in at the identity provider and set the session cookie `token`',
    tag,
    access: 'public',
    query: answerFields,
    headers: { Cookie: string('Cookies, among them the one that `/auth/oidc` set.', { maxLength: 16_384 }) },
    responses: { 303: undefined, 403: errorShape, 404: errorShape },
    responseHeaders: { ...locationHeader, ...setCookieHeader },
    async handle({ query, header }, gateway) {
      const { oidc: provider, settings } = configured(gateway)
      const { store } = gateway.cluster
      const staleReason = staleCacheReason(store)
      if (staleReason !== undefined) throw new Problem('Internal', staleReason)
      const claims = await provider.finish(answerIn(query), readCookie(header('cookie'), cookieName))
      const { metadata } = findHumanUser(settings.claim, claims, store)
      const session = await gateway.sessions.open({ userName: metadata.name, userUid: metadata.uid })
      const { host, href: location } = new URL('auth/sign-in#signed-in', settings.publicUrl)
      const cookies = [sessionCookie(session.token, session.seconds, host), stateCookie('', 0, settings)]
      return { status: 303, actor: metadata.name, headers: { location, 'set-cookie': cookies } }
    },
  }),
]
