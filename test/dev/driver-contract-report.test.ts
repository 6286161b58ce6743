import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { cases } from '../../dev/driver-contract/cases.ts'
import { pauseAfter } from '../../dev/driver-contract/hints.ts'
import { contractInputs } from '../../dev/driver-contract/inputs.ts'
import { describeExchange } from '../../dev/driver-contract/mask.ts'
import { cookieFault } from '../../dev/driver-contract/resource.ts'
import { serveSampleDriver } from '../support/sample-driver.ts'
import { refusal, type ServedDriver } from '../support/serve-driver.ts'

const command = join(
  import.meta.dirname,
  '..',
  '..',
  'dev',
  'driver-contract',
  'quartermaster-driver-contract.mjs',
)
const secret = 'hunter2-hunter2'

let served: ServedDriver | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
})

let directory = ''
let file = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'contract-'))
  file = join(directory, 'inputs.yaml')
  writeFileSync(file, `type: s3\ndriver: { values: {}, secrets: { a: { b: ${secret} } } }\n`)
})
afterAll(() => rmSync(directory, { recursive: true }))

async function run(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const child = spawn(process.execPath, [command, ...args])
  let [out, error] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    error += chunk
  })
  const [code] = await once(child, 'close')
  return { code, out, error }
}

describe('the command', () => {
  test('ends with 0 and the count when all is well', async () => {
    served = await serveSampleDriver({ answersAtOnce: true })
    const { code, out } = await run(served.target, '--only', 'create,repeat,hints')
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.slice(0, 14).trim())).toEqual([
      'ok      create',
      'skipped hints',
      'ok      repeat',
      '',
      '2 passed, 0 fa',
      '',
    ])
    expect(out.trim()).toMatch(/\n2 passed, 0 failed$/)
  })

  test('ends with 1 and shows request and answer, without secrets', async () => {
    served = await serveSampleDriver({ put: (_, { text }) => refusal(400, 'RES-101', `no: ${text}`) })
    const { code, out } = await run(served.target, '--inputs', file, '--only', 'create,error-bodies')
    expect(code).toBe(1)
    expect(out).toMatch(
      /FAILED {2}create[^\n]*\n +sent: PUT \/[0-9a-f]{40} \{"type":"s3"[^\n]*\n +came: 400 /,
    )
    expect(out).toContain('0 passed, 2 failed')
    expect(out).not.toContain(secret)
  })

  test('gives the same as JSON', async () => {
    served = await serveSampleDriver({ put: (_, { text }) => refusal(400, 'RES-101', `no: ${text}`) })
    const { code, out } = await run(served.target, '--inputs', file, '--only', 'create', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      passed: 0,
      failed: 1,
      cases: [{ name: 'create', result: 'failed' }],
    })
    expect(out).not.toContain(secret)
  })

  test('reports a refused connection in one line', async () => {
    const { code, error } = await run('http://127.0.0.1:1/s3')
    expect(code).toBe(1)
    expect(error.trim().split('\n')).toHaveLength(1)
  })

  test('lists the cases', async () => {
    const { code, out } = await run('--list')
    expect(code).toBe(0)
    expect(out.trim().split('\n')).toHaveLength(cases.length)
  })

  test.each<[rule: string, args: string[]]>([
    ['without a URL', []],
    ['with two URLs', ['http://a', 'http://b']],
    ['with another kind of URL', ['ftp://a']],
    ['with an unknown case', ['http://a', '--only', 'creat']],
    ['with an invalid time', ['http://a', '--timeout', 'soon']],
    ['with an unknown option', ['http://a', '--fast']],
    ['with inputs that are not there', ['http://a', '--inputs', 'nowhere.yaml']],
  ])('ends with 2 %s', async (_, args) => {
    expect((await run(...args)).code).toBe(2)
  })
})

test('case names are unique, and dependencies are listed first', () => {
  const names = cases.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const [index, { needs }] of cases.entries())
    if (needs !== undefined) expect(names.slice(0, index)).toContain(needs)
})

describe('nothing secret is shown:', () => {
  const put = (secrets: object) => ({
    method: 'PUT',
    path: 'x',
    headers: { 'humanitec-driver-cookie': 'cookie-of-before' },
    body: JSON.stringify({ driver: { secrets } }),
  })
  test.each<[rule: string, text: string]>([
    ['a secret that was sent', `no: ${secret}`],
    ['a secret with quotes', 'no: pass"word'],
    ['a secret output', '{"resource":{"secrets":{"key":"made-here"}},"again":"made-here"}'],
    ['a short secret output', '{"resource":{"secrets":{"pin":"123"}}}'],
    ['a cookie', 'no: cookie-of-before cookie-of-now'],
  ])('%s', (_, text) => {
    const answer = { status: 400, headers: { 'set-humanitec-driver-cookie': 'cookie-of-now' }, text }
    const call = put({ a: secret, b: 'pass"word' })
    const shown = JSON.stringify(describeExchange({ call, answer }, [secret, 'pass"word']))
    expect(shown).not.toMatch(/hunter2|pass\\*"word|made-here|123|cookie-of/)
  })
})

test.each<[rule: string, cookie: string, isFine: boolean]>([
  ['base64', 'eyJhIjoxfQ==', true],
  ['nothing, which clears it', '', true],
  ['10 KiB less one byte', 'x'.repeat(10_239), true],
  ['10 KiB', 'x'.repeat(10_240), false],
  ['a tab', 'a\tb', false],
  ['letters beyond ASCII', 'é', false],
])('a cookie of %s', (_, cookie, isFine) => {
  expect(cookieFault(cookie) === undefined).toBe(isFine)
})

test.each<[rule: string, headers: Record<string, string>, body: unknown, polls: number, pause: number]>([
  ['without a hint grow', {}, {}, 2, 225],
  ['are never longer than ten seconds', {}, {}, 50, 10_000],
  ['follow Retry-After', { 'retry-after': '3' }, {}, 0, 3000],
  [
    'follow the hint, by the clock of the driver',
    {},
    { current_time: '2020-01-01T00:00:00Z', estimated_completion_time: '2020-01-01T00:00:02Z' },
    0,
    2000,
  ],
  [
    'are short where the time has passed',
    {},
    { current_time: '2020-01-01T00:00:02Z', estimated_completion_time: '2020-01-01T00:00:00Z' },
    0,
    20,
  ],
  ['make nothing of outputs', {}, { resource: {}, estimated_completion_time: 'x' }, 0, 100],
])('pauses %s', (_, headers, body, polls, pause) => {
  expect(pauseAfter({ status: 202, headers, text: JSON.stringify(body) }, polls)).toBe(pause)
})

describe('the inputs', () => {
  test('without any have a secret that is made up', () => {
    const { given, changed, bad } = contractInputs({})
    expect(Object.values(given.driver.secrets)).toHaveLength(1)
    expect([given.type, changed, bad]).toEqual(['s3', undefined, undefined])
  })

  test('have the secrets that are given, and no other', () => {
    expect(contractInputs({ driver: { secrets: {} } }).given.driver.secrets).toEqual({})
  })

  test('of the other versions are those of the first where they say nothing', () => {
    const { changed } = contractInputs({
      type: 'dns',
      resource: { a: 1 },
      driver: { values: { b: 2 }, secrets: { c: 3 } },
      changed: { driver: { values: { b: 4 } } },
    })
    expect(changed).toEqual({
      type: 'dns',
      resource: { a: 1 },
      driver: { values: { b: 4 }, secrets: { c: 3 } },
    })
  })
})
