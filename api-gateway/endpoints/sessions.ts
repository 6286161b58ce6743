import { object, string, time } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { holderOf } from '../authenticate.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { htmlAnswer } from '../pages/html.ts'
import { signInPage, signInPolicy } from '../pages/sign-in.ts'
import { errorShape } from '../shapes.ts'

const tag = 'Sessions'
const loopbackPattern = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/** The cookie from which people take their session token; no request is let in by it. */
function cookie(value: string, seconds: number, host: string | undefined): string {
  const parts = [`token=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax']
  // Not every browser keeps a secure cookie of this very machine, where nothing can listen in.
  const isLoopback = host !== undefined && loopbackPattern.test(host)
  return [...parts, ...(isLoopback ? [] : ['Secure'])].join('; ')
}

/** Sessions of humans. */
export const sessions: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/auth/sign-in',
    summary: 'Begin or end a session in a browser',
    tag,
    access: 'public',
    responses: {
      200: string('A page that sends `POST` and `DELETE` to `/auth/session`.', { maxLength: 65_536 }),
    },
    textType: 'text/html',
    handle: () => htmlAnswer(signInPage, signInPolicy),
  }),
  endpoint({
    method: 'post',
    path: '/auth/session',
    summary: 'Exchange an API token of a human for a session token of eight hours, in the cookie `token` too',
    tag,
    access: 'public',
    isLimited: true,
    body: object({ token: string('An API token.') }, {}, 'Who begins a session.'),
    responses: {
      200: object(
        { token: string('The session token.', { maxLength: 4096 }), expires_at: time('When it ends.') },
        {},
        'A session.',
      ),
      403: errorShape,
      429: errorShape,
    },
    async handle({ body, header }, { cluster: { store }, sessions: signed, now }) {
      if (!store.synced) throw new Problem('Internal', 'the gateway is starting')
      const { user, token } = holderOf(body.token, store, now()) ?? {}
      if (!user || !token) throw new Problem('Forbidden', 'the token does not grant access')
      if (user.spec.type !== 'human')
        throw new Problem('Forbidden', 'sessions are for humans; a service sends its API token')
      const { expirationTime } = token.spec
      const session = await signed.open(
        { userName: user.metadata.name, userUid: user.metadata.uid ?? '', tokenName: token.metadata.name },
        expirationTime === undefined ? undefined : Date.parse(expirationTime),
      )
      const seconds = Math.max(0, Math.floor((session.expiresAt - now()) / 1000))
      return {
        status: 200,
        actor: user.metadata.name,
        body: { token: session.token, expires_at: new Date(session.expiresAt).toISOString() },
        headers: { 'set-cookie': cookie(session.token, seconds, header('host')) },
      }
    },
  }),
  endpoint({
    method: 'delete',
    path: '/auth/session',
    summary: 'Take the cookie of a session away',
    tag,
    access: 'public',
    responses: { 204: undefined },
    handle: ({ header }) => ({
      status: 204,
      headers: { 'set-cookie': cookie('', 0, header('host')) },
    }),
  }),
]
