import { Problem } from '../base/errors.ts'

/** One `${…}`, as the steps of its path. */
export interface Placeholder {
  readonly path: readonly string[]
}

/** A parsed text: literal parts and placeholders. */
export type Template = readonly (string | Placeholder)[]

const maxTextLength = 1_048_576
const maxPlaceholderLength = 4096

interface Cursor {
  readonly text: string
  readonly start: number
  position: number
}

/**
 * Parses a text into literal parts and placeholders. `$\{` is a literal `${`; each additional backslash is one literal
 * backslash. With `roots`, a `${` that none of these words follows is literal text too.
 */
export function parseTemplate(text: string, roots?: readonly string[]): Template {
  if (!text.includes('$')) return text === '' ? [] : [text]
  if (text.length > maxTextLength) {
    throw new Problem('Invalid', `a text of ${text.length} characters is too long for placeholders`)
  }
  const parts: (string | Placeholder)[] = []
  let literal = ''
  let position = 0
  while (position < text.length) {
    const dollar = text.indexOf('$', position)
    literal += text.slice(position, dollar === -1 ? text.length : dollar)
    if (dollar === -1) break
    position = dollar + 1
    if (text[position] === '{' && hasRoot(text, position + 1, roots)) {
      const cursor = { text, start: dollar, position: position + 1 }
      const path = parsePath(cursor)
      if (literal !== '') parts.push(literal)
      literal = ''
      parts.push({ path })
      position = cursor.position
      continue
    }
    let brace = position
    while (text[brace] === '\\') brace++
    const isEscaped = brace > position && text[brace] === '{'
    literal += `$${text.slice(isEscaped ? position + 1 : position, brace)}`
    position = brace
  }
  if (literal !== '') parts.push(literal)
  return parts
}

function hasRoot(text: string, position: number, roots: readonly string[] | undefined): boolean {
  if (!roots) return true
  const start = text[position] === '[' ? position + 2 : position
  return roots.some((root) => text.startsWith(root, start) && !/[\w-]/.test(text[start + root.length] ?? ''))
}

/** The text that `parseTemplate` parses into these parts. With `roots`, only what it would misread is escaped. */
export function formatTemplate(parts: Template, roots?: readonly string[]): string {
  let text = ''
  let literal = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      literal += part
      continue
    }
    text += `${escapeLiteral(literal, roots)}\${${formatPath(part.path)}}`
    literal = ''
  }
  return text + escapeLiteral(literal, roots)
}

function escapeLiteral(literal: string, roots: readonly string[] | undefined): string {
  return literal.replace(/\$(\\*)\{/g, (found, slashes: string, at: number) =>
    slashes === '' && !hasRoot(literal, at + 2, roots) ? found : `$${slashes}\\{`,
  )
}

/** The text of a path inside a placeholder. */
export function formatPath(path: readonly string[]): string {
  return path
    .map((step, i) => {
      if (/^[\w-]+$/.test(step)) return i === 0 ? step : `.${step}`
      return `['${step.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`
    })
    .join('')
}

function parsePath(cursor: Cursor): string[] {
  const { text, start } = cursor
  const path: string[] = []
  while (true) {
    const character = text[cursor.position]
    if (character === undefined || cursor.position - start > maxPlaceholderLength)
      throw malformed(cursor, 'has no end')
    if (character === '}' && path.length > 0) {
      cursor.position++
      return path
    }
    if (character === '[') {
      path.push(parseBracket(cursor))
      continue
    }
    if (path.length > 0 && character !== '.') throw malformed(cursor, `has an unexpected '${character}'`)
    if (path.length > 0) cursor.position++
    path.push(parseName(cursor))
  }
}

function parseName(cursor: Cursor): string {
  const { text } = cursor
  const begin = cursor.position
  while (cursor.position < text.length && !/[\s.[\]{}$'"\\]/.test(text[cursor.position] ?? ''))
    cursor.position++
  if (cursor.position === text.length) throw malformed(cursor, 'has no end')
  if (cursor.position === begin) throw malformed(cursor, 'has an empty or malformed step')
  return text.slice(begin, cursor.position)
}

function parseBracket(cursor: Cursor): string {
  const { text } = cursor
  const quote = text[++cursor.position]
  if (quote !== "'" && quote !== '"') throw malformed(cursor, 'has a bracket without a quoted name')
  const begin = ++cursor.position
  while (text[cursor.position] !== quote) {
    if (text[cursor.position] === '\\') cursor.position++
    if (++cursor.position >= text.length) throw malformed(cursor, 'has no end')
  }
  const quoted = text.slice(begin, cursor.position)
  if (text[++cursor.position] !== ']') throw malformed(cursor, "has a bracket without ']'")
  cursor.position++
  if (quote === "'") return quoted.replace(/\\([\\'])/g, '$1')
  try {
    return String(JSON.parse(`"${quoted}"`))
  } catch {
    throw malformed(cursor, `has a malformed name "${quoted}"`)
  }
}

function malformed({ text, start }: Cursor, what: string): Problem {
  const shown = text.length > start + 60 ? `${text.slice(start, start + 60)}…` : text.slice(start)
  return new Problem('Invalid', `placeholder '${shown}' at position ${start} ${what}`, { position: start })
}
