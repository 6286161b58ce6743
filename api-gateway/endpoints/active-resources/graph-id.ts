import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** The longest id that a path takes. */
export const longestGraphId = 8000

const mostBytes = 4 * 1024 * 1024

/** The id of a graph holds what the graph was asked for, so that it can be computed again wherever it is read. */
export function graphIdOf(requested: unknown): string {
  return deflateRawSync(JSON.stringify(requested)).toString('base64url')
}

/** What the graph of an id was asked for; undefined for a text that is no such id. */
export function requestedIn(id: string): unknown {
  try {
    const text = inflateRawSync(Buffer.from(id, 'base64url'), { maxOutputLength: mostBytes }).toString()
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
