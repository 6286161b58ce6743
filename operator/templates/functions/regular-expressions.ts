import { RE2JS } from 're2js'
import { checkItems, checkLength, FunctionFault } from '../limits.ts'
import { type Functions, textArgument, wholeArgument } from '../values.ts'

interface Match {
  readonly start: number
  readonly end: number
  group(name: string): string
}

/** Regular expressions with the syntax of Go, in linear time. */
export const regularExpressionFunctions: Functions = {
  regexMatch: (pattern, text) => compiled(pattern).matcher(textArgument(text)).find(),
  regexFind: (pattern, text) => findAll(pattern, text, 1)[0] ?? '',
  regexFindAll: (pattern, text, count) => findAll(pattern, text, wholeArgument(count)),
  regexReplaceAll: (pattern, text, replacement) => {
    const template = textArgument(replacement)
    return replaced(pattern, text, (match) => expanded(template, match))
  },
  regexReplaceAllLiteral: (pattern, text, replacement) => {
    const literal = textArgument(replacement)
    return replaced(pattern, text, () => literal)
  },
  regexSplit: (pattern, text, count) => split(pattern, textArgument(text), wholeArgument(count)),
  regexQuoteMeta: (text) => textArgument(text).replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'),
}

function compiled(pattern: unknown): RE2JS {
  const text = textArgument(pattern)
  try {
    return RE2JS.compile(text)
  } catch {
    throw new FunctionFault('takes a regular expression, and this is none')
  }
}

/** Matches from left to right; as in Go, none is empty right after another one. */
function* matchesOf(pattern: unknown, text: string): Generator<Match> {
  const matcher = compiled(pattern).matcher(text)
  let previous = -1
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    if (start === end && start === previous) continue
    previous = end
    const group = (name: string) => {
      const isKnown = /^\d+$/.test(name)
        ? Number(name) <= matcher.groupCount()
        : name in matcher.getNamedGroups()
      return isKnown ? (matcher.group(/^\d+$/.test(name) ? Number(name) : name) ?? '') : ''
    }
    yield { start, end, group }
  }
}

function findAll(pattern: unknown, text: unknown, count: number): string[] {
  const source = textArgument(text)
  const found: string[] = []
  if (count === 0) return found
  for (const { start, end } of matchesOf(pattern, source)) {
    found.push(source.slice(start, end))
    checkItems(found.length)
    if (found.length === count) break
  }
  return found
}

function replaced(pattern: unknown, text: unknown, replacement: (match: Match) => string): string {
  const source = textArgument(text)
  const parts: string[] = []
  let [from, length] = [0, 0]
  for (const match of matchesOf(pattern, source)) {
    const part = source.slice(from, match.start) + replacement(match)
    from = match.end
    length += part.length
    checkLength(length)
    parts.push(part)
  }
  return parts.join('') + source.slice(from)
}

/** `$1`, `${1}` and `${name}` in a replacement; `$1W` is the group named `1W`. */
function expanded(template: string, match: Match): string {
  return template.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (_, braced?: string, plain?: string) => {
    const name = braced ?? plain
    return name === undefined ? '$' : match.group(name)
  })
}

function split(pattern: unknown, text: string, count: number): string[] {
  if (count === 0) return []
  const parts: string[] = []
  let from = 0
  for (const { start, end } of matchesOf(pattern, text)) {
    if (parts.length === count - 1) break
    if (end === 0) continue // as Go does: nothing comes before the first character
    if (start === end && start === text.length) continue
    parts.push(text.slice(from, start))
    checkItems(parts.length)
    from = end
  }
  return [...parts, text.slice(from)]
}
