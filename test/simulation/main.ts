// Runs the simulation: node test/simulation/main.ts <seed or range>... [--log] [--first]
// For each seed it prints a line with the digest of all that happened, which is the same each time, and the laws that the run
// broke. It exits with 1 if a law was broken. `--log` prints all that happened, `--first` ends after the first seed that breaks a law.
import { reportOf } from './report.ts'
import { Run } from './run.ts'

const parameters = process.argv.slice(2)
const hasLog = parameters.includes('--log')
const seeds = parameters.filter((each) => !each.startsWith('--')).flatMap(seedsOf)
let current: Run | undefined

process.on('unhandledRejection', (error) => {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  current?.world.journal.violation('No promise is rejected without a handler.', 'the operator', detail)
})

/** The seeds of `7`, or of `7-12`. */
function seedsOf(text: string): number[] {
  const [first = Number.NaN, last = first] = text.split('-').map(Number)
  if (!Number.isInteger(first) || last < first) throw new Error(`'${text}' is not a seed or a range of seeds`)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

async function runSeed(seed: number): Promise<boolean> {
  const run = new Run(seed)
  current = run
  await run.complete()
  const { journal, server, outside } = run.world
  if (hasLog) for (const line of journal.lines) console.log(line)
  const counts = `${server.storage.version} writes, ${run.processes.crashes} crashes, ${outside.calls.length} provider calls`
  console.log(`seed ${seed}: ${journal.digest()} ${counts}`)
  for (const violation of journal.violations) console.log(reportOf(seed, violation))
  return journal.violations.length === 0
}

let [passed, failed] = [0, 0]
for (const seed of seeds) {
  if (await runSeed(seed)) passed += 1
  else failed += 1
  if (failed > 0 && parameters.includes('--first')) break
}
console.log(`${passed} seeds passed, ${failed} failed`)
// Not `process.exit`: it would cut the output.
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
