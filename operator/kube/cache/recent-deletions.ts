/** Longer than a request, its retries and a list take: no older version of an object arrives later. */
const keepMs = 300_000
const maxDeletions = 20_000

/** Versions at which objects were deleted, by uid, while an older version of them may still arrive. */
export class RecentDeletions {
  readonly #now: () => number
  #current = new Map<string, bigint>()
  #earlier: ReadonlyMap<string, bigint> = new Map()
  #begun: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#begun = now()
  }

  versionOf(uid: string): bigint | undefined {
    return this.#current.get(uid) ?? this.#earlier.get(uid)
  }

  /** With its version, because an object that loses its label and regains it keeps its uid. */
  add(uid: string, version: bigint): void {
    const known = this.versionOf(uid) ?? 0n
    this.#current.set(uid, version > known ? version : known)
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
