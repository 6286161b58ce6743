const shortest = 4

/** The text with every secret in it, however it is encoded, replaced by `…`; for words of drivers that we do not know. */
export function redact(text: string, secrets: unknown): string {
  const words = new Set<string>()
  collect(secrets, words)
  // The longest first: one secret may be a part of another.
  const sorted = [...words].sort((a, b) => b.length - a.length)
  return sorted.reduce((rest, word) => rest.replaceAll(word, '…'), text)
}

function collect(value: unknown, words: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, words)
    return
  }
  const text = typeof value === 'string' ? value : String(value ?? '')
  if (text.length < shortest || text === 'true' || text === 'false') return
  const inJson = JSON.stringify(text).slice(1, -1)
  const base64 = Buffer.from(text).toString('base64')
  for (const each of [text, inJson, encodeURIComponent(text), base64, base64.replace(/=+$/, '')])
    words.add(each)
}
