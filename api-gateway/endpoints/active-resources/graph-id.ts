import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Maximum length of a graph ID in a path. */
export const longestGraphId = 8000

const mostBytes = 4 * 1024 * 1024

/** Encodes the requested resources, so that any gateway can compute the graph again. */
export function graphIdOf(requested: unknown): string {
  return deflateRawSync(JSON.stringify(requested)).toString('base64url')
}

/** Decodes the requested resources of a graph ID; undefined if it is not valid. */
export function requestedIn(id: string): unknown {
  try {
    const text = inflateRawSync(Buffer.from(id, 'base64url'), { maxOutputLength: mostBytes }).toString()
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
