import type { Signer } from './signer.ts'

/** Whose session it is, and the API token that began it, if one did, whose end is its own. */
export interface Session {
  readonly userName: string
  /** Tells a user from a later one of the same name. */
  readonly userUid: string
  /** Undefined when it was begun by the word of the identity provider. */
  readonly tokenName?: string
}

/** Sessions: signed statements that nothing keeps. */
export interface Sessions {
  /** Signs a session that ends after eight hours, or at `end` when that is earlier. */
  open(session: Session, end?: number): Promise<OpenSession>
  /** The session that a token states; undefined when it is not ours, or over. */
  read(token: string): Promise<Session | undefined>
}

/** A session as its user gets it. */
export interface OpenSession {
  readonly token: string
  readonly expiresAt: number
  /** How long it lasts from now on. */
  readonly seconds: number
}

const sessionMs = 8 * 3600 * 1000

const kind = { audience: 'quartermaster-gateway', type: 'JWT' } as const

/** Sessions by the statements of a signer. */
export function createSessions(signer: Signer, now: () => number): Sessions {
  return {
    async open({ userName, userUid, tokenName = null }, end = Number.POSITIVE_INFINITY) {
      const begin = Math.floor(now() / 1000) * 1000
      const expiresAt = Math.floor(Math.min(begin + sessionMs, end) / 1000) * 1000
      // That there is no API token is said, so that a statement which lacks it is none.
      const claims = { sub: userName, user_uid: userUid, token_name: tokenName }
      const token = await signer.sign(kind, claims, expiresAt)
      return { token, expiresAt, seconds: Math.max(0, Math.floor((expiresAt - now()) / 1000)) }
    },
    async read(token) {
      const {
        sub: userName,
        user_uid: userUid,
        token_name: tokenName,
      } = (await signer.read(kind, token)) ?? {}
      if (typeof userName !== 'string' || typeof userUid !== 'string') return undefined
      if (tokenName === null) return { userName, userUid }
      return typeof tokenName === 'string' ? { userName, userUid, tokenName } : undefined
    },
  }
}
