import { object, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { findSession, findTokenUser, staleCacheReason } from '../../authenticate.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { htmlAnswer } from '../../pages/html.ts'
import { signInPage, signInPolicy } from '../../pages/sign-in.ts'
import { hostHeader, setCookieHeader } from '../../request/parameters.ts'
import { errorShape } from '../../response/shapes.ts'
import { readCookie, sessionCookie } from '../../sign-in/cookies.ts'
import { tokenIdentity } from '../../sign-in/session.ts'

const tag = 'Sessions'

const sessionStateShape = object(
  {},
  {
    expires_at: time('Time when the session expires. Absent without a valid session.'),
    identity_provider: string('Host of the identity provider. Absent if none is configured.', {
      maxLength: 253,
    }),
  },
  'The session of the cookie `token`, and how to sign in.',
)

/** Sessions of human users. */
export const sessions: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/auth/sign-in',
    summary: 'Open the sign-in page',
    tag,
    access: 'public',
    responses: {
      200: string('HTML page that creates and deletes sessions.', { maxLength: 65_536 }),
    },
    textType: 'text/html',
    handle: (_call, { settings: { oidc } }) => htmlAnswer(signInPage(oidc), signInPolicy),
  }),
  endpoint({
    method: 'get',
    path: '/auth/session',
    summary: 'Get the session of the cookie `token`, and the host of the identity provider',
    tag,
    access: 'public',
    headers: { Cookie: string('Cookies, among them `token`.', { maxLength: 16_384 }) },
    responses: { 200: sessionStateShape, 429: errorShape },
    async handle({ header }, { cluster, sessions: signed, settings: { oidc }, now }) {
      const staleReason = staleCacheReason(cluster.store)
      if (staleReason !== undefined) throw new Problem('Internal', staleReason)
      const session = await findSession(readCookie(header('cookie'), 'token') ?? '', {
        cluster,
        sessions: signed,
        now,
      })
      return ok({
        expires_at: session && new Date(session.expiresAt).toISOString(),
        identity_provider: oidc && new URL(oidc.issuer).host,
      })
    },
  }),
  endpoint({
    method: 'post',
    path: '/auth/session',
    summary: 'Exchange an API token of a human user for a session token that is valid for eight hours',
    tag,
    access: 'public',
    headers: hostHeader,
    body: object({ token: string('An API token.') }, {}, 'Request for a session.'),
    responses: {
      200: object(
        {
          token: string('The session token.', { maxLength: 4096 }),
          expires_at: time('Time when the session expires.'),
        },
        {},
        'A session.',
      ),
      403: errorShape,
      429: errorShape,
    },
    responseHeaders: setCookieHeader,
    async handle({ body, header }, { cluster: { store }, sessions: signed, now }) {
      const staleReason = staleCacheReason(store)
      if (staleReason !== undefined) throw new Problem('Internal', staleReason)
      const { user, token } = findTokenUser(body.token, store, now()) ?? {}
      if (!user || !token) throw new Problem('Forbidden', 'the token does not grant access')
      if (user.spec.type !== 'human')
        throw new Problem(
          'Forbidden',
          'only human users can have sessions; a service user sends its API token',
        )
      const { expirationTime } = token.spec
      const session = await signed.open(
        { userName: user.metadata.name, userUid: user.metadata.uid, token: tokenIdentity(token) },
        expirationTime === undefined ? undefined : Date.parse(expirationTime),
      )
      return {
        status: 200,
        actor: user.metadata.name,
        body: { token: session.token, expires_at: new Date(session.expiresAt).toISOString() },
        headers: { 'set-cookie': sessionCookie(session.token, session.seconds, header('host')) },
      }
    },
  }),
  endpoint({
    method: 'delete',
    path: '/auth/session',
    summary: 'Delete the session cookie',
    tag,
    access: 'public',
    headers: hostHeader,
    responses: { 204: undefined, 429: errorShape },
    responseHeaders: setCookieHeader,
    handle: ({ header }) => ({
      status: 204,
      headers: { 'set-cookie': sessionCookie('', 0, header('host')) },
    }),
  }),
]
