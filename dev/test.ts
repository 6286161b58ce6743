// `make test`: runs all tests; the last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directory = mkdtempSync(join(tmpdir(), 'quartermaster-results-'))
const outputFile = join(directory, 'results.json')
const jest = join(import.meta.dirname, '..', 'node_modules', 'jest', 'bin', 'jest.js')
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    jest,
    '--json',
    `--outputFile=${outputFile}`,
    ...process.argv.slice(2),
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
)
const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
  readFileSync(outputFile, 'utf8'),
)
rmSync(directory, { recursive: true })
const failed = numFailedTests + numRuntimeErrorTestSuites
console.log(`${numPassedTests} passed, ${failed} failed`)
process.exit(status === 0 && failed === 0 && numPassedTests > 0 ? 0 : 1)
