// `make test`: all tests; ends with the line `N passed, N failed`. Test files that fail run once more, alone: a machine
// that is busy with other work can make a wait too short. The output names them. After the tests on a cluster, those of the
// project `rights` compare what the processes did with what their roles allow.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ensureHelm } from './helm/helm.ts'
import { useOfRightsDirectory } from './places.ts'

/** What Jest writes about one test file. */
interface FileResult {
  readonly name: string
  readonly status: 'passed' | 'failed'
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

const root = join(import.meta.dirname, '..')
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
/** More files than this fail because of a defect, not because the machine is busy. */
const mostRepeated = 10

function run(args: readonly string[]): FileResult[] {
  const directory = mkdtempSync(join(tmpdir(), 'quartermaster-results-'))
  const outputFile = join(directory, 'results.json')
  spawnSync(process.execPath, [jest, '--json', `--outputFile=${outputFile}`, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8')) as { testResults: FileResult[] }
  rmSync(directory, { recursive: true })
  return testResults
}

const failedIn = (files: readonly FileResult[]) => files.filter(({ status }) => status === 'failed')
const testsIn = (files: readonly FileResult[], wanted: string) =>
  files.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === wanted))

const chosen = process.argv.slice(2)
if (['chart', 'node'].some((name) => chosen.includes(name))) await ensureHelm() // a first build takes longer than a test may
const useOfRights = mkdtempSync(join(tmpdir(), 'quartermaster-rights-'))
process.env[useOfRightsDirectory] = useOfRights
let files = run(chosen)
const repeated = failedIn(files)
if (repeated.length > 0 && repeated.length <= mostRepeated) {
  const names = repeated.map(({ name }) => name)
  const again = run(['--runInBand', '--runTestsByPath', ...names])
  files = [...files.filter(({ name }) => !names.includes(name)), ...again]
  console.log(`failed at first: ${names.map((name) => relative(root, name)).join(', ')}`)
  for (const { fullName } of testsIn(repeated, 'failed')) console.log(`  ${fullName}`)
}
if (chosen.includes('cluster')) files = [...files, ...run(['--selectProjects', 'rights'])]
rmSync(useOfRights, { recursive: true })
const passed = testsIn(files, 'passed').length
// A file without a failed test failed as a whole, such as one that does not compile.
const failed = failedIn(files).reduce((sum, file) => sum + Math.max(testsIn([file], 'failed').length, 1), 0)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
