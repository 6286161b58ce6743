import type { FreeForm } from '../../api/schema.ts'
import { compareText, escapeToken, isObject, ownValue, pointerSteps } from '../base/json.ts'
import { partsOf } from './user-schema.ts'

/** Outputs of a resource, in the two parts that they are kept in. */
export interface Outputs {
  readonly values: FreeForm
  readonly secrets: FreeForm
}

/** Outputs, and JSON pointers to what is secret among them or once was. */
export interface SeparatedOutputs extends Outputs {
  readonly secretPaths: readonly string[]
}

/** Beyond this many characters, outputs are remembered by their names alone. */
const maxPathsLength = 65_536

/**
 * Moves to the secret outputs whatever the schema calls secret, the driver answers as secret, or `remembered` says was
 * secret before. Where both parts hold a value at one path, the secret one is kept.
 */
export function separateSecrets(
  outputs: Outputs,
  outputsSchema: FreeForm = {},
  remembered: readonly string[] = [],
): SeparatedOutputs {
  const known = [...remembered, ...declaredSecretPaths(outputsSchema)]
  const values = structuredClone(outputs.values)
  const secrets = structuredClone(outputs.secrets)
  for (const path of compact([...known, ...leafPaths(secrets)])) move(pointerSteps(path), values, secrets)
  return { values, secrets, secretPaths: compact([...known, ...leafPaths(secrets)]) }
}

/** JSON pointers to the outputs that a schema names among the secret ones, and not among the others. */
export function declaredSecretPaths(outputsSchema: FreeForm): string[] {
  const { values, secrets } = partsOf(outputsSchema)
  const declared = (secret: unknown, open: unknown, at: string): string[] =>
    Object.entries(propertiesOf(secret)).flatMap(([name, schema]) => {
      const path = `${at}/${escapeToken(name)}`
      const other = ownValue(propertiesOf(open), name)
      return other === undefined ? [path] : declared(schema, other, path)
    })
  return declared(secrets, values, '')
}

/** Whether every one of the paths is, or is under, one of those that are known. */
export function areCovered(paths: readonly string[], known: readonly string[]): boolean {
  const covering = new Set(known)
  return paths.every((path) => isCovered(path, covering))
}

/** The properties that a schema declares, by name. */
export function propertiesOf(schema: unknown): FreeForm {
  const properties = isObject(schema) ? ownValue(schema, 'properties') : undefined
  return isObject(properties) ? properties : {}
}

/** JSON pointers to the values that are no objects; an empty object holds nothing. */
export function leafPaths(value: unknown, at = ''): string[] {
  if (!isObject(value)) return [at]
  return Object.entries(value).flatMap(([key, member]) => leafPaths(member, `${at}/${escapeToken(key)}`))
}

/** The outermost of the paths, sorted; of too many, the names of the outputs alone. */
function compact(paths: readonly string[]): string[] {
  const all = new Set(paths)
  const outermost = [...all].filter((path) => !isCovered(parentOf(path), all)).sort(compareText)
  if (outermost.join().length <= maxPathsLength) return outermost
  return [...new Set(outermost.map((path) => `/${path.split('/')[1] ?? ''}`))].sort(compareText)
}

function isCovered(path: string, covering: ReadonlySet<string>): boolean {
  for (let each = path; each !== ''; each = parentOf(each)) if (covering.has(each)) return true
  return false
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function move([step = '', ...rest]: readonly string[], from: FreeForm, to: FreeForm): void {
  const value = ownValue(from, step)
  if (value === undefined) return
  const present = ownValue(to, step)
  if (rest.length === 0 || !isObject(value)) {
    defineProperty(to, step, present === undefined ? value : mergeObjects(value, present))
    delete from[step]
    return
  }
  const below = isObject(present) ? present : {}
  move(rest, value, below)
  if (Object.keys(below).length > 0) defineProperty(to, step, below)
  if (Object.keys(value).length === 0) delete from[step]
}

/** Both values as one where they are objects; else the second. */
export function mergeObjects(first: unknown, second: unknown): unknown {
  if (!isObject(first) || !isObject(second)) return second
  const all: FreeForm = { ...first }
  for (const [key, value] of Object.entries(second))
    defineProperty(all, key, Object.hasOwn(first, key) ? mergeObjects(first[key], value) : value)
  return all
}

/** Sets a property whose name is the user's: a plain assignment to `__proto__` would not make one. */
export function defineProperty(object: FreeForm, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
