import { randomBytes } from 'node:crypto'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { apiVersion, labels, manager } from '../../../operator/api/names.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isObject, ownValue, pointerSteps, sameJson } from '../../../operator/domain/base/json.ts'
import {
  isSecretLeaf,
  mapSecretLeaves,
  placeholdersOfSecret,
  unreadSecret,
} from '../../../operator/domain/secret/secret-inputs.ts'

/** Name of the secret store that contains the Secrets of the cluster. */
export const storeName = 'kubernetes'

const jsonEnding = '.json'
const secretName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/
const secretKey = /^[A-Za-z0-9._-]{1,253}$/
const credentialField = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

/** Data of a Secret, in base64. */
export type SecretData = Readonly<Record<string, string>>

/** Secret inputs of a request, split into references and the data of a Secret. */
export interface ExtractedSecrets {
  /** References in the shape of the inputs. */
  readonly refs: FreeForm
  /** Data of the Secret to create; empty if none is needed. */
  readonly data: SecretData
}

/** What a Secret contains. */
type SecretUse = 'inputs' | 'credentials' | 'webhook-signing' | 'value' | 'registry'

/** Length of the random suffix of Secret names. */
export const randomLength = 8

/** Returns a new Secret name. New credentials always use a new Secret. */
export function newSecretName(owner: string, use: SecretUse = 'inputs'): string {
  return `${prefixOf(owner, use)}${randomBytes(randomLength / 2).toString('hex')}`
}

/** Whether a Secret was created by the gateway for this owner. */
export function isSecretNameOf(owner: string, use: SecretUse, secret: string): boolean {
  return secret.startsWith(prefixOf(owner, use))
}

function prefixOf(owner: string, use: SecretUse): string {
  // An owner created with kubectl may have a name of the maximum length of a Secret's.
  return `${owner.slice(0, 200).replace(/[^a-z0-9]+$/, '')}-${use}-`
}

/** Returns a Secret that is owned by the object. */
export function inputsSecret(owner: StoredObject, name: string, data: SecretData): KubeObject {
  const { namespace, name: ownerName, uid } = owner.metadata
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name,
      namespace,
      labels: { [labels.managedBy]: manager },
      ownerReferences: [{ apiVersion, kind: owner.kind, name: ownerName, uid }],
    },
    data,
  }
}

/** Replaces each leaf by a reference to a key of the Secret. */
export function extractSecrets(secrets: FreeForm, secret: string): ExtractedSecrets {
  const content = createContent(secret)
  const visit = (value: unknown, path: readonly string[]): unknown =>
    isObject(value)
      ? mapValues(value, (item, key) => visit(item, [...path, key]))
      : withPlaceholders(content.add(value, path), value, `'secrets.${path.join('.')}'`)
  return { refs: mapValues(secrets, (item, key) => visit(item, [key])), data: content.data }
}

/** Returns the data of an account's Secret, with the fields as keys. */
export function credentialsData(credentials: FreeForm): SecretData {
  const content = createContent('')
  for (const [field, value] of Object.entries(credentials)) {
    if (!credentialField.test(field)) {
      throw new Problem(
        'Invalid',
        `the field '${field.slice(0, 200)}' of 'credentials' must be 1 to 200 letters, digits, '-', '_' or '.', and not begin with '.'`,
      )
    }
    content.add(value, [field])
  }
  return content.data
}

/** The stored secret inputs of a definition. */
export interface StoredSecrets {
  readonly definition: string
  readonly refs: FreeForm
}

/**
 * Converts `secret_refs` of a request; leaves with a value are extracted like plain secrets. An object that equals what a
 * response shows of the stored inputs stays as it is stored, such as a text of a manifest.
 */
export function extractReferences(
  references: FreeForm,
  secret: string,
  { definition, refs: known }: StoredSecrets,
): ExtractedSecrets {
  const content = createContent(secret)
  const visit = (value: unknown, path: readonly string[], stored: unknown): unknown => {
    const where = `'secret_refs.${path.join('.')}'`
    if (!isObject(value))
      throw new Problem('Invalid', `${where} must be an object with 'store' and 'ref', or 'value'`)
    if (isObject(stored) && sameJson(toReference(stored, definition), value)) return stored
    if (isLeafValue(value)) return withPlaceholders(content.add(value['value'], path), value['value'], where)
    if (typeof value['ref'] === 'string') return withoutShownVersion(fromReference(value, where), definition)
    const below = isObject(stored) && !isSecretLeaf(stored) ? stored : {}
    return mapValues(value, (item, key) => visit(item, [...path, key], ownValue(below, key)))
  }
  const refs = mapValues(references, (item, key) => visit(item, [key], ownValue(known, key)))
  return { refs, data: content.data }
}

/** Drops the version of a reference to a Secret of the definition, which exists only in responses. */
function withoutShownVersion(leaf: FreeForm, definition: string): FreeForm {
  const { version, ...unversioned } = leaf
  return version === shownVersion && isOwn(leaf['secret'], definition) ? unversioned : leaf
}

/** Version that responses show for the Secrets of a definition; each change creates a new Secret. */
const shownVersion = '1'

