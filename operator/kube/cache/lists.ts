import type { StoredObject } from '../../api/kind.ts'
import { keyOf } from '../client/resource.ts'
import { versionOf } from './cache.ts'

/** The first complete list of a reflector, which tries to read it until it can. */
export class FirstList {
  readonly #complete = Promise.withResolvers<void>()
  #isComplete = false
  /** The error of the last attempt. */
  #failure: unknown
  /** Resolves when the current attempt fails. */
  #failed = Promise.withResolvers<void>()

  /** Resolves when the list is complete; rejects after `refuse`. */
  get complete(): Promise<void> {
    return this.#complete.promise
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  /** The list is complete. */
  finish(): void {
    this.#isComplete = true
    this.#complete.resolve()
  }

  /** An attempt failed, and another one follows. */
  fail(failure: unknown): void {
    this.#failure = failure
    this.#failed.resolve()
    this.#failed = Promise.withResolvers()
  }

  /** No attempt follows. */
  refuse(refusal: unknown): void {
    this.#complete.reject(refusal)
  }

  /** Waits until the list is complete. Throws the error of the next attempt that fails, or the last error after `mostMs`. */
  async waitFor(mostMs: number): Promise<void> {
    if (this.#isComplete) return
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, mostMs)
    try {
      await Promise.race([this.#complete.promise, this.#failed.promise, late.promise])
    } finally {
      clearTimeout(timer)
    }
    if (!this.#isComplete) throw this.#failure ?? new Error('the first list does not end')
  }
}

/**
 * A list while it is read. A complete list of a version contains the newest state of each object up to that version, and
 * nothing that was deleted before it began. A cache that knows better knows a history that the API server has lost.
 */
export class RunningList {
  readonly #keys = new Set<string>()
  readonly #removed = new Set<string>()
  /** Objects that the list shows otherwise than the cache: a list of at least this version contradicts the cache. */
  readonly #contradicted = new Map<string, bigint>()

  /** Keys of the objects in the list. */
  get keys(): ReadonlySet<string> {
    return this.#keys
  }

  /** Notes an object of the list, and what the cache holds after it was given that object. */
  add(object: StoredObject, known: StoredObject | undefined): void {
    const key = keyOf(object)
    this.#keys.add(key)
    this.#contradicted.delete(key)
    if (known && versionOf(known) > versionOf(object)) this.#contradicted.set(key, versionOf(known))
    // The list may have begun before an object was removed.
    if (!known && !this.#removed.has(key)) this.#contradicted.set(key, 0n)
  }

  /** Notes an object that was deleted while the list was read. */
  delete(object: StoredObject): void {
    this.#keys.delete(keyOf(object))
    this.#contradicted.delete(keyOf(object))
  }

  /** Notes an object that left the cache while the list was read. */
  noteRemoval(object: StoredObject): void {
    this.#removed.add(keyOf(object))
  }

  /** Whether the cache knows states that a complete list of this version lacks, as after a restore of etcd. */
  contradictsCache(version: bigint): boolean {
    return [...this.#contradicted.values()].some((known) => known <= version)
  }
}
