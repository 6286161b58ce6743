import type { FreeForm } from '../../api/schema.ts'
import { compareText, escapeToken, isObject, ownValue, pointerSteps } from '../base/json.ts'
import { declaredSecretPaths } from './declared-secrets.ts'

/** Non-secret and secret outputs of a resource. */
export interface Outputs {
  readonly values: FreeForm
  readonly secrets: FreeForm
}

/** Outputs, and JSON pointers to those that are or ever were secret. */
export interface SeparatedOutputs extends Outputs {
  readonly secretPaths: readonly string[]
}

/** Beyond this many characters, only the names of secret outputs are kept, not their full paths. */
const maxPathsLength = 65_536

/**
 * Moves outputs to the secret part if the schema declares them secret, the driver returns them as secret, or they were
 * secret before (`remembered`). If both parts have a value at one path, the secret value wins.
 */
export function separateSecrets(
  outputs: Outputs,
  outputsSchema: FreeForm = {},
  remembered: readonly string[] = [],
): SeparatedOutputs {
  const known = [...remembered, ...declaredSecretPaths(outputsSchema, outputs.values)]
  const values = structuredClone(outputs.values)
  const secrets = structuredClone(outputs.secrets)
  for (const path of compact([...known, ...leafPaths(secrets)])) move(pointerSteps(path), values, secrets)
  return { values, secrets, secretPaths: compact([...known, ...leafPaths(secrets)]) }
}

/** Whether each path equals or is below a known path. */
export function areCovered(paths: readonly string[], known: readonly string[]): boolean {
  const covering = new Set(known)
  return paths.every((path) => isCovered(path, covering))
}

/** JSON pointers to all values that are not objects. */
export function leafPaths(value: unknown, at = ''): string[] {
  if (!isObject(value)) return [at]
  return Object.entries(value).flatMap(([key, member]) => leafPaths(member, `${at}/${escapeToken(key)}`))
}

/** The outermost paths, sorted; only the names of the outputs if the paths are too long. */
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

/** Merges two objects recursively. If either value is not an object, returns the second. */
export function mergeObjects(first: unknown, second: unknown): unknown {
  if (!isObject(first) || !isObject(second)) return second
  const all: FreeForm = { ...first }
  for (const [key, value] of Object.entries(second))
    defineProperty(all, key, Object.hasOwn(first, key) ? mergeObjects(first[key], value) : value)
  return all
}

/** Sets a property with a user-defined name. Assigning to `__proto__` would change the prototype. */
export function defineProperty(object: FreeForm, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
