import type { StoredObject } from '../../api/kind.ts'

/** Texts of a pool that are kept at least, in characters. */
const poolCharacters = 1_000_000

/** Shorter texts are shared by the engine, longer ones are hardly ever equal. */
const sharedLengths = { least: 11, most: 256 }

/** Values by text. It forgets those that were not asked for in a while, so its size is bounded. */
class Pool<T> {
  #recent = new Map<string, T>()
  #older = new Map<string, T>()
  #characters = 0

  /** The value that is known by this text, or else this one from now on. */
  get(text: string, value: T): T {
    const recent = this.#recent.get(text)
    if (recent !== undefined) return recent
    const known = this.#older.get(text) ?? value
    this.#recent.set(text, known)
    this.#characters += text.length
    if (this.#characters > poolCharacters) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#characters = 0
    }
    return known
  }
}

/** Returns an object with less memory and the same content, except fields that no code reads. */
export type Compact = <T extends StoredObject>(object: T) => T

/**
 * Makes equal parts of objects the same part: thousands of resources have the same definition, context and conditions.
 * Objects of a cache are replaced and never changed, so a shared part never changes either.
 */
export function createCompact(): Compact {
  const texts = new Pool<string>()
  const parts = new Pool<object>()

  function shared(value: unknown): unknown {
    if (typeof value === 'string') {
      const isShared = value.length >= sharedLengths.least && value.length <= sharedLengths.most
      return isShared ? texts.get(value, value) : value
    }
    if (typeof value !== 'object' || value === null) return value
    return parts.get(JSON.stringify(value), value)
  }

  function shareFields(fields: Record<string, unknown>): void {
    for (const key of Object.keys(fields)) fields[key] = shared(fields[key])
  }

  return (object) => {
    const content = slim(object) as Record<string, unknown> // the kinds differ in their fields
    for (const [key, value] of Object.entries(content))
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        shareFields(value as Record<string, unknown>)
      else content[key] = shared(value)
    return object
  }
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** Removes fields that no code reads: managed fields are a third of an object. */
function slim(object: StoredObject): StoredObject {
  const target = object as { metadata: StoredObject['metadata'] } // read from the API server for this cache alone
  // A copy, because an object from which a field is deleted needs twice the memory.
  if (object.metadata.managedFields) {
    const { managedFields: _, ...metadata } = object.metadata
    target.metadata = metadata
  }
  if (object.metadata.annotations?.[lastApplied] !== undefined) {
    const { [lastApplied]: _, ...annotations } = object.metadata.annotations
    target.metadata = { ...object.metadata, annotations }
  }
  return object
}
