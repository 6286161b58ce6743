import type { KubeObject } from '../api/kind.ts'
import type { FreeForm } from '../api/schema.ts'
import { Stalled } from '../domain/base/errors.ts'
import { type ParamsWithSecrets, secretTextsOf, withSecretTexts } from '../domain/module/secret-text.ts'
import { occurrencesOf } from '../domain/secret/occurrences.ts'
import { encodingsOf } from '../domain/secret/redact.ts'
import type { ProvisionRequest } from './driver.ts'

const shortest = 6
const shortestLikely = 8
/** A field whose text is always secret. */
const secretField = /pass|pwd|secret|token|credential|private|key(?!_?id)/i
const namingField = /(?:name|id|ur[il]|type)$/i
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** A field whose UUID identifies something. Some secrets are UUIDs, such as the `secret_id` of Vault. */
const identifyingField = /(?:id|tenant)$/i
const hexId = /^[0-9a-f]{32}$/i
/** A field whose 32 hex digits are an identifier. Keys and sessions have the same form, so the name of the field must say what it identifies. */
const hexIdField =
  /(?:account|application|client|organi[sz]ation|project|subscription|tenant|workspace|zone)[_-]?id$|tenant$/i
/** Parts of names such as `eu-central-1`, `db01.example.com` and `shop_user`. */
const partOfName = /^(?:[A-Za-z]?[a-z]*|[A-Z]+)\d{0,3}$|^\d+$/

/** The secrets in all encodings that a leak may have, without short ones. */
export function secretWords(secrets: unknown): readonly string[] {
  return formsOfAll([...leavesIn(secrets)].map(({ text }) => text))
}

/**
 * The same for the texts of a workload that contain secrets. A driver sees them among the params; one that the rest of the request
 * contains too, such as a user name that is the name of the application, is not secret.
 */
export function secretWordsOfParams(request: ProvisionRequest): readonly string[] {
  const { values, guResId, context, type, resourceId, namespace } = request
  const plain = [values, plainParams(request), guResId, context, type, request.class, resourceId, namespace]
  const texts = [...leavesIn(secretTextsOf(request))].map(({ text }) => text)
  return formsOfAll(withoutKnown(texts, plain))
}

/** The params without the texts that contain secrets. */
export function plainParams({ params, secretParams = [] }: ParamsWithSecrets): FreeForm {
  return withSecretTexts(params, secretParams)
}

/**
 * The same for a third-party driver. Credentials include regions, hosts and user names, which outputs may contain: a text
 * that looks like a name is not secret unless its field says so, nor is an identifier, nor one that `plain` contains.
 */
export function likelySecretWords(secrets: unknown, plain: unknown): readonly string[] {
  const likely = [...leavesIn(secrets)].filter(
    ({ field, text }) =>
      text.length >= shortestLikely &&
      (saysSecret(field) || !(looksLikeName(text) || isIdentifier(field, text))),
  )
  return formsOfAll(
    withoutKnown(
      likely.map(({ text }) => text),
      plain,
    ),
  )
}

/** The texts that plain data does not contain. */
function withoutKnown(texts: readonly string[], plain: unknown): readonly string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const known = new Set(
    [...occurrencesOf(texts.map(inJson), [JSON.stringify(plain)])].map(({ word }) => word),
  )
  return texts.filter((text) => !known.has(inJson(text)))
}

/** Data that is not secret, with its name in messages. */
export type Plain = readonly [what: string, data: unknown]

/** Throws Stalled when plain data contains a secret; one search over all texts is faster than one for each. */
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

/** Whether the object is a Secret, whose content may be secret. */
export function isSecret({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === 'v1' && kind === 'Secret'
}

/** The objects that are not Secrets: their names, which no message shows, then each object. */
export function plainObjects(objects: readonly KubeObject[], whose: string): readonly Plain[] {
  const plain = objects.filter((each) => !isSecret(each))
  return [
    [
      `the name of a manifest${whose}`,
      plain.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
    ],
    ...plain.map((each): Plain => [`the ${each.kind} '${each.metadata.name}'${whose}`, each]),
  ]
}

/** The plain outputs: their names, which no message shows, then each value. */
export function plainOutputs(values: FreeForm, whose = ''): readonly Plain[] {
  return [
    [`the name of an output${whose}`, Object.keys(values)],
    ...Object.entries(values).map(([name, value]): Plain => [`output '${name}'${whose}`, value]),
  ]
}

function saysSecret(field: string): boolean {
  return secretField.test(field) && !namingField.test(field)
}

function isIdentifier(field: string, text: string): boolean {
  if (secretField.test(field)) return false
  return (uuid.test(text) && identifyingField.test(field)) || (hexId.test(text) && hexIdField.test(field))
}

function looksLikeName(text: string): boolean {
  return text.split(/[-._:/@ ]+/).every((part) => partOfName.test(part))
}

function formsOfAll(texts: readonly string[]): readonly string[] {
  const long = texts.filter((text) => text.length >= shortest)
  return [...new Set(long.flatMap(encodingsOf).filter((each) => each.length >= shortest))]
}

interface Leaf {
  /** Name of its field, or of the field of its list. */
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
