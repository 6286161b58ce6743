/** Longer than a request, its retries and a list take: no older version of an object arrives later. */
const keepMs = 300_000
const maxDeletions = 20_000

/**
 * Versions at which objects were deleted, by key or uid, while an older version may still arrive: of the object, or of an
 * earlier one of its name.
 */
export class RecentDeletions {
  readonly #now: () => number
  #current = new Map<string, bigint>()
  #earlier: ReadonlyMap<string, bigint> = new Map()
  #begun: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#begun = now()
  }

  versionOf(key: string): bigint | undefined {
    return this.#current.get(key) ?? this.#earlier.get(key)
  }

  /** Whether something with this key was deleted at this version or later. */
  covers(key: string, version: bigint): boolean {
    const deleted = this.versionOf(key)
    return deleted !== undefined && version <= deleted
  }

  /** With its version, because an object of the name can be made again, or regain its label. */
  add(key: string, version: bigint): void {
    const known = this.versionOf(key) ?? 0n
    this.#current.set(key, version > known ? version : known)
    const isFull = this.#current.size > maxDeletions
    if (!isFull && this.#now() - this.#begun < keepMs) return
    this.#begun = this.#now()
    this.#earlier = this.#current
    this.#current = new Map()
  }

  clear(): void {
    this.#current.clear()
    this.#earlier = new Map()
  }
}
