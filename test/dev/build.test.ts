import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { provideBundles } from '../../dev/build.ts'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-build-'))
  await provideBundles(directory)
})

afterAll(() => rm(directory, { recursive: true }))

/** The files that Node reads when it starts this one: what a file imports with `import()` is not among them. */
async function filesAtStart(name: string): Promise<string[]> {
  const files = new Set([name])
  for (const file of files) {
    const text = await readFile(join(directory, file), 'utf8')
    for (const [, imported = ''] of text.matchAll(/\b(?:from|import)"\.\/([\w-]+\.mjs)"/g))
      files.add(imported)
  }
  return [...files]
}

async function packagesAtStart(name: string): Promise<Set<string>> {
  const packages = new Set<string>()
  for (const file of await filesAtStart(name)) {
    const { sources } = JSON.parse(await readFile(join(directory, `${file}.map`), 'utf8'))
    for (const source of sources as string[]) {
      const [, found] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? []
      if (found !== undefined) packages.add(found)
      // Its main file loads all of it.
      if (source.endsWith('/undici/index.js')) packages.add('undici/index.js')
    }
  }
  return packages
}

describe.each(['operator.mjs', 'gateway.mjs', 'lease-worker.mjs'])('%s', (name) => {
  test('loads no library at its start that few installations use', async () => {
    const packages = await packagesAtStart(name)
    const rare = ['@kubernetes/client-node', 'undici/index.js']
    expect(rare.filter((each) => packages.has(each))).toEqual([])
  })

  // One other character doubles the memory of a file.
  test('is ASCII with all that it loads at its start, except the units of a library', async () => {
    for (const file of await filesAtStart(name)) {
      const others = (await readFile(join(directory, file), 'utf8')).match(/[^\0-\x7F]/g) ?? []
      expect(others.filter((each) => each !== 'µ')).toEqual([])
    }
  })
})

test('the start of the operator loads libraries, so that the rules above can fail', async () => {
  expect(await packagesAtStart('operator.mjs')).toContain('ajv')
})

test('the thread of the lease needs no library but the HTTP client', async () => {
  expect(await packagesAtStart('lease-worker.mjs')).toEqual(new Set(['undici']))
})
