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

/** Bytes of a text in JSON as Go encodes it. */
function bytesOf(text: string): number {
  let bytes = Buffer.byteLength(text)
  for (const [escaped] of text.matchAll(/[\p{Cc}<>&"\\\u2028\u2029]/gu))
    bytes += '"\\\n\r\t'.includes(escaped) ? 1 : 5
  return bytes
}

const longestName = 253
const shownOfName = 100
/** The stack of a regular expression holds some millions of characters. */
const longestRead = 1_048_576

/** Shortens a message to `most` characters, and quoted names in it that are longer than any valid name. */
export function shortenMessage(message: string, most: number): string {
  const text =
    message.length > longestName ? truncate(message, longestRead).replace(quotedName, cutName) : message
  return truncate(text, most)
}

/** Short names too, so that the end of one does not begin another; an apostrophe within a word begins and ends none. */
const quotedName = /(?<![\p{L}\p{N}])'(?:[^']|(?<=[\p{L}\p{N}])'(?=[\p{L}\p{N}]))*'(?![\p{L}\p{N}])/gu

function cutName(quoted: string): string {
  return quoted.length > longestName + 2 ? `'${quoted.slice(1, shownOfName + 1)}…'` : quoted
}

/** Shortens a text to `most` characters. */
export function truncate(text: string, most: number): string {
  // The API server would replace half of a surrogate pair, and the text would never compare equal.
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed()
}
