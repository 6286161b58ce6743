type Need = 'needed' | 'released'

/** Which Secrets, as `namespace/name`, resources need or released, by uid, before their status says so. */
export class SecretNeeds {
  readonly #byResource = new Map<string, Map<string, Need>>()
  /** Uids of the resources that need a Secret. */
  readonly #bySecret = new Map<string, Set<string>>()

  get(uid: string, key: string): Need | undefined {
    return this.#byResource.get(uid)?.get(key)
  }

  isNeeded(key: string): boolean {
    return this.#bySecret.has(key)
  }

  /** The Secrets that a resource needs. */
  keysOf(uid: string): string[] {
    return [...(this.#byResource.get(uid) ?? [])].flatMap(([key, need]) => (need === 'needed' ? [key] : []))
  }

  set(uid: string, key: string, need: Need | undefined): void {
    this.#unlink(uid, key)
    const needs = this.#byResource.get(uid) ?? new Map<string, Need>()
    if (need) this.#byResource.set(uid, needs.set(key, need))
    else needs.delete(key)
    if (need === 'needed') this.#bySecret.set(key, (this.#bySecret.get(key) ?? new Set()).add(uid))
  }

  delete(uid: string): void {
    for (const key of this.#byResource.get(uid)?.keys() ?? []) this.#unlink(uid, key)
    this.#byResource.delete(uid)
  }

  #unlink(uid: string, key: string): void {
    const uids = this.#bySecret.get(key)
    uids?.delete(uid)
    if (uids?.size === 0) this.#bySecret.delete(key)
  }
}
