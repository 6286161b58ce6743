import 'reflect-metadata'
import { readFile } from 'node:fs/promises'
import type { ServerOptions } from 'node:https'
import { join } from 'node:path'
import { PemConverter, X509Certificate } from '@peculiar/x509'
import { issueCertificate } from '../../../../dev/development-authority.ts'
import { type Made, makeCertificate } from '../../../support/certificates.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

/** Servers that must not be trusted, by their defect, although their name is `localhost`. */
export async function untrustedServers(directory: string): Promise<Readonly<Record<string, ServerOptions>>> {
  const names = ['localhost']
  const trusted = await issueCertificate(directory, names)
  const past = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2020-02-01T00:00:00Z' }
  const expired = await makeCertificate({ names, ...past, issuer: await authorityIn(directory) })
  const of = ({ crt, key }: { readonly crt: string; readonly key: string }) => ({ cert: crt, key })
  const old = { ...of(trusted), minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  return {
    'self-signed': of(await makeCertificate({ names })),
    expired: of(expired),
    'for another host': of(await issueCertificate(directory, ['hooks.example.test'])),
    'of TLS 1.0': { ...old, maxVersion: 'TLSv1' },
    'of TLS 1.1': { ...old, maxVersion: 'TLSv1.1' },
  }
}

/** The development authority as an issuer. */
async function authorityIn(directory: string): Promise<Made> {
  const [crt, key] = await Promise.all(
    ['ca.crt', 'ca.key'].map((name) => readFile(join(directory, name), 'utf8')),
  )
  const privateKey = await crypto.subtle.importKey(
    'pkcs8',
    PemConverter.decodeFirst(key ?? ''),
    algorithm,
    false,
    ['sign'],
  )
  const certificate = new X509Certificate(crt ?? '')
  // Only the private key issues.
  return { certificate, keys: { privateKey, publicKey: privateKey }, crt: crt ?? '', key: key ?? '' }
}
