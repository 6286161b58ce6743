import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { checkCertificate } from '../../../operator/domain/secret/certificate.ts'
import { type CertificateOptions, type Made, makeCertificate, pemOf } from '../../support/certificates.ts'
import { stepsOf } from '../../support/steps.ts'

const domain = 'example.test'
const wildcard = `*.${domain}`
const now = Date.parse('2026-06-01T00:00:00Z')

interface Pem {
  readonly crt: string
  readonly key: string
}

let root: Made
let issuer: Made
let good: Made
let other: Made

beforeAll(async () => {
  root = await makeCertificate({ commonName: 'root' })
  issuer = await makeCertificate({ commonName: 'issuer', issuer: root })
  good = await makeCertificate({ names: [wildcard], issuer })
  other = await makeCertificate({ names: ['*.other.test'] })
})

function outcome(pem: Pem, changes: { domain?: string; now?: number } = {}) {
  return checkCertificate({ domain, now, ...pem, ...changes })
}

async function made(options: CertificateOptions): Promise<Made> {
  return makeCertificate({ names: [wildcard], ...options })
}

describe('a certificate is taken', () => {
  test.each<[rule: string, pem: () => Promise<Pem> | Pem]>([
    ['with the wildcard among its alternative names', () => made({ names: ['www.other.test', wildcard] })],
    ['in any case of the name', () => made({ names: ['*.EXAMPLE.test'] })],
    ['with an RSA key', () => made({ algorithm: 'rsa' })],
    ['with an Ed25519 key', () => made({ algorithm: 'ed25519' })],
    ['alone, without its issuers', () => good],
    ['with its issuer', () => ({ ...good, crt: good.crt + issuer.crt })],
    ['with all of its issuers', () => ({ ...good, crt: good.crt + issuer.crt + root.crt })],
    [
      'with remarks between the blocks',
      () => ({ crt: `remark\n${good.crt}\nremark\n${issuer.crt}`, key: `remark\n${good.key}` }),
    ],
    ['with a key in the older form', () => ({ ...good, key: olderForm(good.key) })],
  ])('%s', async (_, pem) => {
    expect(outcome(await pem())).toEqual({ problems: [], warnings: [] })
  })

  test('with a warning, when its common name alone is the wildcard', async () => {
    const { problems, warnings } = outcome(await makeCertificate({ commonName: wildcard }))
    expect(problems).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('common name')])
  })

  test('for a domain in any spelling', () => {
    expect(outcome(good, { domain: 'Example.TEST.' }).problems).toEqual([])
  })
})

