import type { CustomFetch } from 'openid-client'

/** The descriptions, keys and tokens of a provider take some kilobytes. */
const maxBytes = 1024 * 1024

/** Fetches an answer as a whole, and gives it up when it is larger than one of a provider can be. */
export const cappedFetch: CustomFetch = async (url, options) => {
  const { body, status, statusText, headers } = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes)
      throw new Error(`the response of '${new URL(url).origin}' is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  // Some statuses may not have a body, not even an empty one.
  return new Response(size > 0 ? Buffer.concat(chunks) : null, { status, statusText, headers })
}
