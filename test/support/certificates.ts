import 'reflect-metadata'
import { type KeyObject, randomBytes, type webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  type Extension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const algorithms = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
  ed25519: { name: 'Ed25519' },
} as const

export interface CertificateOptions {
  readonly names?: readonly string[]
  /** An alternative name that is no DNS name. */
  readonly url?: string
  readonly commonName?: string
  readonly algorithm?: keyof typeof algorithms
  readonly notBefore?: string
  readonly notAfter?: string
  readonly issuer?: Made
}

/** A certificate, its key, and both as PEM. */
export interface Made {
  readonly certificate: X509Certificate
  readonly keys: webcrypto.CryptoKeyPair
  readonly crt: string
  readonly key: string
}

/** A certificate for some names, by default its own issuer. */
export async function makeCertificate({
  names = [],
  url,
  commonName = 'test',
  algorithm = 'ec',
  notBefore = '2026-01-01T00:00:00Z',
  notAfter = '2036-01-01T00:00:00Z',
  issuer,
}: CertificateOptions = {}): Promise<Made> {
  const signingAlgorithm = algorithms[algorithm]
  const keys = (await crypto.subtle.generateKey(signingAlgorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair // of these algorithms it is a pair
  const extensions: Extension[] = [new BasicConstraintsExtension(names.length === 0, undefined, true)]
  const alternatives = [
    ...(url === undefined ? [] : [{ type: 'url' as const, value: url }]),
    ...names.map((value) => ({ type: 'dns' as const, value })),
  ]
  if (alternatives.length > 0) extensions.push(new SubjectAlternativeNameExtension(alternatives))
  const options = {
    serialNumber: `01${randomBytes(8).toString('hex')}`,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    extensions,
  }
  const certificate = issuer
    ? await X509CertificateGenerator.create({
        ...options,
        subject: `CN=${commonName}`,
        issuer: issuer.certificate.subject,
        publicKey: keys.publicKey,
        signingKey: issuer.keys.privateKey,
        signingAlgorithm: algorithms.ec,
      })
    : await X509CertificateGenerator.createSelfSigned({
        ...options,
        name: `CN=${commonName}`,
        keys,
        signingAlgorithm,
      })
  return { certificate, keys, crt: `${certificate.toString('pem')}\n`, key: await pemKey(keys.privateKey) }
}

/** A certificate for all names one label below a domain. */
export async function wildcardCertificate(domain: string): Promise<Made> {
  return makeCertificate({ names: [`*.${domain}`] })
}

async function pemKey(key: webcrypto.CryptoKey): Promise<string> {
  const text = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  const lines = text.match(/.{1,64}/g) ?? []
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`
}

/** A private key as PEM. */
export function pemOf(key: KeyObject, passphrase?: string): string {
  const cipher = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }
  return String(key.export({ type: 'pkcs8', format: 'pem', ...cipher }))
}
