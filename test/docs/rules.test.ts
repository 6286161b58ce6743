import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '..', '..')
const document = readFileSync(join(root, 'docs/rules.md'), 'utf8')

const [header, divider, ...rows] = document
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.slice(1, -1).split('|'))
  .map((cells) => cells.map((cell) => cell.trim()))

/** A test that a row names: a scenario, or a title in a file. */
interface Proof {
  readonly path: string
  readonly title?: string
}

/** The proof as the table writes it: a path, and a title behind it where that is a file; undefined when it is neither. */
function proofOf(text: string): Proof | undefined {
  const [, path, , title] = /^`(test\/[^`]+)`(: `([^`]+)`)?$/.exec(text) ?? []
  if (path === undefined || path.startsWith('test/scenarios/') === (title !== undefined)) return undefined
  return { path, ...(title === undefined ? {} : { title }) }
}

const texts = [...new Set(rows.flatMap(([, , tests = '']) => tests.split('<br>')))]

/** The source of a test, and that of the tables which it takes from its own support. */
function withTables(file: string): string {
  const source = readFileSync(file, 'utf8')
  const tables = [...source.matchAll(/from '(\.[^']*\/support\/[^']+)'/g)].map(([, path = '']) =>
    readFileSync(join(dirname(file), path), 'utf8'),
  )
  return [source, ...tables].join('\n')
}

/** Whether a string of the source is exactly this title. */
function isTitleIn(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))
}

describe('the table of rules', () => {
  test('has three columns, and no cell is empty', () => {
    expect(header).toEqual(['Rule', 'Section', 'Test'])
    expect(divider).toEqual(['---', '---', '---'])
    expect(rows.length).toBeGreaterThan(100)
    expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([])
  })

  test('says no rule twice', () => {
    const rules = rows.map(([rule, section]) => `${section}: ${rule}`)
    expect(rules.filter((rule, i) => rules.indexOf(rule) !== i)).toEqual([])
  })

  test('names tests as a scenario, or as a file and a title', () => {
    expect(texts.filter((text) => !proofOf(text))).toEqual([])
  })

  test('names scenarios that have both files', () => {
    const named = texts.map(proofOf).filter((proof) => proof && proof.title === undefined)
    const missing = named.filter((proof) =>
      ['given.yaml', 'plan.yaml'].some((file) => !existsSync(join(root, proof?.path ?? '', file))),
    )
    expect(missing).toEqual([])
  })

  test('names test files that are there, and titles that are in them', () => {
    const files = new Set(readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }))
    const missing = texts.filter((text) => {
      const { path = '', title } = proofOf(text) ?? {}
      if (title === undefined) return false
      if (!path.endsWith('.test.ts') || !files.has(path.slice('test/'.length))) return true
      return !isTitleIn(withTables(join(root, path)), title)
    })
    expect(missing).toEqual([])
  })
})
