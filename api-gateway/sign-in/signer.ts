import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { sessionKeySecret, systemNamespace } from '../../operator/api/names.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { readObject } from '../../operator/kube/cache/cluster.ts'
import type { KubeClient } from '../../operator/kube/client/client.ts'
import { secretResource } from '../../operator/kube/client/resource.ts'
import type { Log } from '../../operator/log.ts'

/** A sort of signed statement; one is never taken for another. */
export interface StatementKind {
  readonly audience: string
  /** Media type in the header, `typ`. */
  readonly type: string
}

/** Makes and reads signed statements, which nothing keeps. */
export interface Signer {
  /** Signs claims until `end`, in milliseconds since 1970. */
  sign(kind: StatementKind, claims: JWTPayload, end: number): Promise<string>
  /** What a statement of this kind claims; undefined when it is not ours, or over. */
  read(kind: StatementKind, token: string): Promise<JWTPayload | undefined>
}

interface Keys {
  readonly signing: KeyObject
  readonly verifying: KeyObject
}

const algorithm = 'EdDSA'
const issuer = 'quartermaster'
/** A new key takes effect within this time. */
const keptMs = 30_000
/** A key that is missing is looked for again after this time. */
const missingMs = 1000

/** A signer under a key that is read when it is needed, and again from time to time. */
export function createSigner(
  readKey: () => Promise<string | undefined>,
  log: Log,
  now: () => number,
): Signer {
  const keys = keepKeys(readKey, log, now)

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

/** The keys as last read; many requests at once read them once. */
function keepKeys(readKey: () => Promise<string | undefined>, log: Log, now: () => number) {
  let known: { readonly keys: Keys | undefined; readonly readAt: number } | undefined
  let reading: Promise<Keys | undefined> | undefined

  async function read(): Promise<Keys | undefined> {
    try {
      const pem = await readKey()
      const keys = pem === undefined ? undefined : parseKeys(pem)
      if (!keys) log.warn('no Ed25519 session key found', { secret: sessionKeySecret.name })
      known = { keys, readAt: now() }
    } catch (error) {
      // While the cluster cannot be reached, the key that is known stays.
      if (!known?.keys) throw error
      log.warn('the session key cannot be read', { error })
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
