import 'reflect-metadata'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const hourMs = 3600 * 1000
const lifetimeMs = 10 * 365 * 24 * hourMs
const certificateLifetimeMs = 365 * 24 * hourMs

/** A certificate authority of this checkout, `ca.crt` and `ca.key`, made once. */
export async function ensureDevelopmentAuthority(directory: string): Promise<void> {
  const [certificateFile, keyFile] = [join(directory, 'ca.crt'), join(directory, 'ca.key')]
  if (existsSync(certificateFile) && existsSync(keyFile)) return
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Quartermaster development CA',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(),
    notAfter: new Date(Date.now() + lifetimeMs),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  await writeFile(keyFile, await pemOf(keys.privateKey), { mode: 0o600 })
  await writeFile(certificateFile, `${certificate.toString('pem')}\n`)
}

/** A certificate and its key, in PEM, that the authority in `directory` issues for these DNS names and IP addresses. */
export async function issueCertificate(
  directory: string,
  names: readonly string[],
): Promise<{ readonly crt: string; readonly key: string }> {
  const issuer = new X509Certificate(await readFile(join(directory, 'ca.crt'), 'utf8'))
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    PemConverter.decodeFirst(await readFile(join(directory, 'ca.key'), 'utf8')),
    algorithm,
    false,
    ['sign'],
  )
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${names[0] ?? ''}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - hourMs),
    notAfter: new Date(Date.now() + certificateLifetimeMs),
    extensions: [
      new BasicConstraintsExtension(false),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value })),
      ),
    ],
  })
  return { crt: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

/** A client certificate that is its own authority, and its key, in PEM. */
export async function selfSignedCertificate(
  name: string,
): Promise<{ readonly crt: string; readonly key: string }> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - hourMs),
    notAfter: new Date(Date.now() + certificateLifetimeMs),
  })
  return { crt: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

async function pemOf(key: Parameters<typeof crypto.subtle.exportKey>[1]): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), PemConverter.PrivateKeyTag)}\n`
}
