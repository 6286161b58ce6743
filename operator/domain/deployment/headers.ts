const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/
const plainValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers that frame the message, belong to one connection, or that the HTTP client sets. */
const reserved = new Set([
  'host',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'expect',
  'accept-encoding',
])

/** Names only the valid beginning: the rest can be a value by mistake, as in `authorization: Bearer …`. */
function problemOfName(name: string): string {
  const [beginning = ''] = /^[!#$%&'*+\-.^_`|~0-9a-z]{0,40}/.exec(name) ?? []
  const which = beginning === '' ? '' : `, which begins with '${beginning}'`
  return `a header has an invalid name${which}`
}

/** Why headers are invalid, without values; undefined when they are valid. */
export function problemOfHeaders(headers: Readonly<Record<string, unknown>>): string | undefined {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (!token.test(name)) return problemOfName(lower)
    if (reserved.has(lower)) return `header '${lower}' cannot be set`
    if (seen.has(lower)) return `header '${lower}' is given twice`
    if (typeof value !== 'string' || !plainValue.test(value))
      return `header '${lower}' has a value with an invalid character`
    seen.add(lower)
  }
  return undefined
}
