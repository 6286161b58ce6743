import { Problem } from './errors.ts'

/** Characters that placeholders may add to the inputs of one resource. */
export const maxExpandedLength = 1_048_576

/** The input exceeds a size limit. */
export class TooLarge extends Problem {
  constructor(message: string) {
    super('Invalid', message)
  }
}

/** Approximate number of characters of a value as JSON, without escapes. Counting ends soon after `most`. */
export function lengthOf(value: unknown, most = Infinity): number {
  return measure(value, { ofText: (text) => text.length, ofKey: ({ length }) => length + 4, most })
}

/**
 * Upper bound of the bytes that the API server stores for a value: JSON with HTML characters escaped and all keys counted
 * twice, because `managedFields` repeats them.
 */
export function storedBytes(value: unknown): number {
  return measure(value, { ofText: bytesOf, ofKey: (key) => 2 * bytesOf(key) + 20, most: Infinity })
}

/** A value takes at most this many stored bytes per character of its length. */
export const storedPerLength = 12

interface Measure {
  ofText(text: string): number
  ofKey(key: string): number
  readonly most: number
}

function measure(value: unknown, { ofText, ofKey, most }: Measure): number {
  let total = 0
  // Not recursive: a value may be nested deeper than the call stack.
  const holders: Readonly<Record<string, unknown>>[] = []
  const add = (each: unknown): void => {
    if (typeof each === 'string') total += ofText(each) + 3
    else if (typeof each === 'number') total += String(each).length + 1
    else total += 6
    if (typeof each === 'object' && each !== null) holders.push(each as Readonly<Record<string, unknown>>) // arrays have text keys too
  }
  add(value)
  for (let holder = holders.pop(); holder; holder = holders.pop()) {
    const isList = Array.isArray(holder)
    for (const key in holder) {
      if (total > most) return total
      if (!isList) total += ofKey(key)
      add(holder[key])
    }
  }
  return total
}

/** Nearly all texts have only characters that are one byte in JSON. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/

/** Bytes of a text in JSON as Go encodes it. */
function bytesOf(text: string): number {
  if (plainText.test(text)) return text.length
  let bytes = Buffer.byteLength(text)
  for (const [escaped] of text.matchAll(/[\p{Cc}<>&"\\\u2028\u2029]/gu))
    bytes += '"\\\n\r\t'.includes(escaped) ? 1 : 5
  return bytes
}

const longestName = 253
const shownOfName = 100
/** Names are found in so many characters, and with so many quotes: a longer message costs no more. */
const longestRead = 1_048_576
const mostQuotes = 65_536

/** Shortens a message to `most` characters, and quoted names in it that are longer than any valid name. */
export function shortenMessage(message: string, most: number): string {
  return truncate(message.length > longestName ? withShortNames(message, most) : message, most)
}

/** Returns the message with short names, or a beginning of it that is longer than `most`. */
function withShortNames(message: string, most: number): string {
  let text = ''
  let copied = 0
  let opened: number | undefined
  for (const { at, isAfterWord, isBeforeWord } of quotesIn(message.slice(0, longestRead))) {
    if (opened !== undefined && !isBeforeWord) {
      // Short names end here too, so that the end of one does not begin another.
      if (at - opened - 1 > longestName) {
        text += `${message.slice(copied, opened + 1 + shownOfName)}…'`
        copied = at + 1
      }
      opened = undefined
      continue
    }
    if (text.length + at - copied > most) break
    if (!isAfterWord) opened = at
  }
  return text + message.slice(copied, copied + most + 1)
}

/** Finds the first quotes of a text, except apostrophes within a word, which begin and end no name. */
function* quotesIn(text: string) {
  let at = text.indexOf("'")
  for (let seen = 0; at !== -1 && seen < mostQuotes; seen += 1) {
    const isAfterWord = endsWithWord.test(text.slice(Math.max(0, at - 2), at))
    const isBeforeWord = beginsWithWord.test(text.slice(at + 1, at + 3))
    if (!isAfterWord || !isBeforeWord) yield { at, isAfterWord, isBeforeWord }
    at = text.indexOf("'", at + 1)
  }
}

// Two units of a text hold the character next to a quote.
const endsWithWord = /[\p{L}\p{N}]$/u
const beginsWithWord = /^[\p{L}\p{N}]/u

/** Shortens a text to `most` characters. */
export function truncate(text: string, most: number): string {
  // The API server would replace half of a surrogate pair, and the text would never compare equal.
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed()
}
