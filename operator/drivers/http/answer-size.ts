/** More values than any answer needs; each takes up to a hundred times as much memory as its text, until its objects are applied. */
export const mostValues = 50_000

const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/** Whether a JSON text may have more than `most` values and members, found without parsing it. */
export function hasManyValues(text: string, most = mostValues): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  let values = 1
  let isInText = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) isInText = !isInText
    else if (isInText && code === backslash) at += 1
    else if (!isInText && (code === comma || code === bracket || code === brace)) values += 1
    if (values > most) return true
  }
  return false
}
