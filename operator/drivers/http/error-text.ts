import { isObject, parseJson } from '../../domain/base/json.ts'
import { redact } from '../../domain/secret/redact.ts'
import type { OutboundResponse } from '../../outbound/outbound.ts'

const maxRead = 16 * 1024
const maxCharacters = 500
const tellingFields = ['error', 'code', 'message', 'detail', 'description', 'title', 'reason']

/**
 * What a server says went wrong: the fields of a JSON object, a JSON string, plain text or the text of a page, without
 * `secrets`, short and on one line. Empty when it says nothing.
 */
export function errorTextOf(
  { text, headers }: Pick<OutboundResponse, 'text' | 'headers'>,
  secrets: unknown,
): string {
  const isPage =
    /\bhtml\b/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html|head|body)\b/i.test(text)
  // Before anything is cut: half a secret would not be recognized.
  const visible = redact(isPage ? text : saidIn(text), secrets).slice(0, maxRead)
  // A page may have secrets with HTML entities.
  return shortLine(isPage ? redact(textOfPage(visible), secrets) : visible)
}

/** A text on one line, without characters that show nothing or turn the line around, of at most 500 characters. */
function shortLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  if (line.length <= maxCharacters) return line
  // Not between the two halves of a character.
  return `${line.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function saidIn(text: string): string {
  const value = parseJson(text)
  if (value === undefined) return text
  if (typeof value === 'string') return value
  if (!isObject(value)) return text
  const fields = isObject(value.error) ? { ...value, ...value.error } : value
  const said = tellingFields.flatMap((name) => {
    const field = fields[name]
    return typeof field === 'string' && field.trim() !== '' ? [field.trim()] : []
  })
  return said.length > 0 ? [...new Set(said)].join(': ') : text
}

/** What a page shows, roughly; every step is linear in the length of the text but the first, for which it is short. */
function textOfPage(page: string): string {
  return page
    .replace(/<(script|style)\b.*?<\/\1>/gis, ' ')
    .replace(/<[^<>]*>?/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
