import { string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { staleCacheReason } from '../../authenticate.ts'
import { type Endpoint, endpoint, type Gateway } from '../../endpoint.ts'
import { setCookieHeader } from '../../request/parameters.ts'
import { errorShape } from '../../response/shapes.ts'
import type { OidcSettings } from '../../settings.ts'
import { cookieNames, readCookie, sessionCookie, setCookie } from '../../sign-in/cookies.ts'
import { signInSeconds } from '../../sign-in/oidc.ts'
import { findHumanUser } from '../../sign-in/oidc-user.ts'

const tag = 'Sessions'
/** Sign-ins that one browser has under way. Further ones end the oldest: browsers and servers limit the length of all cookies. */
const mostUnderWay = 4
const cookiePattern = /^sign-in-[\w-]{16}$/

/** Name of the cookie of a sign-in. Each has its own, because tabs of one browser may sign in at the same time. */
function cookieName(state = ''): string {
  return `sign-in-${state.slice(0, 16)}`
}

/** Cookie of a sign-in under way. */
function stateCookie(name: string, value: string, seconds: number, { publicUrl }: OidcSettings): string {
  const { pathname: path, host } = new URL('auth', publicUrl)
  return setCookie({ name, value, path, seconds, host })
}

const cookieHeader = (which: string) => ({
  Cookie: string(`Cookies, among them ${which}.`, { maxLength: 16_384 }),
})

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
    headers: cookieHeader('those of other sign-ins under way'),
    responses: { 302: undefined, 404: errorShape },
    responseHeaders: { ...locationHeader, ...setCookieHeader },
    async handle({ header }, gateway) {
      const { oidc: provider, settings } = configured(gateway)
      const { location, state, signedState } = await provider.begin()
      const ended = cookieNames(header('cookie'), cookiePattern).slice(0, 1 - mostUnderWay)
      const cookies = [
        stateCookie(cookieName(state), signedState, signInSeconds, settings),
        ...ended.map((name) => stateCookie(name, '', 0, settings)),
      ]
      return { status: 302, headers: { location, 'set-cookie': cookies } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/auth/oidc/callback',
    summary: 'Complete the sign-in at the identity provider and set the session cookie `token`',
    tag,
    access: 'public',
    query: answerFields,
    headers: cookieHeader('the one that `/auth/oidc` set'),
    responses: { 303: undefined, 403: errorShape, 404: errorShape },
    responseHeaders: { ...locationHeader, ...setCookieHeader },
    async handle({ query, header }, gateway) {
      const { oidc: provider, settings } = configured(gateway)
      const { store } = gateway.cluster
      const staleReason = staleCacheReason(store)
      if (staleReason !== undefined) throw new Problem('Internal', staleReason)
      const name = cookieName(query.state)
      const claims = await provider.finish(answerIn(query), readCookie(header('cookie'), name))
      const { metadata } = findHumanUser(settings.claim, claims, store)
      const session = await gateway.sessions.open({ userName: metadata.name, userUid: metadata.uid })
      const { host, href: location } = new URL('auth/sign-in#signed-in', settings.publicUrl)
      const cookies = [
        sessionCookie(session.token, session.seconds, host),
        stateCookie(name, '', 0, settings),
      ]
      return { status: 303, actor: metadata.name, headers: { location, 'set-cookie': cookies } }
    },
  }),
]
