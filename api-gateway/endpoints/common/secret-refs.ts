import { randomBytes } from 'node:crypto'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { apiVersion, labels, manager } from '../../../operator/api/names.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isObject, pointerSteps } from '../../../operator/domain/base/json.ts'
import {
  mapSecretLeaves,
  placeholdersOfSecret,
  unreadSecret,
} from '../../../operator/domain/secret/secret-inputs.ts'

/** Name under which REST knows the Secrets of the cluster. */
export const storeName = 'kubernetes'

const jsonEnding = '.json'
const secretName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/
const secretKey = /^[A-Za-z0-9._-]{1,253}$/
const credentialField = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

/** Content of a Secret, by key, in base64. */
export type SecretData = Readonly<Record<string, string>>

/** Secret inputs taken out of a request: where they will be, and what is to be kept there. */
export interface ExtractedSecrets {
  /** References of the shape of the inputs. */
  readonly refs: FreeForm
  /** Content of the Secret that must be made; empty when none is needed. */
  readonly data: SecretData
}

/** What a Secret holds for its owner: inputs of a definition, credentials of an account, what a webhook signs with, or a shared value. */
type SecretUse = 'inputs' | 'credentials' | 'webhook-signing' | 'value'

/** Of the names of Secrets, what tells them apart. */
export const randomLength = 8

/** A fresh name for a Secret of that owner: a new credential is a new Secret. */
export function newSecretName(owner: string, use: SecretUse = 'inputs'): string {
  return `${prefixOf(owner, use)}${randomBytes(randomLength / 2).toString('hex')}`
}

/** Whether a Secret has a name that we gave it for that owner. */
export function isSecretNameOf(owner: string, use: SecretUse, secret: string): boolean {
  return secret.startsWith(prefixOf(owner, use))
}

function prefixOf(owner: string, use: SecretUse): string {
  // Names given by kubectl may be as long as that of a Secret.
  return `${owner.slice(0, 200).replace(/[^a-z0-9]+$/, '')}-${use}-`
}

/** The Secret that holds what was secret in a request; it goes with its owner. */
export function inputsSecret(owner: KubeObject, name: string, data: SecretData): KubeObject {
  const { namespace, name: ownerName, uid = '' } = owner.metadata
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

/** Replaces every leaf of plain secrets by a reference into the Secret of that name. */
export function extractSecrets(secrets: FreeForm, secret: string): ExtractedSecrets {
  const content = createContent(secret)
  const visit = (value: unknown, path: readonly string[]): unknown =>
    isObject(value)
      ? mapValues(value, (item, key) => visit(item, [...path, key]))
      : marked(content.add(value, path), value, `'secrets.${path.join('.')}'`)
  return { refs: mapValues(secrets, (item, key) => visit(item, [key])), data: content.data }
}

/** Content of the Secret of an account: one key for each field, and no other name for it than the field's. */
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

/** Reads `secret_refs` as REST spells them; leaves that carry a value are taken out like plain secrets. */
export function extractReferences(references: FreeForm, secret: string): ExtractedSecrets {
  const content = createContent(secret)
  const visit = (value: unknown, path: readonly string[]): unknown => {
    const where = `'secret_refs.${path.join('.')}'`
    if (!isObject(value))
      throw new Problem('Invalid', `${where} must be an object with 'store' and 'ref', or 'value'`)
    if (isLeafValue(value)) return marked(content.add(value['value'], path), value['value'], where)
    if (typeof value['ref'] === 'string') return fromReference(value, where)
    return mapValues(value, (item, key) => visit(item, [...path, key]))
  }
  return { refs: mapValues(references, (item, key) => visit(item, [key])), data: content.data }
}

/** A reference to a text with placeholders lists them, so that plans see them without reading the Secret. */
function marked(leaf: FreeForm, value: unknown, where: string): FreeForm {
  try {
    const placeholders = placeholdersOfSecret(value)
    return placeholders ? { ...leaf, placeholders } : leaf
  } catch (error) {
    if (error instanceof Problem) throw new Problem('Invalid', `${where} ${error.message}`)
    throw error
  }
}

/** The references, those that are there already with the placeholders that they list. */
export function withKnownPlaceholders(refs: FreeForm, before: FreeForm): FreeForm {
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

/** What of `secret_refs` is known now: the leaves that carry a value; a placeholder stands for the others. */
export function knownSecrets(references: FreeForm): FreeForm {
  return mapValues(references, (value) => {
    if (!isObject(value) || typeof value['ref'] === 'string') return unreadSecret
    return isLeafValue(value) ? value['value'] : knownSecrets(value)
  })
}

function isLeafValue(value: FreeForm): boolean {
  return Object.hasOwn(value, 'value') && value['value'] !== null && !isObject(value['value'])
}

/** A reference into another store is kept as it is: whether that store exists is judged at the deployment. */
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

/** Where the secret outputs of a resource are, by name; the value of one that is no text is kept as JSON. */
export function outputReferences(status: ActiveResource['status']): FreeForm {
  const { outputsSecretName: secret, secretOutputPaths: paths = [] } = status ?? {}
  if (secret === undefined) return {}
  const names = new Set(paths.flatMap((path) => pointerSteps(path).slice(0, 1)))
  return Object.fromEntries([...names].map((name) => [name, { store: storeName, ref: `${secret}/${name}` }]))
}

/** References as REST shows them: each leaf `{store, ref, version}`. */
export function toReferences(refs: FreeForm, definition: string): FreeForm {
  return mapValues(refs, (value) => toReference(value, definition))
}

function toReference(value: unknown, definition: string): unknown {
  if (!isObject(value)) return value
  const { secret, key, version } = value
  if (typeof value['ref'] === 'string') return value
  if (typeof secret !== 'string') return toReferences(value, definition)
  // What came in as plain text has a version for clients that ask for one: each change makes a new Secret.
  const isOurs = secret.startsWith(prefixOf(definition, 'inputs'))
  const shown = version ?? (isOurs ? '1' : undefined)
  const ref = key === undefined ? secret : `${secret}/${String(key)}`
  return { store: storeName, ref, ...(shown === undefined ? {} : { version: shown }) }
}

/** Collects the content of a Secret under keys that are valid, readable and different. */
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
      // A key that ends in `.json` is read as JSON and known without the ending; any other is text.
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
