import { Stalled } from '../domain/errors.ts'
import { formsOf } from '../domain/redact.ts'

const shortest = 6
const shortestLikely = 8
/** A field whose text is secret, whatever it looks like. */
const secretField = /pass|pwd|secret|token|credential|private|key(?!_?id)/i
const namingField = /(?:name|id|ur[il]|type)$/i
/** Parts of names, as `eu-central-1`, `db01.example.com` and `shop_user` are made of. */
const partOfName = /^(?:[A-Za-z]?[a-z]*|[A-Z]+)\d{0,3}$|^\d+$/

/** The texts by which secrets would be recognized, however they are encoded; short ones are left out. */
export function secretWords(secrets: unknown): readonly string[] {
  return formsOfAll([...leavesIn(secrets)].map(({ text }) => text))
}

/**
 * The same for a driver that we do not know. Among credentials stand regions, hosts and user names, which outputs hold
 * with good reason: what looks like a name is none, unless its field says so, nor is what `plain` tells anyway.
 */
export function likelySecretWords(secrets: unknown, plain: unknown): readonly string[] {
  const known = JSON.stringify(plain)
  const likely = [...leavesIn(secrets)].filter(
    ({ field, text }) =>
      text.length >= shortestLikely &&
      !known.includes(JSON.stringify(text).slice(1, -1)) &&
      (saysSecret(field) || !looksLikeName(text)),
  )
  return formsOfAll(likely.map(({ text }) => text))
}

/** Refuses data that is not secret and holds a secret; `what` names it for the author of the driver. */
export function refuseLeak(data: unknown, words: readonly string[], what: string): void {
  if (words.length === 0) return
  for (const text of textsIn(data)) {
    if (words.some((word) => text.includes(word)))
      throw new Stalled(
        'SecretLeak',
        `${what} holds a secret: secrets belong in secret outputs and in Secrets`,
      )
  }
}

function saysSecret(field: string): boolean {
  return secretField.test(field) && !namingField.test(field)
}

function looksLikeName(text: string): boolean {
  return text.split(/[-._:/@ ]+/).every((part) => partOfName.test(part))
}

function formsOfAll(texts: readonly string[]): readonly string[] {
  const long = texts.filter((text) => text.length >= shortest)
  return [...new Set(long.flatMap(formsOf).filter((each) => each.length >= shortest))]
}

interface Leaf {
  /** Name of the field that holds it; that of the nearest one for a member of a list. */
  readonly field: string
  readonly text: string
}

function* leavesIn(value: unknown, field = ''): Generator<Leaf> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value))
      yield* leavesIn(member, Array.isArray(value) ? field : key)
    return
  }
  if (value !== undefined && value !== null) yield { field, text: String(value) }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) yield key
      yield* textsIn(member)
    }
    return
  }
  if (value !== undefined && value !== null) yield String(value)
}
