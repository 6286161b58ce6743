import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { buildBundles } from '../../../dev/build.ts'

const viewer = [
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
]

test.each([
  ['gateway', 'the viewer with its licences, and nothing else', viewer],
  ['operator', 'no viewer', undefined],
] as const)('the folder with the bundle of the %s has %s', async (name, _, expected) => {
  const directory = await mkdtemp(join(tmpdir(), 'bundles-'))
  await buildBundles(directory, [name])
  const found = await readdir(join(directory, 'viewer')).catch(() => undefined)
  expect(found?.sort()).toEqual(expected)
  await rm(directory, { recursive: true })
})
