import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parseSync, Visitor } from 'oxc-parser'
import { analyse } from 'scslre'

const root = join(import.meta.dirname, '..')

/** Files with one expression that takes more than linear time, and why its text is short. */
const shortTexts: Readonly<Record<string, string>> = {
  'api-gateway/endpoints/common/secret-refs.ts': 'the name is cut to 200 characters',
  'operator/domain/deployment/webhook.ts': 'the name is cut to 236 characters',
  'operator/domain/schema/pattern-size.ts': 'a longer pattern than 1,024 characters is refused before',
  'operator/domain/secret/redact.ts': 'base64 has at most two of the signs, at its end',
  'operator/drivers/host-name.ts': 'the label is cut to 63 characters',
  'operator/tracing/otlp.ts': 'an administrator sets the address',
}
/** Matches the rest of the text where it begins. */
const toTheEnd = '/[/?#].*$/s'

/** The renderer of templates is a thread that is terminated after two seconds. */
const terminated = join('operator', 'templates')

/** The regular expressions in a file, as they are written. */
function expressionsIn(file: string): RegExp[] {
  const found: RegExp[] = []
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  const visitor = new Visitor({
    Literal(node) {
      if ('regex' in node) found.push(new RegExp(node.regex.pattern, node.regex.flags))
    },
  })
  visitor.visit(program)
  return found
}

const expressions = ['operator', 'api-gateway']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((file) => file.endsWith('.ts') && !file.startsWith(terminated))
  .flatMap((file) => expressionsIn(file).map((expression) => ({ file, expression })))

const slow = expressions.flatMap(({ file, expression }) => {
  const { reports } = analyse(expression, { reportTypes: { Move: true } })
  return reports.map((each) => ({ text: String(expression), file, isExponential: each.exponential }))
})

describe('a regular expression blocks no process, because every text of a user', () => {
  test('takes less than exponential time', () => {
    expect(expressions.length).toBeGreaterThan(100)
    expect(slow.filter(({ isExponential }) => isExponential)).toEqual([])
  })

  test('takes linear time, or is short', () => {
    const places = slow.filter(({ text }) => text !== toTheEnd)
    const byFile = Map.groupBy(places, ({ file }) => file)
    const counts = [...byFile].map(([file, all]) => [file, new Set(all.map(({ text }) => text)).size])
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(Object.keys(shortTexts).map((file) => [file, 1])),
    )
  })
})
