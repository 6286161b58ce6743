import { createZoneApi, tokenKey } from './api.ts'
import { type ConsistencyTimes, createZoneMemory, type ZoneMemory } from './memory.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { createZone, type Zone } from './zone.ts'

/** Settings of the calls to a zone. */
export interface ZoneSettings extends Partial<ConsistencyTimes> {
  /** Address of the provider's API, Cloudflare's by default. */
  readonly baseUrl?: string | undefined
  /** A batch for a zone begins after this long without a new record. */
  readonly collectMs?: number
  /** Timeout of one call. */
  readonly timeoutMs?: number
}

const maxZones = 500

/** The zones in use, one for each zone ID and token. */
export class ZonePool {
  readonly #settings: ZoneSettings
  readonly #clock: () => number
  readonly #rateLimiter: RateLimiter
  readonly #zones = new Map<string, Zone>()
  /** By zone ID: all tokens of a zone share the memory of its writes. */
  readonly #memories = new Map<string, ZoneMemory>()

  constructor(
    settings: ZoneSettings,
    { clock, rateLimiter }: { readonly clock: () => number; readonly rateLimiter: RateLimiter },
  ) {
    this.#settings = settings
    this.#clock = clock
    this.#rateLimiter = rateLimiter
  }

  zoneOf(zoneId: string, token: string): Zone {
    const key = `${tokenKey(token)} ${zoneId}`
    const known = this.#zones.get(key)
    if (known) return known
    if (this.#zones.size >= maxZones) this.#removeIdle()
    const [clock, rateLimiter] = [this.#clock, this.#rateLimiter]
    const { baseUrl, timeoutMs, collectMs = 100 } = this.#settings
    const api = createZoneApi(zoneId, { token, rateLimiter, baseUrl, timeoutMs })
    const memory = this.#memoryOf(zoneId)
    const zone = createZone({ zoneId, api, memory, rateLimiter, tokenKey: tokenKey(token), clock, collectMs })
    this.#zones.set(key, zone)
    return zone
  }

  close(): void {
    for (const zone of this.#zones.values()) zone.close()
  }

  #memoryOf(zoneId: string): ZoneMemory {
    const known = this.#memories.get(zoneId)
    if (known) return known
    const { settleMs = 10_000, confirmMs = 5000, overlayMs = 60_000 } = this.#settings
    const memory = createZoneMemory(this.#clock, { settleMs, confirmMs, overlayMs })
    this.#memories.set(zoneId, memory)
    return memory
  }

  #removeIdle(): void {
    for (const [key, zone] of this.#zones) if (zone.isIdle) this.#zones.delete(key)
    const used = new Set([...this.#zones.keys()].map((key) => key.split(' ')[1]))
    for (const zoneId of this.#memories.keys()) if (!used.has(zoneId)) this.#memories.delete(zoneId)
  }
}
