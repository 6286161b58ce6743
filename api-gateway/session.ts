import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { sessionKeySecret, systemNamespace } from '../operator/api/names.ts'
import { Problem } from '../operator/domain/errors.ts'
import type { KubeClient } from '../operator/kube/client.ts'
import { readObject } from '../operator/kube/cluster.ts'
import { secretResource } from '../operator/kube/resource.ts'
import type { Log } from '../operator/log.ts'

/** Whose session it is, and the API token that began it and whose end is its own. */
export interface Session {
  readonly userName: string
  /** Tells a user from a later one of the same name. */
  readonly userUid: string
  readonly tokenName: string
}

/** Sessions: signed statements that nothing keeps. */
export interface Sessions {
  /** Signs a session that ends after eight hours, or at `end` when that is earlier. */
  open(session: Session, end?: number): Promise<{ readonly token: string; readonly expiresAt: number }>
  /** The session that a token states; undefined when it is not ours, or over. */
  read(token: string): Promise<Session | undefined>
}

interface Keys {
  readonly signing: KeyObject
  readonly verifying: KeyObject
}

const sessionSeconds = 8 * 3600

const algorithm = 'EdDSA'
const issuer = 'quartermaster'
const audience = 'quartermaster-gateway'
/** A new key takes effect within this time. */
const keptMs = 30_000
/** A key that is missing is looked for again after this time. */
const missingMs = 1000

/** Sessions under a key that is read when it is needed, and again from time to time. */
export function createSessions(
  readKey: () => Promise<string | undefined>,
  log: Log,
  now: () => number,
): Sessions {
  const keys = keepKeys(readKey, log, now)

  return {
    async open({ userName, userUid, tokenName }, end = Number.POSITIVE_INFINITY) {
      const { signing } = (await keys()) ?? {}
      if (!signing) throw new Problem('Internal', `the key of sessions, ${secretText}, is missing`)
      const begin = Math.floor(now() / 1000)
      const expiry = Math.min(begin + sessionSeconds, Math.floor(end / 1000))
      const token = await new SignJWT({ user_uid: userUid, token_name: tokenName })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setSubject(userName)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(begin)
        .setExpirationTime(expiry)
        .sign(signing)
      return { token, expiresAt: expiry * 1000 }
    },
    async read(token) {
      if (token.split('.').length !== 3) return undefined
      const { verifying } = (await keys()) ?? {}
      if (!verifying) return undefined
      try {
        const { payload } = await jwtVerify(token, verifying, {
          algorithms: [algorithm],
          issuer,
          audience,
          typ: 'JWT',
          requiredClaims: ['sub', 'iat', 'exp'],
          currentDate: new Date(now()),
        })
        const { sub: userName = '', user_uid: userUid, token_name: tokenName } = payload
        if (typeof userUid !== 'string' || typeof tokenName !== 'string') return undefined
        return { userName, userUid, tokenName }
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

const secretText = `in the Secret '${sessionKeySecret.name}' of '${systemNamespace}'`

/** The keys as last read; many requests at once read them once. */
function keepKeys(readKey: () => Promise<string | undefined>, log: Log, now: () => number) {
  let known: { readonly keys: Keys | undefined; readonly readAt: number } | undefined
  let reading: Promise<Keys | undefined> | undefined

  async function read(): Promise<Keys | undefined> {
    try {
      const pem = await readKey()
      const keys = pem === undefined ? undefined : parseKeys(pem)
      if (!keys) log.warn('there is no Ed25519 key of sessions', { secret: sessionKeySecret.name })
      known = { keys, readAt: now() }
    } catch (error) {
      // While the cluster cannot be reached, the key that is known stays.
      if (!known?.keys) throw error
      log.warn('the key of sessions could not be read', { error })
      known = { keys: known.keys, readAt: now() }
    }
    return known.keys
  }

  return async (): Promise<Keys | undefined> => {
    const age = known ? Math.abs(now() - known.readAt) : Number.POSITIVE_INFINITY
    if (known && age < (known.keys ? keptMs : missingMs)) return known.keys
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}

/** The keys in a PEM; undefined when it holds none that may sign. */
function parseKeys(pem: string): Keys | undefined {
  try {
    const signing = createPrivateKey(pem)
    return signing.asymmetricKeyType === 'ed25519'
      ? { signing, verifying: createPublicKey(signing) }
      : undefined
  } catch {
    // What the parser says may quote the key.
    return undefined
  }
}

/** Reads the key of sessions by the exact name of its Secret. */
export async function readSessionKey(client: KubeClient): Promise<string | undefined> {
  const secret = await readObject(client, secretResource, systemNamespace, sessionKeySecret.name)
  const data = secret?.['data'] as Record<string, string> | undefined // a Secret
  const content = data?.[sessionKeySecret.key]
  return content === undefined ? undefined : Buffer.from(content, 'base64').toString()
}
