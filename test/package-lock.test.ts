import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
}

// npm writes entries without a version for platforms of which it found no package, and then rejects its own file.
test('every package of every platform is locked with its version and hash', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const incomplete = Object.entries(packages).filter(
    ([path, { version, integrity }]) => path !== '' && !(version && integrity),
  )
  expect(incomplete.map(([path]) => path)).toEqual([])
})
