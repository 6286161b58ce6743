import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '..')

/** Names that the field has other words for, as words of camelCase identifiers. */
const identifiers: [name: string, pattern: RegExp, instead: string, where?: RegExp][] = [
  ['Turn of a reconcile', /\bTurns?\b|\bturns\b/, 'ReconcileContext, FairQueue, KeyedMutex'],
  ['apart, away', /\b(?:run)?(?:Apart|apart)\b(?=\()|\baway\b(?=\()/, 'releaseWorker'],
  ['standing', /\b\w*[Ss]tanding\w*\b/, 'ProvisionedInstance'],
  ['seal', /\b(?:seal|sealed|isSealed|unsealed|Unaccounted)\b/, 'signature, isSigned, Untrusted'],
  [
    'hold, release, isHeld of a finalizer',
    /\bisHeld\b|\bhold\(|\brelease\(/,
    'addFinalizer, removeFinalizer, hasFinalizer',
    /^operator\/(?:controllers|kube\/(?:cache|loop))\//, // a lease and a place in a queue are released
  ],
  ['sweep', /\b\w*[Ss]weep(?:s|ing|Ms|Seconds)?\b/, 'resync'],
  ['wake', /\b(?:wake|wakes|woken|concernedBy)\b(?=[(:,\s]*[({=])/, 'enqueue, mapFunc'],
  ['catch-up', /\b\w*[Cc]atchUp\w*\b/, 'waitForCache'],
  ['Verdict', /\b\w*[Vv]erdict\w*\b/, 'Outcome'],
  [
    'look, settle, state as verbs of the loop',
    /\bfunction (?:look|settle|state)\(/,
    'reconcileOne, finish, writeStatus',
  ],
  ['Tally', /\b\w*[Tt]ally\w*\b/, 'Counter'],
  ['announcements', /\b\w*[Aa]nnouncement\w*\b/, 'dispatcher'],
  ['tell, told', /\b(?:tell|told|tells|isTold|wasTold)\b(?=\()|\bTold\b/, 'notify, notified'],
  ['Wish', /\b[Ww]ish(?:es)?\b/, 'DesiredRecord'],
  ['Gathering', /\b[Gg]athering\b/, 'Batcher'],
  ['Effort', /\b[Ee]ffort\b/, 'WorkBudget'],
  ['demand, undo', /\b(?:demand|undo)\(/, 'authorize, rollback'],
]

/** Phrases that a reader has to read twice. */
const phrases =
  /\b(?:whoever|whatever|nobody|somebody|anybody|tells?|told|stands?|besides|of its own|of their own|of our own|there is no|there are no|as long as|takes? away|taken away|goes|gone for good|hears? of|comes? to|lets? go|sees? to|looks? after|at last|sorts? of|all the same|did not come|lies in|mend(?:s|ed)?)\b/i
/** Terms of the field that contain one of them. */
const terms = /stand-alone|standing still|as it stands/gi

const code = ['operator', 'api-gateway', 'portal', 'bench', 'dev'].flatMap((folder) =>
  filesIn(folder, ['.ts', '.tsx', '.sh']),
)
const texts = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'Makefile',
  'Dockerfile',
  ...filesIn('docs', ['.md']),
  ...filesIn('examples', ['.md', '.yaml', '.http', '.py']),
  ...filesIn('charts', ['.yaml', '.md', '.txt', '.tpl']),
  ...filesIn('bench', ['.md']),
  ...filesIn('dev', ['.md']),
]
const tests = filesIn('test', ['.ts']).filter((file) => file !== 'test/words.test.ts')

function filesIn(folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(folder, name))
    .sort()
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** The source without comments, strings and templates. */
function codeOf(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|\s)\/\/.*/g, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, (text) =>
      text.replace(/[^\n]/g, ' '),
    )
}

/** The comments and string literals of a source, line by line, everything else as spaces. */
function proseOf(file: string): string {
  const source = read(file)
  if (!/\.tsx?$/.test(file)) return source
  const rest = codeOf(source)
  return source
    .split('')
    .map((char, i) => (char !== '\n' && rest[i] === char ? ' ' : char))
    .join('')
}

/** The lines of a text that match, as `file:line: match`. */
function found(file: string, text: string, pattern: RegExp): string[] {
  return text.split('\n').flatMap((line, i) => {
    const [match] = pattern.exec(line.replace(terms, '')) ?? []
    return match === undefined ? [] : [`${file}:${i + 1}: ${match}`]
  })
}

test.each(identifiers)('no identifier is called %s', (_, pattern, instead, where = /^/) => {
  const named = code
    .filter((file) => where.test(file))
    .flatMap((file) => found(file, codeOf(read(file)), pattern))
  expect({ instead, named }).toEqual({ instead, named: [] })
})

describe('plain English', () => {
  test.each([
    ['comments and messages', code],
    ['documents, examples and manifests', texts],
    ['titles, comments and messages of tests', tests],
  ])('in %s', (_, files) => {
    expect(files.flatMap((file) => found(file, proseOf(file), phrases))).toEqual([])
  })
})

test('the prose of tests uses the terms of the field', () => {
  const replaced = /\b(?:sweeps?|seal(?:s|ed)?|verdicts?|tally|tallies|wakes?|woken|catch-up)\b/i
  expect(tests.flatMap((file) => found(file, proseOf(file), replaced))).toEqual([])
})
