// `make test`: runs projects of tests, given by name, at the same time; ends with the line `N passed, N failed`. Test files that
// fail run once more, alone: a machine that is busy with other work can make a wait too short. The output names them. After the
// tests on a cluster, those of the project `rights` compare what the processes did with what their roles allow.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { buildBundles, builtBundles } from './build.ts'
import { ensureGitOpsCheck } from './gitops-check.ts'
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

/** Files of a project that run at the same time: tests on a cluster wait most of their time. */
function workersOf(project: string): number | undefined {
  if (project === 'cluster') return 6
  if (project === 'unit') return projects.includes('cluster') ? 2 : 6
  return undefined
}

const newDirectory = (name: string) => mkdtempSync(join(tmpdir(), `quartermaster-${name}-`))
/** What this run leaves behind, such as logs of processes; kept when a test fails. */
const remains = newDirectory('tests')
const { TMPDIR: usualDirectory } = process.env
process.env['TMPDIR'] = remains

async function run(project: string, args: readonly string[] = []): Promise<FileResult[]> {
  const directory = newDirectory('results')
  const outputFile = join(directory, 'results.json')
  const workers = workersOf(project)
  const limits = workers && !args.includes('--runInBand') ? [`--maxWorkers=${workers}`] : []
  const jestArguments = [
    `--selectProjects=${project}`,
    '--json',
    `--outputFile=${outputFile}`,
    ...limits,
    ...args,
  ]
  await once(
    spawn(process.execPath, [jest, ...jestArguments], {
      stdio: ['ignore', 'ignore', 'inherit'],
      // The sockets of a node have long paths.
      env: project === 'node' ? { ...process.env, TMPDIR: usualDirectory } : process.env,
    }),
    'exit',
  )
  const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8')) as { testResults: FileResult[] }
  rmSync(directory, { recursive: true })
  return testResults
}

/** Runs the tests of a project, and those that fail once more. */
async function runProject(project: string): Promise<FileResult[]> {
  const files = await run(project)
  const repeated = failedIn(files)
  if (repeated.length === 0 || repeated.length > mostRepeated) return files
  const names = repeated.map(({ name }) => name)
  const again = await run(project, ['--runInBand', '--runTestsByPath', ...names])
  console.log(`failed at first: ${names.map((name) => relative(root, name)).join(', ')}`)
  for (const { fullName } of testsIn(repeated, 'failed')) console.log(`  ${fullName}`)
  return [...files.filter(({ name }) => !names.includes(name)), ...again]
}

const failedIn = (files: readonly FileResult[]) => files.filter(({ status }) => status === 'failed')
const testsIn = (files: readonly FileResult[], wanted: string) =>
  files.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === wanted))

const projects = process.argv.slice(2)
if (['chart', 'node'].some((name) => projects.includes(name))) await ensureHelm() // a first build takes longer than a test may
const [useOfRights, bundles] = [newDirectory('rights'), newDirectory('bundles')]
process.env[useOfRightsDirectory] = useOfRights
if (projects.includes('cluster')) {
  // Its first build takes both cores for minutes: beside it, operators lose their leadership.
  await ensureGitOpsCheck()
  // Many files start an operator or a gateway.
  await buildBundles(bundles)
  process.env[builtBundles] = bundles
  // API servers collect garbage rarely, which is a fifth of their work, and theirs a third of all.
  process.env['GOGC'] ??= '800'
  process.env['GOMEMLIMIT'] ??= '1GiB'
}
// A node and the chart need the machine for themselves.
const isTogether = (name: string) => name === 'unit' || name === 'cluster'
const together = projects.filter(isTogether)
const files = (await Promise.all(together.map(runProject))).flat()
if (projects.includes('cluster')) files.push(...(await run('rights')))
for (const project of projects.filter((name) => !isTogether(name))) files.push(...(await runProject(project)))
const passed = testsIn(files, 'passed').length
// A file without a failed test failed as a whole, such as one that does not compile.
const failed = failedIn(files).reduce((sum, file) => sum + Math.max(testsIn([file], 'failed').length, 1), 0)
if (failed === 0) rmSync(remains, { recursive: true })
else console.log(`logs of the processes: ${remains}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