describe('a certificate is refused', () => {
  test.each<[rule: string, pem: () => Promise<Pem> | Pem, fault: string]>([
    ['for another domain', () => other, "'*.other.test'"],
    ['for the domain itself alone', () => made({ names: [domain] }), `'${domain}'`],
    ['for one name of the domain', () => made({ names: [`www.${domain}`] }), `'www.${domain}'`],
    ['for a deeper wildcard', () => made({ names: [`*.a.${domain}`] }), `'*.a.${domain}'`],
    [
      'for no name at all',
      () => makeCertificate({ commonName: 'x' }),
      `is not for '${wildcard}': it is for 'x'`,
    ],
    [
      'for an address that resembles the name',
      () => makeCertificate({ names: ['a.test'], url: `https://a, DNS:${wildcard}, DNS:b` }),
      "'a.test'",
    ],
    ['expired', () => made({ notAfter: '2026-05-01T00:00:00Z' }), "expired at '2026-05-01T00:00:00Z'"],
    ['not yet valid', () => made({ notBefore: '2026-07-01T00:00:00Z' }), "before '2026-07-01T00:00:00Z'"],
    [
      'whose issuer has expired',
      async () => {
        const old = await makeCertificate({ commonName: 'old', notAfter: '2026-02-01T00:00:00Z' })
        const leaf = await made({ issuer: old })
        return { ...leaf, crt: leaf.crt + old.crt }
      },
      "certificate 2 of 'tls.crt' expired",
    ],
    ['with the key of another one', () => ({ ...good, key: other.key }), "does not match 'tls.crt'"],
    ['with its issuer before it', () => ({ ...good, crt: issuer.crt + good.crt }), 'did not issue'],
    [
      'with an issuer missing between',
      () => ({ ...good, crt: good.crt + root.crt }),
      "certificate 2 of 'tls.crt' did not issue",
    ],
    [
      'with an issuer of the right name and another key',
      async () => ({
        ...good,
        crt: good.crt + (await makeCertificate({ commonName: 'issuer', issuer: root })).crt,
      }),
      'did not issue',
    ],
    ['with more than ten certificates', () => ({ ...good, crt: good.crt.repeat(11) }), 'more than 10'],
    ['empty', () => ({ crt: '', key: good.key }), 'contains no certificate'],
    ['without PEM', () => ({ ...good, crt: 'a certificate' }), 'contains no certificate'],
    ['cut off', () => ({ ...good, crt: good.crt.slice(0, 300) }), 'contains no certificate'],
    ['with an invalid block', () => ({ ...good, crt: block('CERTIFICATE', 'aGVsbG8=') }), 'cannot be read'],
    ['with its key beside it', () => ({ ...good, crt: good.crt + good.key }), 'not certificates'],
    ['without a key', () => ({ ...good, key: '' }), 'contains no private key'],
    ['with a certificate as its key', () => ({ ...good, key: good.crt }), 'contains no private key'],
    [
      'with an invalid key',
      () => ({ ...good, key: block('PRIVATE KEY', 'aGVsbG8=') }),
      "'tls.key' cannot be read",
    ],
    ['with an encrypted key', () => ({ ...good, key: encrypted(good.key) }), 'encrypted'],
    [
      'with a key of an unusual kind',
      () => ({ ...good, key: unusualKey() }),
      'must be of type rsa, ec, ed25519',
    ],
    ['too long', () => ({ ...good, crt: good.crt + ' '.repeat(65_536) }), "'tls.crt' is longer"],
    ['with a key too long', () => ({ ...good, key: good.key + ' '.repeat(65_536) }), "'tls.key' is longer"],
  ])('%s', async (_, pem, fault) => {
    const given = await pem()
    const { problems } = outcome(given)
    expect(problems).not.toEqual([])
    expect(problems.join('\n')).toContain(fault)
    expect(shows(problems.join('\n'), given)).toBe(false)
  })
})

test.each([
  ['garbage', 'x'.repeat(856_000)],
  ['the beginnings of blocks', '-----BEGIN CERTIFICATE-----\n'.repeat(2300)],
  ['many small blocks', block('CERTIFICATE', 'MA==').repeat(1100)],
  ['a beginning and many ends', `-----BEGIN ${'-----END '.repeat(7000)}`],
  ['one large block', block('CERTIFICATE', `MII${'A'.repeat(64_000)}`)],
])('is refused in fewer steps than it has characters: %s', (_, text) => {
  outcome(good) // the library is loaded
  const judge = () => expect(outcome({ crt: text, key: text }).problems).not.toEqual([])
  expect(stepsOf(judge)).toBeLessThan(text.length)
})

function block(label: string, text: string): string {
  return `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`
}

function encrypted(key: string): string {
  return pemOf(createPrivateKey(key), 'secret')
}

function olderForm(key: string): string {
  return String(createPrivateKey(key).export({ type: 'sec1', format: 'pem' }))
}

function unusualKey(): string {
  return pemOf(generateKeyPairSync('x25519').privateKey)
}

/** Whether a message contains any line of the certificate or key. */
function shows(message: string, { crt, key }: Pem): boolean {
  const lines = `${crt}\n${key}`
    .split('\n')
    .map((line) => line.trim().slice(0, 40))
    .filter((line) => line.length > 7 && !line.startsWith('-----'))
  return lines.some((line) => message.includes(line))
}
