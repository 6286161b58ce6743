import { checkLength } from './limits.ts'
import { goQuote, numberText, print, printWith } from './print.ts'
import { isDict, typeName } from './values.ts'

interface Verb {
  readonly letter: string
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
}

const directive = /%([+\-# 0]*)((?:\[\d+\])?\*|\d+)?(?:\.((?:\[\d+\])?\*|\d*))?(\[\d+\])?(.?)/gsu

/** What Go's `fmt.Sprintf` gives; what does not fit a verb is shown as Go shows it, `%!d(string=a)`. */
export function formatted(format: string, values: readonly unknown[]): string {
  const rest = createArguments(values)
  let length = format.length
  const text = format.replace(
    directive,
    (_, flags: string, width: string, precision: string, index: string, letter: string) => {
      if (letter === '%') return '%'
      if (letter === '') return '%!(NOVERB)'
      const verb: Verb = {
        letter,
        flags,
        width: size(width, rest) ?? 0,
        precision: precision === '' ? 0 : size(precision, rest),
      }
      checkLength(Math.max(verb.width, verb.precision ?? 0))
      const missing = rest.moveTo(index)
      const piece = missing === undefined ? withVerb(rest.take(), verb) : `%!${letter}(${missing})`
      length += piece.length
      checkLength(length)
      return piece
    },
  )
  const next = rest.unused()
  if (next >= values.length) return text
  const extra = values
    .slice(next)
    .map((value) => (isNil(value) ? '<nil>' : `${typeName(value)}=${print(value)}`))
  return `${text}%!(EXTRA ${extra.join(', ')})`
}

interface Arguments {
  /** Moves to the argument of an index such as `[2]`, if one is given; returns why no argument is left. */
  moveTo(index: string | undefined): 'BADINDEX' | 'MISSING' | undefined
  take(): unknown
  /** The first argument that is not used; after an index none is. */
  unused(): number
}

function createArguments(values: readonly unknown[]): Arguments {
  let next = 0
  let isReordered = false
  return {
    moveTo(index) {
      if (index !== undefined) {
        const wanted = Number(index.slice(1, -1)) - 1
        isReordered = true
        if (wanted < 0 || wanted >= values.length) return 'BADINDEX'
        next = wanted
      }
      return next < values.length ? undefined : 'MISSING'
    },
    take: () => values[next++],
    unused: () => (isReordered ? values.length : next),
  }
}

function size(text: string | undefined, rest: Arguments): number | undefined {
  if (!text?.endsWith('*')) return text === undefined ? undefined : Number(text)
  rest.moveTo(text.slice(0, -1) || undefined)
  return Number(rest.take())
}

function withVerb(value: unknown, verb: Verb): string {
  if (verb.letter === 'T') return padded(typeName(value), verb)
  if (isDict(value) || Array.isArray(value)) return printWith(value, (leaf) => leafWithVerb(leaf, verb))
  return leafWithVerb(value, verb)
}

function leafWithVerb(value: unknown, verb: Verb): string {
  const text = isNumber(value) ? numberWith(value, verb) : textWith(value, verb)
  if (text !== undefined) return text
  return `%!${verb.letter}(${isNil(value) ? '<nil>' : `${typeName(value)}=${print(value)}`})`
}

function textWith(value: unknown, verb: Verb): string | undefined {
  const { letter } = verb
  if (typeof value === 'string') return stringWith(value, verb)
  const fits = typeof value === 'boolean' ? 'tv' : value instanceof Date ? 'sv' : isNil(value) ? 'v' : ''
  return fits.includes(letter) ? padded(print(value), verb) : undefined
}

function stringWith(value: string, verb: Verb): string | undefined {
  const { letter, flags } = verb
  const hex = () => hexText(value, flags)
  if (letter === 's' || letter === 'v') return padded(cut(value, verb), verb)
  if (letter === 'q')
    return padded(flags.includes('#') && !value.includes('`') ? `\`${value}\`` : goQuote(value), verb)
  if (letter === 'x') return padded(hex(), verb)
  return letter === 'X' ? padded(hex().toUpperCase(), verb) : undefined
}

/** The bytes of a text; `% x` has a space between them, and `%#x` a prefix. */
function hexText(value: string, flags: string): string {
  const prefix = flags.includes('#') && value !== '' ? '0x' : ''
  const bytes = Array.from(Buffer.from(value), (byte) => byte.toString(16).padStart(2, '0'))
  return prefix + bytes.join(flags.includes(' ') ? ` ${prefix}` : '')
}

function numberWith(value: number | bigint, verb: Verb): string | undefined {
  const { letter, flags } = verb
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  const whole = isWhole ? wholes[letter]?.(BigInt(value), flags.includes('#')) : undefined
  if (whole !== undefined && verb.precision !== undefined && 'dboOxXv'.includes(letter))
    return padded(signed(longEnough(whole, verb.precision), verb), { ...verb, flags: flags.replace('0', '') })
  const text = whole ?? fractions[letter.toLowerCase()]?.(Number(value), verb.precision)
  if (text === undefined) return undefined
  return padded(signed('EG'.includes(letter) ? text.toUpperCase() : text, verb), verb)
}

const fractions: Readonly<Record<string, (value: number, precision: number | undefined) => string>> = {
  v: numberText,
  f: (value, precision = 6) => value.toFixed(Math.min(precision, 100)),
  e: (value, precision = 6) => exponential(value.toExponential(Math.min(precision, 100))),
  g: (value, precision) =>
    precision === undefined
      ? numberText(value)
      : exponential(String(Number(value.toPrecision(Math.min(Math.max(1, precision), 100))))),
}

const wholes: Readonly<Record<string, (value: bigint, isMarked: boolean) => string>> = {
  d: String,
  b: (value, isMarked) => based(value, 2, isMarked ? '0b' : ''),
  o: (value, isMarked) => based(value, 8, isMarked ? '0' : ''),
  O: (value) => based(value, 8, '0o'),
  x: (value, isMarked) => based(value, 16, isMarked ? '0x' : ''),
  X: (value, isMarked) => based(value, 16, isMarked ? '0X' : '').toUpperCase(),
  c: characterOf,
  q: (value) => quoted(characterOf(value)),
  v: String,
  U: (value) => `U+${value.toString(16).toUpperCase().padStart(4, '0')}`,
}

/** The character of a code point; of a number that is none, the replacement character. */
function characterOf(value: bigint): string {
  const text = value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : ''
  return text !== '' && text.isWellFormed() ? text : '\ufffd'
}

function quoted(character: string): string {
  if (character === "'" || character === '"') return character === "'" ? `'\\''` : `'"'`
  return `'${goQuote(character).slice(1, -1)}'`
}

/** The number with at least this many digits. */
function longEnough(number: string, digits: number): string {
  const [, front = '', back = ''] = /^(-?(?:0[xXbo])?)(.*)$/s.exec(number) ?? []
  if (digits === 0 && back === '0') return ''
  return front + back.padStart(digits, '0')
}

function based(value: bigint, base: number, prefix: string): string {
  return value < 0n ? `-${prefix}${(-value).toString(base)}` : `${prefix}${value.toString(base)}`
}

function exponential(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

function signed(text: string, { flags, letter }: Verb): string {
  if (text.startsWith('-') || 'cUq'.includes(letter)) return text
  return flags.includes('+') && letter !== 'v' ? `+${text}` : flags.includes(' ') ? ` ${text}` : text
}

function cut(text: string, { precision }: Verb): string {
  return precision === undefined ? text : Array.from(text).slice(0, precision).join('')
}

function padded(text: string, { flags, width, letter }: Verb): string {
  const missing = width - Array.from(text).length
  if (missing <= 0) return text
  if (flags.includes('-')) return text + ' '.repeat(missing)
  if (!flags.includes('0') || !'dboOxXeEfFgGv'.includes(letter)) return ' '.repeat(missing) + text
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  return sign + '0'.repeat(missing) + rest
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function isNil(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
