import type { AccessToken } from '../../operator/api/access.ts'
import type { Signer } from './signer.ts'

/** An API token with one of its values. */
export interface TokenIdentity {
  readonly name: string
  /** Distinguishes the token from a later one with the same name. */
  readonly uid: string
  /** First digits of the SHA-256 of the value, which is replaced in place. */
  readonly digest: string
}

/** User of a session, and the API token that started it, if any. The session ends with the token. */
export interface Session {
  readonly userName: string
  /** Distinguishes the user from a later one with the same name. */
  readonly userUid: string
  /** Undefined for a sign-in with the identity provider. */
  readonly token?: TokenIdentity
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** What a session is opened for. */
export type SessionUser = Omit<Session, 'expiresAt'>

/** Stateless sessions: signed tokens. */
export interface Sessions {
  /** Signs a session that ends after eight hours, or at `end` if that is earlier. */
  open(session: SessionUser, end?: number): Promise<OpenSession>
  /** Returns the session of a token; undefined if the token is not valid or expired. */
  read(token: string): Promise<Session | undefined>
}

/** A new session. */
export interface OpenSession {
  readonly token: string
  readonly expiresAt: number
  /** Remaining lifetime. */
  readonly seconds: number
}

/** Returns the identity of an API token and its current value. */
export function tokenIdentity({ metadata, spec }: Pick<AccessToken, 'metadata' | 'spec'>): TokenIdentity {
  return { name: metadata.name, uid: metadata.uid, digest: spec.sha256.slice(0, 16) }
}

const sessionMs = 8 * 3600 * 1000

const kind = { audience: 'quartermaster-gateway', type: 'JWT' } as const

/** Creates sessions with a signer. */
export function createSessions(signer: Signer, now: () => number): Sessions {
  return {
    async open({ userName, userUid, token: begunWith }, end = Number.POSITIVE_INFINITY) {
      const begin = Math.floor(now() / 1000) * 1000
      const expiresAt = Math.floor(Math.min(begin + sessionMs, end) / 1000) * 1000
      // An explicit null marks sessions without an API token, so a token without the claim is not valid.
      const { name = null, uid, digest } = begunWith ?? {}
      const claims = {
        sub: userName,
        user_uid: userUid,
        token_name: name,
        token_uid: uid,
        token_digest: digest,
      }
      const token = await signer.sign(kind, claims, expiresAt)
      return { token, expiresAt, seconds: Math.max(0, Math.floor((expiresAt - now()) / 1000)) }
    },
    async read(token) {
      const {
        sub: userName,
        user_uid: userUid,
        token_name: name,
        token_uid: uid,
        token_digest: digest,
        exp: expirySeconds,
      } = (await signer.read(kind, token)) ?? {}
      if (typeof userName !== 'string' || typeof userUid !== 'string') return undefined
      if (typeof expirySeconds !== 'number') return undefined
      const session = { userName, userUid, expiresAt: expirySeconds * 1000 }
      if (name === null) return session
      if (typeof name !== 'string' || typeof uid !== 'string' || typeof digest !== 'string') return undefined
      return { ...session, token: { name, uid, digest } }
    },
  }
}
