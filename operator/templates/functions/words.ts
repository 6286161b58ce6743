import { checkLength } from '../limits.ts'
import { type Functions, textArgument, wholeArgument } from '../values.ts'
import { upperLetter } from './texts.ts'

/** Functions that split texts into words. */
export const wordFunctions: Functions = {
  camelcase: (text) => camelCase(textArgument(text)),
  wrap: (width, text) => wrapped(textArgument(text), Math.max(1, wholeArgument(width)), '\n', false),
  wrapWith: (width, separator, text) =>
    wrapped(textArgument(text), Math.max(1, wholeArgument(width)), textArgument(separator) || '\n', true),
}

const isConnector = (character: string) => /^[-_\s]$/u.test(character)
const isUpper = (character: string) => /^\p{Lu}$/u.test(character)

/**
 * Every word begins in upper case; of upper case letters at the beginning of a word, only the first stays. Of
 * several connectors between two words, all but the last stay, as do those at both ends.
 */
function camelCase(text: string): string {
  const characters = Array.from(text)
  const begin = characters.findIndex((character) => !isConnector(character))
  // As sprig does, which repeats the last one.
  if (begin < 0) return `${text}${characters.at(-1) ?? ''}`
  let isUpperRun = false
  return characters
    .map((character, index) => {
      if (isConnector(character)) {
        const next = characters[index + 1]
        return index < begin || next === undefined || isConnector(next) ? character : ''
      }
      const before = characters[index - 1]
      if (before === undefined || isConnector(before)) {
        isUpperRun = isUpper(character)
        return upperLetter(character)
      }
      isUpperRun &&= isUpper(character)
      return isUpperRun ? character.toLowerCase() : character
    })
    .join('')
}

/** Breaks a text at the last space within the width, and longer words after it or within. Go counts bytes. */
function wrapped(text: string, width: number, separator: string, isWithin: boolean): string {
  checkLength(text.length * separator.length)
  const lines: string[] = []
  // A character for each byte.
  let rest = Buffer.from(text).toString('latin1')
  while (rest.length > width) {
    if (rest.startsWith(' ')) {
      rest = rest.slice(1)
      continue
    }
    const space = rest.slice(0, width + 1).lastIndexOf(' ')
    const next = isWithin ? width : rest.indexOf(' ', width)
    if (space < 0 && next < 0) break
    const end = space < 0 ? next : space
    lines.push(rest.slice(0, end))
    rest = rest.slice(rest[end] === ' ' ? end + 1 : end)
  }
  return [...lines, rest].map((line) => Buffer.from(line, 'latin1').toString()).join(separator)
}
