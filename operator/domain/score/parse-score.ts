import { Composer, type Document, isNode, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import { lengthOf } from '../base/size-limits.ts'
import { yamlOptions } from '../base/yaml-values.ts'
import { type Locate, type Position, problemAt, scoreError } from './problems.ts'

/** `apiVersion` of extension documents, with both vendor names. */
export const extensionVersions: readonly string[] = ['quartermaster.dev/v1b1', 'humanitec.org/v1b1']

/** A Score document of a file, and the extension document that follows it. */
export interface ScoreSource {
  readonly document: unknown
  readonly extension?: FreeForm
  readonly locate: Locate
}

const maxTextLength = 1_048_576
const maxAliases = 100
/** Tokens are keys, values, indicators, spaces and line ends; 100,000 take up to 0.3 s. */
const maxTokens = 200_000

/** The remaining tokens of the texts of one request; the event loop is blocked while they are read. */
export interface TextBudget {
  tokens: number
}

export function fullTextBudget(): TextBudget {
  return { tokens: maxTokens }
}

/**
 * The Score documents of a YAML or JSON text. An extension document belongs to the Score document before it. Throws a
 * Problem with line and column for a text that cannot be read.
 */
export function parseScore(text: string, budget = fullTextBudget()): ScoreSource[] {
  if (text.length > maxTextLength)
    throw new Problem('Invalid', `the file has ${text.length} characters; the limit is ${maxTextLength}`)
  const sources: ScoreSource[] = []
  for (const { value, locate } of readDocuments(text, budget)) {
    const extends_ = isObject(value) && extensionVersions.includes(String(value['apiVersion']))
    const last = sources.at(-1)
    if (!extends_) sources.push({ document: value, locate })
    else if (!last) throw scoreError('the file', [problemAt([], 'begins with an extension document', locate)])
    else if (last.extension)
      throw scoreError('the file', [problemAt([], 'has two extension documents for one workload', locate)])
    else sources.splice(-1, 1, { ...last, extension: value })
  }
  if (sources.length === 0) throw new Problem('Invalid', 'the file has no document')
  return sources
}

function readDocuments(text: string, budget: TextBudget): { value: unknown; locate: Locate }[] {
  const lines = new LineCounter()
  // The library compares each key with all others of its map.
  const composer = new Composer({ ...yamlOptions, uniqueKeys: false })
  const tokens = readTokens(text, lines, budget)
  const documents = guarded(() => withoutStacks(() => [...composer.compose(tokens)]))
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error?.code === 'RESOURCE_EXHAUSTION') throw unreadable('it is nested too deep')
    const fault = error
      ? { message: error.message, offset: error.pos[0] }
      : (repeatedKey(document) ?? halfCharacter(document))
    if (fault)
      throw scoreError('the file', [{ path: '', message: fault.message, ...positionAt(lines, fault.offset) }])
    const value: unknown = guarded(() => document.toJS({ maxAliasCount: maxAliases }))
    if (value === null || value === undefined) return []
    if (lengthOf(value, 2 * maxTextLength) > 2 * maxTextLength)
      throw new Problem('Invalid', 'the file is too large when its aliases are followed')
    return [{ value, locate: (path: readonly string[]) => locateIn(document, path, lines) }]
  })
}

/** Parses the text as the library does, and counts its tokens. */
function* readTokens(text: string, lines: LineCounter, budget: TextBudget) {
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  for (const lexeme of new Lexer().lex(text)) {
    budget.tokens -= 1
    if (budget.tokens < 0)
      throw new Problem('Invalid', `the text of Score files has more than ${maxTokens} YAML tokens`)
    yield* parser.next(lexeme)
  }
  yield* parser.end()
}

/** The library makes an Error for each fault of a text; most of that time is for its stack. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The first scalar key that its map has twice. */
function repeatedKey(document: Document): { message: string; offset: number } | undefined {
  let offset: number | undefined
  guarded(() =>
    visit(document, {
      Map(_, { items }) {
        const known = new Set<unknown>()
        for (const { key } of items) {
          if (!isScalar(key)) continue
          if (known.has(key.value)) {
            offset = key.range?.[0] ?? 0
            return visit.BREAK
          }
          known.add(key.value)
        }
        return undefined
      },
    }),
  )
  return offset === undefined ? undefined : { message: 'Map keys must be unique', offset }
}

/** The first text with half of a surrogate pair, which YAML can escape: the API server would store another character. */
function halfCharacter(document: Document): { message: string; offset: number } | undefined {
  let offset: number | undefined
  guarded(() =>
    visit(document, {
      Scalar(_, { value, range }) {
        if (typeof value !== 'string' || value.isWellFormed()) return undefined
        offset = range?.[0] ?? 0
        return visit.BREAK
      },
    }),
  )
  return offset === undefined ? undefined : { message: 'A text has half of a surrogate pair', offset }
}

/** The result of `read`. The library throws for aliases without an anchor or end, and for very deep nesting. */
function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Problem) throw error
    throw unreadable(
      error instanceof RangeError ? 'it is nested too deep' : 'an alias in it cannot be followed',
    )
  }
}

function unreadable(why: string): Problem {
  return new Problem('Invalid', `the file cannot be read as YAML: ${why}`)
}

function locateIn(document: Document, path: readonly string[], lines: LineCounter): Position | undefined {
  for (let depth = path.length; depth >= 0; depth--) {
    const node: unknown = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
    if (isNode(node) && node.range) return positionAt(lines, node.range[0])
  }
  return undefined
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
