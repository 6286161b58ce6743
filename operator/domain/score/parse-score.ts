import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import { lengthOf } from '../base/size-limits.ts'
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

/**
 * The Score documents of a YAML or JSON text. An extension document belongs to the Score document before it. Throws a
 * Problem with line and column for a text that cannot be read.
 */
export function parseScore(text: string): ScoreSource[] {
  if (text.length > maxTextLength)
    throw new Problem('Invalid', `the file has ${text.length} characters; the limit is ${maxTextLength}`)
  const sources: ScoreSource[] = []
  for (const { value, locate } of readDocuments(text)) {
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

function readDocuments(text: string): { value: unknown; locate: Locate }[] {
  const lines = new LineCounter()
  const options = { lineCounter: lines, prettyErrors: false, merge: true, logLevel: 'silent' } as const
  const documents = guarded(() => [...parseAllDocuments(text, options)])
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error)
      throw scoreError('the file', [{ path: '', message: error.message, ...positionAt(lines, error.pos[0]) }])
    const value: unknown = guarded(() => document.toJS({ maxAliasCount: maxAliases }))
    if (value === null || value === undefined) return []
    if (lengthOf(value, 2 * maxTextLength) > 2 * maxTextLength)
      throw new Problem('Invalid', 'the file is too large when its aliases are followed')
    return [{ value, locate: (path: readonly string[]) => locateIn(document, path, lines) }]
  })
}

/** The result of `read`. The library throws for aliases without an anchor or end, and for very deep nesting. */
function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const why = error instanceof RangeError ? 'it is nested too deep' : 'an alias in it cannot be followed'
    throw new Problem('Invalid', `the file cannot be read as YAML: ${why}`)
  }
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
