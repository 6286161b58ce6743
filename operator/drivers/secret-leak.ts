import { Stalled } from '../domain/errors.ts'
import { formsOf } from '../domain/redact.ts'

const shortest = 6

/** The texts by which secrets would be recognized, however they are encoded; short ones are left out. */
export function secretWords(secrets: unknown): readonly string[] {
  const words = new Set<string>()
  for (const text of textsIn(secrets, false)) {
    if (text.length < shortest || text === 'false') continue
    for (const each of formsOf(text)) if (each.length >= shortest) words.add(each)
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
