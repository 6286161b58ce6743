import { Stalled } from '../domain/errors.ts'

const shortest = 6

/** The texts by which secrets would be recognized, however they are encoded; short ones are left out. */
export function secretWords(secrets: unknown): readonly string[] {
  const words = new Set<string>()
  for (const text of textsIn(secrets, false)) {
    if (text.length < shortest || text === 'false') continue
    const inUrl = encodeURIComponent(text)
    const inJson = JSON.stringify(text).slice(1, -1)
    for (const each of [text, inJson, inUrl, inUrl.replaceAll('%20', '+'), ...inBase64(text)])
      if (each.length >= shortest) words.add(each)
  }
  return [...words]
}

/** Refuses data that is not secret and holds a secret; `what` names it for the author of the template. */
export function refuseLeak(data: unknown, words: readonly string[], what: string): void {
  if (words.length === 0) return
  for (const text of textsIn(data, true)) {
    if (words.some((word) => text.includes(word)))
      throw new Stalled(
        'SecretLeak',
        `${what} holds a secret: secrets belong in secret outputs and in Secrets`,
      )
  }
}

/** Base64 of the text, alone and wherever it may stand within a longer text that is encoded. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor(((before + bytes.length) * 8) / 6)
    return encoded.slice(first, last)
  })
}

function* textsIn(value: unknown, withKeys: boolean): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    if (value !== undefined && value !== null) yield String(value)
    return
  }
  for (const [key, member] of Object.entries(value)) {
    if (withKeys && !Array.isArray(value)) yield key
    yield* textsIn(member, withKeys)
  }
}
