import { LineCounter, parseAllDocuments, stringify } from 'yaml'
import { yamlOptions } from '../domain/base/yaml-values.ts'
import { jsonText } from './functions/json-text.ts'
import { bounded, FunctionFault } from './limits.ts'
import { withoutPrototypes } from './values.ts'

/** The single document of a YAML text, undefined when it is blank; errors name the line, never the text. */
export function parseYaml(text: string): unknown {
  const documents = parseYamlDocuments(text)
  if (documents.length > 1) throw new FunctionFault(`holds ${documents.length} YAML documents instead of one`)
  return documents[0]
}

/** All documents of a YAML text that are not blank. */
export function parseYamlDocuments(text: string): unknown[] {
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(text, { ...yamlOptions, lineCounter, prettyErrors: false })
  // The type says that there may be none at all.
  return [...documents].flatMap((document) => {
    const [error] = document.errors
    if (error) {
      const { line } = lineCounter.linePos(error.pos[0])
      throw new FunctionFault(`is not YAML at line ${line} of the result: ${error.code}`)
    }
    const value = valueOf(() => document.toJS({ maxAliasCount: 100 }))
    if (value === null || value === undefined) return []
    jsonText(value) // throws when the value is too large
    return [withoutPrototypes(value)]
  })
}

function valueOf(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    throw new FunctionFault('is YAML whose aliases cannot be followed')
  }
}

/** A value as YAML in the style of Go's libraries, without a line break at the end. */
export function yamlText(value: unknown): string {
  const plain: unknown = JSON.parse(jsonText(value))
  // The lines of a text are indented only below a key.
  const text = stringify(typeof plain === 'string' ? { '': plain } : plain, {
    version: '1.1', // what older readers would take for something else than text is quoted
    indentSeq: false,
    lineWidth: 0,
    sortMapEntries: true,
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
  })
  return bounded((typeof plain === 'string' ? text.replace(/^"": */, '') : text).replace(/\n$/, ''))
}
