import type { KubeObject } from '../api/kind.ts'
import { Stalled } from '../domain/base/errors.ts'
import { checkCertificate } from '../domain/secret/certificate.ts'

/** A certificate and its key in PEM, as in a Secret of type `kubernetes.io/tls`. */
export interface TlsPair {
  readonly 'tls.crt': string
  readonly 'tls.key': string
}

/** Throws Stalled when a certificate is not valid for the names below a domain. */
export function refuseBadCertificate(
  { 'tls.crt': crt, 'tls.key': key }: TlsPair,
  domain: string,
  now: number,
) {
  const { problems } = checkCertificate({ crt, key, domain, now })
  if (problems.length > 0) throw new Stalled('InvalidCertificate', problems.join('; '))
}

/** The Secret with the certificate of a resource; its name is an output. */
export function tlsSecret(guResId: string, namespace: string, tls: TlsPair): KubeObject {
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${guResId}-tls`, namespace },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': encoded(tls['tls.crt']), 'tls.key': encoded(tls['tls.key']) },
  }
}
