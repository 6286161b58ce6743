import type { ZoneApi } from './api.ts'
import { CloudflareError } from './api-error.ts'

/**
 * Reads the name of a zone, once; undefined when the call fails, or when the token may not read it, which is tried again
 * after `retryMs`.
 */
export function createZoneNameReader(
  api: Pick<ZoneApi, 'zoneName'>,
  clock: () => number,
  retryMs: number,
): (signal: AbortSignal) => Promise<string | undefined> {
  let known: { readonly name: string | undefined; readonly until: number } | undefined
  return async (signal) => {
    if (known && clock() < known.until) return known.name
    try {
      const name = await api.zoneName(signal)
      known = { name, until: name === undefined ? clock() + retryMs : Number.POSITIVE_INFINITY }
      return name
    } catch (error) {
      if (error instanceof CloudflareError && error.kind === 'unknown') return undefined
      throw error
    }
  }
}
