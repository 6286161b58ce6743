import { Problem } from './errors.ts'

/** Characters that may come into the inputs of one resource by its placeholders. */
export const maxExpandedLength = 1_048_576

/** Something would become larger than it may be. */
export class TooLarge extends Problem {
  constructor(message: string) {
    super('Invalid', message)
  }
}

/** About how many characters a value has as JSON, whatever must be escaped; counting ends soon after `most`. */
export function lengthOf(value: unknown, most = Infinity): number {
  return measure(value, { ofText: (text) => text.length, ofKey: ({ length }) => length + 4, most })
}

/**
 * How many bytes the API server keeps for a value, at most: as JSON that escapes what HTML would, with every name twice,
 * since it also notes who manages which field.
 */
export function storedBytes(value: unknown): number {
  return measure(value, { ofText: bytesOf, ofKey: (key) => 2 * bytesOf(key) + 20, most: Infinity })
}

/** So many times its length is the most that a value takes in the store. */
export const storedPerLength = 12

interface Measure {
  ofText(text: string): number
  ofKey(key: string): number
  readonly most: number
}

function measure(value: unknown, { ofText, ofKey, most }: Measure): number {
  let total = 0
  // A list of its own, since a value may be deeper than calls can be.
  const holders: Readonly<Record<string, unknown>>[] = []
  const add = (each: unknown): void => {
    if (typeof each === 'string') total += ofText(each) + 3
    else if (typeof each === 'number') total += String(each).length + 1
    else total += 6
    if (typeof each === 'object' && each !== null) holders.push(each as Readonly<Record<string, unknown>>) // lists are indexed by text as well
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

/** Bytes of a text in JSON as Go writes it. */
function bytesOf(text: string): number {
  let bytes = Buffer.byteLength(text)
  for (const [escaped] of text.matchAll(/[\p{Cc}<>&"\\\u2028\u2029]/gu))
    bytes += '"\\\n\r\t'.includes(escaped) ? 1 : 5
  return bytes
}

const longestName = 253
const shownOfName = 100

/** A message in which no quoted name is longer than any that can be meant, and that has at most so many characters. */
export function shortenMessage(message: string, most: number): string {
  const text = message.length > longestName ? message.replace(/'[^']{254,}'/g, cutName) : message
  return truncate(text, most)
}

function cutName(quoted: string): string {
  return `'${quoted.slice(1, shownOfName + 1)}…'`
}

/** The text, or its beginning when it has more than so many characters. */
export function truncate(text: string, most: number): string {
  // Half a character would be kept as another one, and so never be the same again.
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed()
}
