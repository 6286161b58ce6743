import 'reflect-metadata'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const lifetimeMs = 10 * 365 * 24 * 3600 * 1000

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
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const lines = key.match(/.{1,64}/g) ?? []
  await writeFile(keyFile, `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`, {
    mode: 0o600,
  })
  await writeFile(certificateFile, `${certificate.toString('pem')}\n`)
}
