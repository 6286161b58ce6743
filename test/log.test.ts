import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const logModule = join(import.meta.dirname, '..', 'operator', 'log.ts')

/** The line that a separate process writes for these fields. */
function lineOf(fields: object): Record<string, unknown> {
  const script = `
    const { createLog } = await import(${JSON.stringify(logModule)})
    createLog('gateway', 'info').info('audit', ${JSON.stringify(fields)})`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Record<string, unknown> // one line, one object
}

test('a line shows ids and no secret, at any depth', () => {
  const ids = { token_id: 't1', tokenId: 't2', credential_id: 'c1' }
  const secrets = { token: 's1', password: 's2', token_ids: 's3', secret_idea: 's4', tokenid: 's5' }
  const redacted = Object.fromEntries(Object.keys(secrets).map((key) => [key, '[redacted]']))
  const fields = { ...ids, ...secrets }
  const shown = { ...ids, ...redacted }
  expect(lineOf({ ...fields, path_parameters: fields })).toMatchObject({ ...shown, path_parameters: shown })
})

test('a field cannot replace those that every line has', () => {
  const wrong = { level: 'debug', message: 'no audit', process: 'operator' }
  expect(lineOf(wrong)).toMatchObject({ level: 'info', message: 'audit', process: 'gateway' })
})

test('a field that ends in id is searched for secrets nevertheless', () => {
  expect(lineOf({ secret_id: { password: 's1' } })).toMatchObject({ secret_id: { password: '[redacted]' } })
})
