import type { StoredObject } from '../../api/kind.ts'
import { isIndexed, isObject } from '../../domain/base/json.ts'

/** How many characters of texts a pool keeps at least: for each object of the cache, within limits. */
const poolCharacters = { perObject: 100, least: 20_000, most: 1_000_000 }

/** The engine shares shorter texts itself; longer ones are hardly ever equal. */
const sharedLengths = { least: 11, most: 256 }

/** Values by text. It forgets those that were not asked for in a while, so its size is bounded. */
class Pool<T> {
  #recent = new Map<string, T>()
  #older = new Map<string, T>()
  #characters = 0
  readonly #objects: () => number

  constructor(objects: () => number) {
    this.#objects = objects
  }

  find(text: string): T | undefined {
    const recent = this.#recent.get(text)
    if (recent !== undefined) return recent
    const known = this.#older.get(text)
    if (known !== undefined) this.add(text, known)
    return known
  }

  add(text: string, value: T): void {
    this.#recent.set(text, value)
    this.#characters += text.length
    const { perObject, least, most } = poolCharacters
    if (this.#characters <= Math.min(most, Math.max(least, perObject * this.#objects()))) return
    this.#older = this.#recent
    this.#recent = new Map()
    this.#characters = 0
  }
}

/** How often the values of a field were equal to known ones: looking for fields such as `uid` is in vain. */
class FieldUse {
  #asked = 0
  #found = 0
  #skipped = 0

  isWorthwhile(): boolean {
    if (this.#asked < 128 || this.#found * 8 >= this.#asked) return true
    this.#skipped = (this.#skipped + 1) % 16
    return this.#skipped === 0
  }

  note(isFound: boolean): void {
    this.#asked += 1
    this.#found += Number(isFound)
    if (this.#asked < 1024) return
    // Later values count more.
    this.#asked /= 2
    this.#found /= 2
  }
}

/**
 * Returns an object with less memory and the same content, except fields that no code reads. A spec or status that the
 * version before has too stays the same object, except when a deletion begins or another object has got the name: those
 * who compare specs must learn of that.
 */
export type Compact = <T extends StoredObject>(object: T, before?: T) => T

/**
 * Makes equal parts of the objects of a kind the same part: thousands of resources have the same definition, context and
 * conditions. Objects of a cache are replaced and never changed, so a shared part never changes either. `objects` returns
 * the size of the cache: while it holds few objects, little is kept of those that were there.
 */
export function createCompact(objects: () => number): Compact {
  const texts = new Pool<string>(objects)
  const parts = new Pool<object>(objects)
  const sections = ['metadata', 'spec', 'status'].map((name) => ({ name, uses: new Map<string, FieldUse>() }))

  function shared<T>(pool: Pool<T>, text: string, value: T, use: FieldUse): T {
    const known = pool.find(text)
    use.note(known !== undefined)
    if (known !== undefined) return known
    pool.add(text, value)
    return value
  }

  function compactValue(value: unknown, use: FieldUse): unknown {
    if (typeof value === 'string')
      return isShareable(value) && use.isWorthwhile() ? shared(texts, value, value, use) : value
    if (typeof value !== 'object' || value === null || !use.isWorthwhile()) return value
    return shared(parts, JSON.stringify(value), value, use)
  }

  function compactFields(section: Record<string, unknown>, uses: Map<string, FieldUse>): void {
    for (const key of Object.keys(section)) {
      const use = uses.get(key) ?? new FieldUse()
      uses.set(key, use)
      section[key] = compactValue(section[key], use)
    }
  }

  return (object, before) => {
    const content = slim(object) as Record<string, unknown> // the kinds differ in their fields
    const known = (before && hasSameLife(object, before) ? before : {}) as Record<string, unknown>
    for (const { name, uses } of sections) {
      const section = content[name]
      if (!isObject(section)) continue
      unlessTooDeep(() => {
        // Two versions never have the same metadata.
        if (name !== 'metadata' && isIdentical(section, known[name])) content[name] = known[name]
        else compactFields(section, uses)
      })
    }
    return object
  }
}

/** Stops at a value that is nested deeper than the call stack: an error would end the watch of all objects of the kind. */
function unlessTooDeep(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

function isShareable({ length }: string): boolean {
  return length >= sharedLengths.least && length <= sharedLengths.most
}

function hasSameLife({ metadata }: StoredObject, { metadata: before }: StoredObject): boolean {
  return metadata.uid === before.uid && metadata.deletionTimestamp === before.deletionTimestamp
}

/** Whether two JSON values are equal, with their keys in the same order. */
function isIdentical(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (!isIndexed(left) || !isIndexed(right) || Array.isArray(left) !== Array.isArray(right)) return false
  const [keys, others] = [Object.keys(left), Object.keys(right)]
  return (
    keys.length === others.length &&
    keys.every((key, index) => key === others[index] && isIdentical(left[key], right[key]))
  )
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
