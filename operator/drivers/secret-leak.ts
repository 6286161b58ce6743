import type { FreeForm } from '../api/schema.ts'
import { Stalled } from '../domain/base/errors.ts'
import { occurrencesOf } from '../domain/secret/occurrences.ts'
import { encodingsOf } from '../domain/secret/redact.ts'

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
  const likely = [...leavesIn(secrets)].filter(
    ({ field, text }) => text.length >= shortestLikely && (saysSecret(field) || !looksLikeName(text)),
  )
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const told = occurrencesOf(
    likely.map(({ text }) => inJson(text)),
    [JSON.stringify(plain)],
  )
  const known = new Set([...told].map(({ word }) => word))
  return formsOfAll(likely.map(({ text }) => text).filter((text) => !known.has(inJson(text))))
}

/** Data that is not secret, and how the author of the driver knows it. */
export type Plain = readonly [what: string, data: unknown]

/** Refuses what is not secret and holds a secret; all at once, since looking for many words costs more than looking long. */
export function refuseLeak(plain: readonly Plain[], words: readonly string[]): void {
  const whats: string[] = []
  const texts: string[] = []
  for (const [what, data] of plain)
    for (const text of textsIn(data)) {
      whats.push(what)
      texts.push(text)
    }
  const [leak] = occurrencesOf(words, texts)
  if (leak)
    throw new Stalled(
      'SecretLeak',
      `${whats[leak.index]} holds a secret: secrets belong in secret outputs and in Secrets`,
    )
}

/** Outputs that are not secret: their names first, which are not told, then each. */
export function plainOutputs(values: FreeForm, whose = ''): readonly Plain[] {
  return [
    [`the name of an output${whose}`, Object.keys(values)],
    ...Object.entries(values).map(([name, value]): Plain => [`output '${name}'${whose}`, value]),
  ]
}

function saysSecret(field: string): boolean {
  return secretField.test(field) && !namingField.test(field)
}

function looksLikeName(text: string): boolean {
  return text.split(/[-._:/@ ]+/).every((part) => partOfName.test(part))
}

function formsOfAll(texts: readonly string[]): readonly string[] {
  const long = texts.filter((text) => text.length >= shortest)
  return [...new Set(long.flatMap(encodingsOf).filter((each) => each.length >= shortest))]
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
