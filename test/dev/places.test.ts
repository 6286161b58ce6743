import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { formatEnvironment } from '../../dev/places.ts'

test.each([
  '/home/me/code/.dev/kubeconfig',
  '/home/me/my code/.dev/kubeconfig',
  "/home/o'neil/$HOME/`id`/a&b",
  'http://127.0.0.1:8080',
  '',
])('a shell reads the value %j from the file of addresses', (value) => {
  const directory = mkdtempSync(join(tmpdir(), 'my places-'))
  const file = join(directory, 'env')
  writeFileSync(file, formatEnvironment({ FIRST: value, KUBECONFIG: value }))
  const read = () => execFileSync('sh', ['-c', '. "$1" && printf %s "$KUBECONFIG"', 'sh', file]).toString()
  try {
    expect(read()).toBe(value)
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('plain values have no quotes, because other tools read the file too', () => {
  expect(formatEnvironment({ GATEWAY_URL: 'http://127.0.0.1:1', TOKEN: 'qm_a_b-c' })).toBe(
    'GATEWAY_URL=http://127.0.0.1:1\nTOKEN=qm_a_b-c\n',
  )
})
