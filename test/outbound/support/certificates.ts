import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  type Extension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const hourMs = 3600 * 1000

/** A certificate and its key, both PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

/** An authority that issues certificates of servers. */
export interface Authority {
  readonly cert: string
  issue(host: string, lifetime?: { readonly from: number; readonly to: number }): Promise<Identity>
}

/** A new authority; lifetimes are in hours from now. */
export async function createAuthority(): Promise<Authority> {
  const name = 'CN=An authority'
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    signingAlgorithm: algorithm,
    notBefore: inHours(-48),
    notAfter: inHours(48),
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })
  return {
    cert: certificate.toString('pem'),
    async issue(host, { from, to } = { from: -1, to: 1 }) {
      const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const issued = await X509CertificateGenerator.create({
        subject: `CN=${host}`,
        issuer: name,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        notBefore: inHours(from),
        notAfter: inHours(to),
        extensions: namesOf(host),
      })
      return { cert: issued.toString('pem'), key: await pemOf(own.privateKey) }
    },
  }
}

/** A self-signed certificate. */
export async function selfSigned(host: string): Promise<Identity> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${host}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: inHours(-1),
    notAfter: inHours(1),
    extensions: namesOf(host),
  })
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) }
}

function namesOf(host: string): Extension[] {
  return [new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])]
}

function inHours(hours: number): Date {
  return new Date(Date.now() + hours * hourMs)
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END PRIVATE KEY-----\n`
}
