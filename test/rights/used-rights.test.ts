import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { useOfRightsDirectory } from '../../dev/places.ts'
import { manifestFiles } from '../../dev/quartermaster.ts'
import { formatRight, grantedRights, type UseOfRights, unusedRights } from '../support/rights.ts'
import { exceptions } from './exceptions.ts'

const directory = process.env[useOfRightsDirectory]
if (!directory) throw new Error('`make test` runs this file after all tests on a cluster')
const runs = readdirSync(directory).map(
  (name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as UseOfRights, // written by the tear-down
)
const granted = (['operator', 'gateway'] as const).flatMap((identity) =>
  grantedRights(identity, manifestFiles),
)
const used = runs.flatMap((run) => run.used)
const unused = unusedRights(granted, used)

test('the operator and the gateway use every right that they have, with listed exceptions', () => {
  expect(used.length).toBeGreaterThan(0)
  const excess = unused.filter((right) => !exceptions.some(({ covers }) => covers(right, granted)))
  expect(excess.map(formatRight)).toEqual([])
})

test.each(exceptions)('an exception is needed: $reason', ({ covers }) => {
  expect(unused.some((right) => covers(right, granted))).toBe(true)
})

test('every Secret that they read is theirs, or an object of the organization names it', () => {
  expect(runs.flatMap((run) => run.unnamedSecrets)).toEqual([])
})
