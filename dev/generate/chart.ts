import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'

const chart = join(import.meta.dirname, '../../charts/quartermaster')
const described = /(?:^|\n) -- ([\s\S]*)$/

interface Row {
  readonly path: string
  readonly default: string
  readonly description: string
}

/** The README of the chart: a table of all values, from the comments of values.yaml. */
export function readmeOf(values: string): string {
  const { contents } = parseDocument(values)
  if (!isMap(contents)) throw new Error('values.yaml is not a map')
  const rows = rowsOf(contents, '').map(
    ({ path, default: otherwise, description }) => `| \`${path}\` | \`${otherwise}\` | ${description} |`,
  )
  return [
    '# Chart of Quartermaster',
    '',
    'Generated from `values.yaml` by `make generate`; do not edit. [docs/install.md](../../docs/install.md) says how to install.',
    '',
    '| Value | Default | Meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** Reads the values of the chart as text, with their comments. */
export function readValues(): string {
  return readFileSync(join(chart, 'values.yaml'), 'utf8')
}

function rowsOf(map: YAMLMap, prefix: string): Row[] {
  return map.items.flatMap((pair, index) => {
    const { key, value } = pair as Pair<{ value: string; commentBefore?: string }>
    const path = `${prefix}${key.value}`
    // The parser puts a comment above the first key before the map.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined)
    const description = described.exec(comment ?? '')?.[1]
    if (description) {
      const otherwise = JSON.stringify(isScalar(value) ? value.value : map.get(key.value, true)?.toJSON())
      return [
        {
          path,
          default: otherwise,
          description: description
            .split('\n')
            .map((line) => line.trim())
            .join(' '),
        },
      ]
    }
    if (isMap(value)) return rowsOf(value, `${path}.`)
    throw new Error(`values.yaml has no description of '${path}'`)
  })
}
