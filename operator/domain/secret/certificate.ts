import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { quotedNames } from '../base/quoted-names.ts'
import type { InputsCheck } from '../resource/driver.ts'

/** A wildcard certificate, and the domain and time to check it for. */
export interface CertificateInputs {
  /** The leaf followed by its issuers, in PEM. */
  readonly crt: string
  /** The private key of the leaf, in PEM. */
  readonly key: string
  /** The certificate must cover all names one label below this domain. */
  readonly domain: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Maximum length of a certificate with its chain, and of a key, in characters. */
export const maxPemLength = 65_536

const maxCertificates = 10
const keyTypes = ['rsa', 'ec', 'ed25519']
const certificateLabel = 'CERTIFICATE'

/** Checks a wildcard certificate. The texts never contain any part of the key. */
export function checkCertificate({ crt, key, domain, now }: CertificateInputs): InputsCheck {
  const tooLong = [
    ...(crt.length > maxPemLength ? ['tls.crt'] : []),
    ...(key.length > maxPemLength ? ['tls.key'] : []),
  ]
  if (tooLong.length > 0) return refused(...tooLong.map(tooLongText)) // parsing it could take long
  const chain = chainOf(crt)
  if (typeof chain === 'string') return refused(chain)
  const [leaf] = chain
  const names = leaf ? namesOf(leaf, domain) : refused()
  return {
    problems: [
      ...problemsOfOrder(chain),
      ...chain.flatMap((each, i) => problemsOfDates(each, i, now)),
      ...problemsOfKey(key, leaf),
      ...names.problems,
    ],
    warnings: names.warnings,
  }
}

function refused(...problems: string[]): InputsCheck {
  return { problems, warnings: [] }
}

function tooLongText(field: string): string {
  return `'${field}' is longer than ${maxPemLength} characters`
}

/** The certificates in order, or a text that says why there are none. */
function chainOf(crt: string): readonly X509Certificate[] | string {
  const blocks = pemBlocks(crt)
  const other = blocks.find(({ label }) => label !== certificateLabel)
  if (other) return `'tls.crt' contains PEM blocks that are not certificates`
  if (blocks.length === 0) return `'tls.crt' contains no certificate in PEM format`
  if (blocks.length > maxCertificates) return `'tls.crt' contains more than ${maxCertificates} certificates`
  const chain: X509Certificate[] = []
  for (const [i, { text }] of blocks.entries()) {
    try {
      chain.push(new X509Certificate(text))
    } catch {
      return `${ordinal(i)} cannot be read`
    }
  }
  return chain
}

/** The blocks between `BEGIN` and `END` lines. Text between blocks is ignored. */
function pemBlocks(text: string): { readonly label: string; readonly text: string }[] {
  const blocks: { label: string; text: string }[] = []
  let at = 0
  for (;;) {
    const begin = text.indexOf('-----BEGIN ', at)
    const labelEnd = begin === -1 ? -1 : text.indexOf('-----', begin + 11)
    if (labelEnd === -1) return blocks
    const label = text.slice(begin + 11, labelEnd)
    const end = text.indexOf('-----END ', labelEnd)
    const last = end === -1 ? -1 : text.indexOf('-----', end + 9)
    if (last === -1) return blocks
    blocks.push({ label, text: text.slice(begin, last + 5) })
    at = last + 5
  }
}

function problemsOfOrder(chain: readonly X509Certificate[]): string[] {
  return chain.flatMap((each, i) => {
    const issuer = chain[i + 1]
    if (!issuer || isIssuedBy(each, issuer)) return []
    return [
      `${ordinal(i + 1)} did not issue the certificate before it: the certificate of the domain must come first, then its issuers`,
    ]
  })
}

function isIssuedBy(each: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return each.checkIssued(issuer) && each.verify(issuer.publicKey)
  } catch {
    return false
  }
}

function problemsOfDates(each: X509Certificate, i: number, now: number): string[] {
  const [from, to] = [Date.parse(each.validFrom), Date.parse(each.validTo)]
  if (now < from) return [`${ordinal(i)} is not valid before '${timeText(from)}'`]
  if (now > to) return [`${ordinal(i)} expired at '${timeText(to)}'`]
  if (Number.isNaN(from) || Number.isNaN(to)) return [`${ordinal(i)} has no readable dates`]
  return []
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z')
}

function problemsOfKey(key: string, leaf: X509Certificate | undefined): string[] {
  const block = pemBlocks(key).find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (!block) return [`'tls.key' contains no private key in PEM format`]
  if (block.label.startsWith('ENCRYPTED') || block.text.includes('ENCRYPTED'))
    return [`the private key in 'tls.key' is encrypted`]
  const privateKey = keyOf(block.text)
  if (!privateKey) return [`the private key in 'tls.key' cannot be read`]
  if (!keyTypes.includes(privateKey.asymmetricKeyType ?? ''))
    return [`the private key in 'tls.key' must be of type ${keyTypes.join(', ')}`]
  return leaf?.checkPrivateKey(privateKey) ? [] : [`the private key in 'tls.key' does not match 'tls.crt'`]
}

function keyOf(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    return undefined // the error of the library could contain part of the key
  }
}

/** Checks that the leaf covers the wildcard of the domain. */
function namesOf(leaf: X509Certificate, domain: string): InputsCheck {
  const wanted = `*.${domain.toLowerCase().replace(/\.$/, '')}`
  const alternative = alternativeNames(leaf.subjectAltName ?? '')
  const common = commonNames(leaf)
  const isWanted = (name: string) => name.toLowerCase().replace(/\.$/, '') === wanted
  if (alternative.some(isWanted)) return refused()
  if (common.some(isWanted)) {
    const warning = `'tls.crt' contains '${wanted}' as its common name only: most clients check alternative names only`
    return { problems: [], warnings: [warning] }
  }
  const held = [...new Set([...alternative, ...common])]
  const names = quotedNames(held.map(printable), 5)
  return refused(`'tls.crt' is not for '${wanted}'${names === '' ? '' : `: it is for ${names}`}`)
}

/** Values of `DNS:` in a list such as `DNS:a.example, URI:"with, comma"`. Values with special characters are JSON texts. */
function alternativeNames(text: string): string[] {
  const names: string[] = []
  for (const [, kind, value = ''] of text.matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy)) {
    if (kind === 'DNS' && !value.startsWith('"')) names.push(value)
  }
  return names
}

function commonNames(leaf: X509Certificate): string[] {
  const subject: { readonly CN?: unknown } = leaf.toLegacyObject().subject ?? {}
  return [subject.CN].flat().filter((name) => typeof name === 'string')
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)
}

function ordinal(i: number): string {
  return `certificate ${i + 1} of 'tls.crt'`
}
