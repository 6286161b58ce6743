import { InvalidHeader } from './errors.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/
const plainValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** What frames the message, belongs to one connection only, or is decided by the guard itself. */
const ours = new Set([
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

/** The headers of a call by lower-case name; throws InvalidHeader for one that must not be sent. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (!token.test(name)) throw new InvalidHeader('a header has a name that is not a token')
    if (ours.has(lower)) throw new InvalidHeader(`header '${lower}' cannot be set`)
    if (checked.has(lower)) throw new InvalidHeader(`header '${lower}' is given twice`)
    if (typeof value !== 'string' || !plainValue.test(value))
      throw new InvalidHeader(`header '${lower}' has a value with a character that no header may hold`)
    checked.set(lower, value)
  }
  return Object.fromEntries(checked)
}
