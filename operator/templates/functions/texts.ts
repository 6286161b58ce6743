import { posix } from 'node:path'
import { formatted } from '../format.ts'
import { bounded, checkLength, FunctionFault } from '../limits.ts'
import { goQuote, print, printAll } from '../print.ts'
import { type Functions, listArgument, textArgument, wholeArgument } from '../values.ts'

const isThere = (value: unknown) => value !== undefined && value !== null
const base = (path: unknown) => posix.basename(textArgument(path)) || (textArgument(path) === '' ? '.' : '/')
const clean = (path: unknown) => posix.normalize(textArgument(path)).replace(/(?<=.)\/$/, '')
const dir = (path: unknown) => clean(/^.*\/|/s.exec(textArgument(path))?.[0])
const ext = (path: unknown) => /\.[^./]*$/.exec(textArgument(path))?.[0] ?? ''
const isAbs = (path: unknown) => textArgument(path).startsWith('/')

/** A letter after a space, or after a character of ASCII that is no letter, digit or underscore. */
const beginOfWord = /(?<=^|[^\w\u{80}-\u{10FFFF}]|\s)\p{L}/gu

/** The upper case of a letter that has one letter as such. */
export function upperLetter(letter: string): string {
  const upper = letter.toUpperCase()
  return upper.length === letter.length ? upper : letter
}

/** Functions of texts. */
export const textFunctions: Functions = {
  print: (...values) => printAll(values),
  println: (...values) => `${values.map(print).join(' ')}\n`,
  printf: (format, ...values) => formatted(textArgument(format), values),
  toString: (value: unknown) => print(value),
  quote: (...values) =>
    values
      .filter(isThere)
      .map((each) => goQuote(print(each)))
      .join(' '),
  squote: (...values) =>
    values
      .filter(isThere)
      .map((each) => `'${print(each)}'`)
      .join(' '),
  cat: (...values) => values.filter(isThere).map(print).join(' '),
  repeat: (count, text) => repeated(textArgument(text), wholeArgument(count)),
  indent: (count, text) => indented(wholeArgument(count), textArgument(text)),
  nindent: (count, text) => `\n${indented(wholeArgument(count), textArgument(text))}`,
  title: (text) => textArgument(text).replaceAll(beginOfWord, upperLetter),
  replace: (old, by, text) => replaced(textArgument(text), textArgument(old), textArgument(by)),
  join: (separator, list) => joined(textArgument(separator), list),
  base,
  osBase: base,
  dir,
  osDir: dir,
  ext,
  osExt: ext,
  clean,
  osClean: clean,
  isAbs,
  osIsAbs: isAbs,
  required: (message, value) => {
    if (value === undefined || value === null || value === '')
      throw new FunctionFault(`says: ${textArgument(message)}`)
    return value
  },
  fail: (message) => {
    throw new FunctionFault(`says: ${textArgument(message)}`)
  },
  call: () => {
    throw new FunctionFault('has nothing to call')
  },
}

function repeated(text: string, count: number): string {
  checkLength(text.length * Math.max(0, count))
  return text.repeat(Math.max(0, count))
}

function indented(count: number, text: string): string {
  const lines = text.split('\n')
  const spaces = Math.max(0, count)
  checkLength(text.length + lines.length * spaces)
  return lines.map((line) => ' '.repeat(spaces) + line).join('\n')
}

function replaced(text: string, old: string, by: string): string {
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old)
  checkLength(text.length + parts.length * by.length)
  return parts.join(by)
}

function joined(separator: string, list: unknown): string {
  const items = Array.isArray(list)
    ? listArgument(list).filter(isThere).map(print)
    : [list].filter(isThere).map(print)
  checkLength(items.reduce((length, each) => length + each.length + separator.length, 0))
  return bounded(items.join(separator))
}
