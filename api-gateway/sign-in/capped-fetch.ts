import type { CustomFetch } from 'openid-client'

/** Metadata, keys and tokens of a provider take a few kilobytes. */
const maxBytes = 1024 * 1024

/** Fetches a complete response; throws if it exceeds the size limit. */
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
  // Some statuses do not allow a body, not even an empty one.
  return new Response(size > 0 ? Buffer.concat(chunks) : null, { status, statusText, headers })
}
