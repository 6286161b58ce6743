import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { cachedPrograms } from '../../dev/control-plane/program-cache.ts'

type Name = 'one' | 'two'
const names = ['one', 'two'] as const
let directory = ''
let cache = ''
let count = 0
let fetched: Name[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-programs-'))
})
afterAll(() => rm(directory, { recursive: true }))
beforeEach(() => {
  cache = join(directory, String((count += 1)))
  fetched = []
})

async function write(path: string): Promise<string> {
  await writeFile(path, '#!/bin/sh\n', { mode: 0o755 })
  return path
}

function ensure({ failing = [], preferred = {} }: { failing?: readonly Name[]; preferred?: object } = {}) {
  return cachedPrograms<Name>({
    cache,
    names,
    log: () => {},
    preferred: async (name) => [Object.entries(preferred).find(([key]) => key === name)?.[1]],
    async fetch(missing, scratch, keep) {
      for (const name of missing) {
        fetched.push(name)
        const path = await write(join(scratch, name))
        if (failing.includes(name)) throw new Error(`no ${name}`)
        await keep(name, path)
      }
    },
  })
}

describe('programs in the cache', () => {
  test('are fetched once, however many processes want them at once', async () => {
    const all = await Promise.all([ensure(), ensure(), ensure()])
    expect(fetched).toEqual(names)
    for (const paths of [...all, await ensure()]) {
      expect(paths).toEqual({ one: join(cache, 'one'), two: join(cache, 'two') })
    }
    expect(fetched).toEqual(names)
  })

  test('are complete: what a fetch that failed had written is not there, and the next one fetches the rest', async () => {
    await expect(ensure({ failing: ['two'] })).rejects.toThrow('no two')
    expect(await readdir(cache)).toEqual(['one'])
    await ensure()
    expect(fetched).toEqual(['one', 'two', 'two'])
  })

  test('are fetched without what a crash left', async () => {
    const left = join(cache, 'partial-crashed')
    await mkdir(left, { recursive: true })
    await ensure()
    expect(existsSync(left)).toBe(false)
  })

  test('are not fetched where they are outside the cache', async () => {
    const one = await write(join(directory, 'elsewhere'))
    expect(await ensure({ preferred: { one } })).toEqual({ one, two: join(cache, 'two') })
    expect(fetched).toEqual(['two'])
  })
})
