import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'

/** A scenario, the title of a test, several titles of one file, or a title and the file that has it. */
type TestReference = string | readonly string[] | { readonly title: string; readonly file: string }
type Rules = Readonly<
  Record<string, readonly { readonly rule: string; readonly tests: readonly TestReference[] }[]>
>

/** The source of each test file by its path, and the paths of the scenarios. */
export interface Tests {
  readonly files: ReadonlyMap<string, string>
  readonly scenarios: ReadonlySet<string>
}

const mostFiles = 2

/** The page that lists the rules of the specification with the tests that check them. Throws when a reference fits no test, or too many. */
export function rulesPage(rules: Rules, tests: Tests): string {
  const missing: string[] = []
  const rows = Object.entries(rules).flatMap(([section, entries]) =>
    entries.map(({ rule, tests: references }) => {
      const paths = references.flatMap((reference) => {
        const found = pathsOf(reference, tests)
        if (found.length === 0 || found.length > mostFiles)
          missing.push(`${section}: ${rule}: ${found.length} test files have ${JSON.stringify(reference)}`)
        return found
      })
      return `| ${rule.replaceAll('|', '\\|')} | ${section} | ${[...new Set(paths)].map(link).join(', ')} |`
    }),
  )
  if (missing.length > 0)
    throw new Error(
      `docs/rules.yaml must name tests that exist, in at most ${mostFiles} files:\n${missing.join('\n')}`,
    )
  return `# Rules and tests

Each row is one rule of the interface specification, its section, and the tests that check it.

| Rule | Section | Tests |
| --- | --- | --- |
${rows.join('\n')}
`
}

function pathsOf(reference: TestReference, { files, scenarios }: Tests): string[] {
  if (typeof reference === 'string' && reference.startsWith('scenarios/'))
    return scenarios.has(reference) ? [`test/${reference}`] : []
  const isNamed = typeof reference === 'object' && 'file' in reference
  const titles = isNamed ? [reference.title] : [reference].flat()
  return [...files]
    .filter(([path]) => !isNamed || basename(path) === `${reference.file}.test.ts`)
    .filter(([, source]) => titles.every((title) => hasTitle(source, title)))
    .map(([path]) => path)
}

/** Whether a string of the source is exactly this title. */
function hasTitle(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))
}

function link(path: string): string {
  return `[${basename(path, '.test.ts')}](../${path})`
}

/** The rules as they are declared. */
export function readRules(root: string): Rules {
  return parse(readFileSync(join(root, 'docs/rules.yaml'), 'utf8'))
}

/** The tests of the repository; the source of a test includes the tables that it imports from its own support. */
export function readTests(root: string): Tests {
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const paths = names.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`)
  const scenarios = names.filter(
    (name) =>
      /^scenarios\/[^/]+$/.test(name) &&
      ['given.yaml', 'plan.yaml'].every((file) => existsSync(join(root, 'test', name, file))),
  )
  return {
    files: new Map(paths.sort().map((path) => [path, withTables(join(root, path))])),
    scenarios: new Set(scenarios),
  }
}

function withTables(file: string): string {
  const source = readFileSync(file, 'utf8')
  const tables = [...source.matchAll(/from '((?:\.\.?\/)+support\/[^']+)'/g)].map(([, path = '']) =>
    readFileSync(join(dirname(file), path), 'utf8'),
  )
  return [source, ...tables].join('\n')
}
