import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { refuseUnusable } from '../../request/body.ts'

/** Maximum length of a graph ID in a path. */
export const longestGraphId = 8000

/** Encodes the requested resources, so that any gateway can compute the graph again. */
export function graphIdOf(requested: unknown): string {
  return deflateRawSync(JSON.stringify(requested)).toString('base64url')
}

/** Decodes the requested resources of a graph ID; undefined if it is not valid, or its content exceeds the limits of a body. */
export function requestedIn(id: string, maxBytes: number): unknown {
  try {
    const text = inflateRawSync(Buffer.from(id, 'base64url'), { maxOutputLength: maxBytes }).toString()
    const requested: unknown = JSON.parse(text)
    refuseUnusable(requested)
    return requested
  } catch {
    return undefined
  }
}
