import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { sessionKeySecret, systemNamespace } from '../../operator/api/names.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import type { KubeClient } from '../../operator/kube/client/client.ts'
import { readObject } from '../../operator/kube/client/read-object.ts'
import { secretResource } from '../../operator/kube/client/resource.ts'
import type { Log } from '../../operator/log.ts'

/** A kind of signed token; one kind is never accepted as another. */
export interface TokenKind {
  readonly audience: string
  /** Media type in the header `typ`. */
  readonly type: string
}

/** Signs and verifies tokens. */
export interface Signer {
  /** Signs claims until `end`, in milliseconds since 1970. */
  sign(kind: TokenKind, claims: JWTPayload, end: number): Promise<string>
  /** Returns the claims of a token; undefined if it is not valid, of another kind or expired. */
  read(kind: TokenKind, token: string): Promise<JWTPayload | undefined>
}

interface Keys {
  readonly signing: KeyObject
  readonly verifying: KeyObject
}

const algorithm = 'EdDSA'
const issuer = 'quartermaster'
/** Maximum time until a new key takes effect. */
const cacheMs = 30_000
/** Pause before a missing key is read again. */
const missingKeyRetryMs = 1000

/** Creates a signer that reads its key on use and refreshes it. */
export function createSigner(
  readKey: () => Promise<string | undefined>,
  log: Log,
  now: () => number,
): Signer {
  const keys = cacheKeys(readKey, log, now)

  return {
    async sign({ audience, type }, claims, end) {
      const { signing } = (await keys()) ?? {}
      if (!signing) throw new Problem('Internal', `the session key ${secretText} is missing`)
      return new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(Math.floor(now() / 1000))
        .setExpirationTime(Math.floor(end / 1000))
        .sign(signing)
    },
    async read({ audience, type }, token) {
      if (token.split('.').length !== 3) return undefined
      const { verifying } = (await keys()) ?? {}
      if (!verifying) return undefined
      try {
        const { payload } = await jwtVerify(token, verifying, {
          algorithms: [algorithm],
          issuer,
          audience,
          typ: type,
          requiredClaims: ['iat', 'exp'],
          currentDate: new Date(now()),
        })
        return payload
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

const secretText = `in the Secret '${sessionKeySecret.name}' of '${systemNamespace}'`

/** Caches the keys; concurrent requests share one read. */
function cacheKeys(readKey: () => Promise<string | undefined>, log: Log, now: () => number) {
  let cached: { readonly keys: Keys | undefined; readonly readAt: number } | undefined
  let reading: Promise<Keys | undefined> | undefined

  async function read(): Promise<Keys | undefined> {
    try {
      const pem = await readKey()
      const keys = pem === undefined ? undefined : parseKeys(pem)
      if (!keys) log.warn('no Ed25519 session key found', { secret: sessionKeySecret.name })
      cached = { keys, readAt: now() }
    } catch (error) {
      // Keeps the cached key while the cluster is unavailable.
      if (!cached?.keys) throw error
      log.warn('the session key cannot be read', { error })
      cached = { keys: cached.keys, readAt: now() }
    }
    return cached.keys
  }

  return async (): Promise<Keys | undefined> => {
    const age = cached ? Math.abs(now() - cached.readAt) : Number.POSITIVE_INFINITY
    if (cached && age < (cached.keys ? cacheMs : missingKeyRetryMs)) return cached.keys
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}

/** Parses the keys; undefined if the PEM has no Ed25519 private key. */
function parseKeys(pem: string): Keys | undefined {
  try {
    const signing = createPrivateKey(pem)
    return signing.asymmetricKeyType === 'ed25519'
      ? { signing, verifying: createPublicKey(signing) }
      : undefined
  } catch {
    // The message of the parser may quote the key.
    return undefined
  }
}

/** Reads the session key by the name of its Secret. */
export async function readSessionKey(client: KubeClient): Promise<string | undefined> {
  const secret = await readObject(client, secretResource, systemNamespace, sessionKeySecret.name)
  const data = secret?.['data'] as Record<string, string> | undefined // the object is a Secret
  const content = data?.[sessionKeySecret.key]
  return content === undefined ? undefined : Buffer.from(content, 'base64').toString()
}
