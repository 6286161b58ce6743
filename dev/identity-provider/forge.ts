import { createHmac, type KeyObject } from 'node:crypto'
import { decodeJwt, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import type { TokenDeed } from './rules.ts'

/** The key that the provider signs with. */
export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

type Forge = (claims: JWTPayload, key: SigningKey) => string | Promise<string>

const forges: Readonly<Record<TokenDeed, Forge>> = {
  nonce: (claims, key) => signed({ ...claims, nonce: 'another' }, key),
  'no-nonce': ({ nonce: _nonce, ...claims }, key) => signed(claims, key),
  audience: (claims, key) => signed({ ...claims, aud: 'another' }, key),
  issuer: (claims, key) => signed({ ...claims, iss: 'https://another.example.test' }, key),
  expired: (claims, key) => signed({ ...claims, iat: 1_000_000_000, exp: 1_000_000_060 }, key),
  async signature(claims, { id }) {
    const { privateKey } = await generateKeyPair('ES256')
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: id }).sign(privateKey)
  },
  none: (claims) => new UnsecuredJWT(claims).encode(),
  hs256(claims, { id, publicKey }) {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const content = `${encode({ alg: 'HS256', kid: id })}.${encode(claims)}`
    const secret = publicKey.export({ type: 'spki', format: 'pem' })
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
  },
}

function signed(claims: JWTPayload, { id, privateKey }: SigningKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: id }).sign(privateKey)
}

/** The statement with something wrong about it. */
export function forged(deed: TokenDeed, token: string, key: SigningKey): string | Promise<string> {
  return forges[deed](decodeJwt(token), key)
}
