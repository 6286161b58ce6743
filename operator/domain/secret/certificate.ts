import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { InputsCheck } from '../resource/driver.ts'

/** What of a certificate cannot be told without looking at the clock and the domain. */
export interface CertificateInputs {
  /** The leaf and then its issuers, PEM. */
  readonly crt: string
  /** The private key of the leaf, PEM. */
  readonly key: string
  /** The certificate must be good for each name one label below. */
  readonly domain: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Characters that a certificate with its chain, or a key, may have. */
export const maxPemLength = 65_536

const maxCertificates = 10
const keyTypes = ['rsa', 'ec', 'ed25519']
const certificateLabel = 'CERTIFICATE'

/** What is wrong with a wildcard certificate, in texts that tell nothing of the key. */
export function checkCertificate({ crt, key, domain, now }: CertificateInputs): InputsCheck {
  const tooLong = [
    ...(crt.length > maxPemLength ? ['tls.crt'] : []),
    ...(key.length > maxPemLength ? ['tls.key'] : []),
  ]
  if (tooLong.length > 0) return refused(...tooLong.map(tooLongText)) // nothing else is looked at: it could take long
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

/** The certificates in their order; a text says why there are none. */
function chainOf(crt: string): readonly X509Certificate[] | string {
  const blocks = pemBlocks(crt)
  const stranger = blocks.find(({ label }) => label !== certificateLabel)
  if (stranger) return `'tls.crt' holds something other than certificates`
  if (blocks.length === 0) return `'tls.crt' holds no certificate in PEM form`
  if (blocks.length > maxCertificates) return `'tls.crt' holds more than ${maxCertificates} certificates`
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

/** Blocks between `BEGIN` and `END` lines, in one pass; what is between them is for people. */
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
      `${ordinal(i + 1)} did not issue the one before: the certificate of the domain comes first, then its issuers`,
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
  if (now > to) return [`${ordinal(i)} has expired at '${timeText(to)}'`]
  if (Number.isNaN(from) || Number.isNaN(to)) return [`${ordinal(i)} has no readable dates`]
  return []
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z')
}

function problemsOfKey(key: string, leaf: X509Certificate | undefined): string[] {
  const block = pemBlocks(key).find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (!block) return [`'tls.key' holds no private key in PEM form`]
  if (block.label.startsWith('ENCRYPTED') || block.text.includes('ENCRYPTED'))
    return [`the private key in 'tls.key' is encrypted`]
  const privateKey = keyOf(block.text)
  if (!privateKey) return [`the private key in 'tls.key' cannot be read`]
  if (!keyTypes.includes(privateKey.asymmetricKeyType ?? ''))
    return [`the private key in 'tls.key' is none of ${keyTypes.join(', ')}`]
  return leaf?.checkPrivateKey(privateKey) ? [] : [`the private key in 'tls.key' is not that of 'tls.crt'`]
}

function keyOf(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    return undefined // what the library says could hold part of the key
  }
}

/** Whether the leaf holds the wildcard of the domain, and how. */
function namesOf(leaf: X509Certificate, domain: string): InputsCheck {
  const wanted = `*.${domain.toLowerCase().replace(/\.$/, '')}`
  const alternative = alternativeNames(leaf.subjectAltName ?? '')
  const common = commonNames(leaf)
  const isWanted = (name: string) => name.toLowerCase().replace(/\.$/, '') === wanted
  if (alternative.some(isWanted)) return refused()
  if (common.some(isWanted)) {
    const warning = `'tls.crt' holds '${wanted}' as its common name alone: most clients look at alternative names only`
    return { problems: [], warnings: [warning] }
  }
  const held = [...new Set([...alternative, ...common])]
  const shown = held.slice(0, 5).map((name) => `'${printable(name)}'`)
  const more = held.length > shown.length ? ` and ${held.length - shown.length} more` : ''
  return refused(
    `'tls.crt' is not for '${wanted}'${shown.length > 0 ? `: it is for ${shown.join(', ')}${more}` : ''}`,
  )
}

/** Values of `DNS:` in a list such as `DNS:a.example, URI:"with, comma"`, where odd values are JSON texts. */
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