function isOwn(secret: unknown, definition: string): boolean {
  return typeof secret === 'string' && isSecretNameOf(definition, 'inputs', secret)
}

/** Adds the placeholders of a secret text to its reference, so that planning does not have to read the Secret. */
function withPlaceholders(leaf: FreeForm, value: unknown, where: string): FreeForm {
  try {
    const placeholders = placeholdersOfSecret(value)
    return placeholders ? { ...leaf, placeholders } : leaf
  } catch (error) {
    if (error instanceof Problem) throw new Problem('Invalid', `${where} ${error.message}`)
    throw error
  }
}

/** Copies the placeholders from the earlier references to the same keys. */
export function keepPlaceholders(refs: FreeForm, before: FreeForm): FreeForm {
  const nameOf = (leaf: unknown) =>
    isObject(leaf) && typeof leaf['secret'] === 'string'
      ? JSON.stringify([leaf['secret'], leaf['key']])
      : undefined
  const known = new Map<string, unknown>()
  mapSecretLeaves(before, (leaf) => {
    const name = nameOf(leaf)
    if (name !== undefined && isObject(leaf) && leaf['placeholders']) known.set(name, leaf['placeholders'])
  })
  if (known.size === 0) return refs
  return mapSecretLeaves(refs, (leaf) => {
    const placeholders = known.get(nameOf(leaf) ?? '')
    return placeholders && isObject(leaf) ? { placeholders, ...leaf } : leaf
  })
}

/** Returns the values in `secret_refs`; references are replaced by a marker for unread values. */
export function plainSecrets(references: FreeForm): FreeForm {
  return mapValues(references, (value) => {
    if (!isObject(value) || typeof value['ref'] === 'string') return unreadSecret
    return isLeafValue(value) ? value['value'] : plainSecrets(value)
  })
}

function isLeafValue(value: FreeForm): boolean {
  return Object.hasOwn(value, 'value') && value['value'] !== null && !isObject(value['value'])
}

/** Converts a reference. Whether another store exists is checked at the deployment. */
export function fromReference(reference: FreeForm, where: string): FreeForm {
  const { store, ref, version } = reference
  if (store !== undefined && store !== null && typeof store !== 'string') {
    throw new Problem('Invalid', `${where}: 'store' must be a string`)
  }
  const kept = version === undefined || version === null ? {} : { version }
  if (store && store !== storeName) return { store, ref, ...kept }
  const [secret = '', key, ...rest] = String(ref).split('/')
  if (!secretName.test(secret) || rest.length > 0 || (key !== undefined && !secretKey.test(key))) {
    throw new Problem('Invalid', `${where}: 'ref' must be '<secret>' or '<secret>/<key>'`)
  }
  return { secret, ...(key === undefined ? {} : { key }), ...kept }
}

/** References to the secret outputs by name. A value that is not a text is stored as JSON. */
export function outputReferences(status: ActiveResource['status']): FreeForm {
  const { outputsSecretName: secret, secretOutputPaths: paths = [] } = status ?? {}
  if (secret === undefined) return {}
  const names = new Set(paths.flatMap((path) => pointerSteps(path).slice(0, 1)))
  return Object.fromEntries([...names].map((name) => [name, { store: storeName, ref: `${secret}/${name}` }]))
}

/** Converts references for a response: each leaf becomes `{store, ref, version}`. */
export function toReferences(refs: FreeForm, definition: string): FreeForm {
  return mapValues(refs, (value) => toReference(value, definition))
}

function toReference(value: unknown, definition: string): unknown {
  if (!isObject(value)) return value
  const { secret, key, version } = value
  if (typeof value['ref'] === 'string') return value
  if (typeof secret !== 'string') return toReferences(value, definition)
  // Clients require a version for plain secrets that they set.
  const shown = version ?? (isOwn(secret, definition) ? shownVersion : undefined)
  const ref = key === undefined ? secret : `${secret}/${String(key)}`
  return { store: storeName, ref, version: shown }
}

/** Collects the data of a Secret under valid, readable and distinct keys. */
function createContent(secret: string) {
  const data: Record<string, string> = {}
  const taken = new Set<string>()
  const nextOf = new Map<string, number>()
  return {
    data,
    add(value: unknown, path: readonly string[]) {
      const wanted =
        path
          .join('.')
          .replaceAll(/[^A-Za-z0-9._-]|^\.+/g, '_')
          .slice(0, 200) || '_'
      let name = wanted
      let next = nextOf.get(wanted) ?? 2
      for (; taken.has(name); next += 1) name = `${wanted}-${next}`
      nextOf.set(wanted, next)
      taken.add(name)
      // Keys that end in `.json` are parsed as JSON and exposed without the ending.
      const isText = typeof value === 'string' && !name.endsWith(jsonEnding)
      const key = isText ? name : `${name}${jsonEnding}`
      data[key] = Buffer.from(isText ? value : JSON.stringify(value)).toString('base64')
      return { secret, key }
    },
  }
}

function mapValues(map: FreeForm, change: (value: unknown, key: string) => unknown): FreeForm {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]))
}
