import { FunctionFault, maxTextLength } from './limits.ts'
import { isDict } from './values.ts'

type Leaf = (value: unknown) => string

/** Prints a value as Go does: `map[a:1 b:[x y]]`, keys sorted. */
export function print(value: unknown): string {
  return printWith(value, leafText)
}

/** The same with another text for what is neither a map nor a list. */
export function printWith(value: unknown, leaf: Leaf): string {
  const parts: string[] = []
  let length = 0
  const push = (text: string) => {
    length += text.length
    // Lists may share items, so the output can be much larger than the value.
    if (length > maxTextLength) throw new FunctionFault(`prints more than ${maxTextLength} characters`)
    parts.push(text)
  }
  const visit = (inner: unknown): void => {
    if (Array.isArray(inner)) {
      push('[')
      inner.forEach((item, i) => {
        if (i > 0) push(' ')
        visit(item)
      })
      push(']')
    } else if (isDict(inner)) {
      push('map[')
      Object.keys(inner)
        .sort(byCodePoint)
        .forEach((key, i) => {
          push(`${i > 0 ? ' ' : ''}${leaf(key)}:`)
          visit(inner[key])
        })
      push(']')
    } else push(leaf(inner))
  }
  visit(value)
  return parts.join('')
}

function leafText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'number') return numberText(value)
  return value instanceof Date ? timeText(value) : String(value)
}

/** Go sorts keys by bytes of UTF-8, which is the order of code points. */
export function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** A number as Go's `%v` prints it; whole ones are integers, wherever they come from. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value)
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

function timeText(value: Date): string {
  const [day, time = ''] = value.toISOString().split(/[TZ]/)
  return `${day} ${time.replace(/\.?0*$/, '')} +0000 UTC`
}

/** The result of `print`: a space between neighbours when neither is text. */
export function printAll(values: readonly unknown[]): string {
  return values.reduce<string>((text, value, i) => {
    const isApart = i > 0 && typeof value !== 'string' && typeof values[i - 1] !== 'string'
    return `${text}${isApart ? ' ' : ''}${print(value)}`
  }, '')
}

/** A text in Go's double quotes. */
export function goQuote(text: string): string {
  const inner = text.replace(/["\\\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const known = escapes[character]
    if (known !== undefined) return known
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
    if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
    return `\\U${code.toString(16).padStart(8, '0')}`
  })
  return `"${inner}"`
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}
