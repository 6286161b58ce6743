import { withoutWords } from './occurrences.ts'

const shortest = 4

/** The text with all secrets in it, in any common encoding, replaced by `…`. For messages of external drivers. */
export function redact(text: string, secrets: unknown): string {
  const words = new Set<string>()
  collect(secrets, words)
  return withoutWords(text, words, '…')
}

function collect(value: unknown, words: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, words)
    return
  }
  const text = typeof value === 'string' ? value : String(value ?? '')
  if (text.length < shortest || text === 'true' || text === 'false') return
  for (const each of encodingsOf(text)) if (each.length >= shortest) words.add(each)
}

/** A text as it is, and encoded in JSON, URLs, base64 and hexadecimal, also as part of a longer encoded text. */
export function encodingsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const inUrl = encodeURIComponent(text.toWellFormed())
  const hexadecimal = bytes.toString('hex')
  const base64 = [bytes.toString('base64'), ...withinBase64(bytes)]
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    inUrl,
    inUrl.replaceAll('%20', '+'),
    new URLSearchParams([['', text]]).toString().slice(1),
    hexadecimal,
    hexadecimal.toUpperCase(),
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** Base64 of the text at each possible offset in a longer encoded text. */
function withinBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor(((before + bytes.length) * 8) / 6)
    return encoded.slice(first, last)
  })
}
