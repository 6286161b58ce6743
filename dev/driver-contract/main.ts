// `make driver-contract URL=…`: tests a running driver against the protocol; the last line is `N passed, N failed`.
import { parseArgs } from 'node:util'
import { cases } from './cases.ts'
import { createClient } from './client.ts'
import { Failure } from './failure.ts'
import { loadInputs } from './inputs.ts'
import { jsonOf, lineOf, summaryOf } from './report.ts'
import { randomId } from './resource.ts'
import { runCases } from './run.ts'

const absenceMs = 2000
const usage = `usage: quartermaster-driver-contract URL [options]

  URL                 the target of the driver, as in its ResourceDriver: http://127.0.0.1:8080/s3
  --inputs FILE       YAML or JSON: type, resource, driver {values, secrets}; changed and bad: further inputs
  --type TYPE         resource type; default: the type in the inputs, or s3
  --only NAME,NAME    only these cases
  --timeout SECONDS   time limit of one answer; default 10
  --patience SECONDS  time limit of a PUT or a DELETE with all its repetitions; default 300
  --json              prints the results as JSON
  --list              prints the names of the cases

The exit code is 0 if no case failed, 1 if a case failed, 2 if the arguments are wrong.`

/** The exit code. */
async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args)
  if (values.help) return say(usage)
  if (values.list) return say(cases.map(({ name, title }) => `${name.padEnd(21)} ${title}`).join('\n'))

  const target = targetOf(positionals)
  const chosen = casesNamed(values.only)
  const inputs = await loadInputs(values.inputs, values.type).catch((error: Error) => wrong(error.message))
  const timeoutMs = secondsOf('timeout', values.timeout) * 1000
  const patienceMs = secondsOf('patience', values.patience) * 1000
  await reach(target, timeoutMs)

  const report = values.json
    ? () => {}
    : (outcome: Parameters<typeof lineOf>[0]) => say(lineOf(outcome, inputs))
  const outcomes = await runCases(chosen, { target, inputs, timeoutMs, patienceMs, absenceMs }, report)
  say(values.json ? jsonOf(target, outcomes, inputs) : `\n${summaryOf(outcomes)}`)
  return outcomes.some(({ result }) => result === 'failed') ? 1 : 0
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        inputs: { type: 'string' },
        type: { type: 'string' },
        only: { type: 'string' },
        timeout: { type: 'string', default: '10' },
        patience: { type: 'string', default: '300' },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
}

function targetOf([target, ...more]: readonly string[]): string {
  if (target === undefined || more.length > 0) return wrong(`exactly one URL is required\n\n${usage}`)
  const protocol = URL.parse(target)?.protocol
  return protocol === 'http:' || protocol === 'https:'
    ? target
    : wrong(`'${target}' is not an http or https URL`)
}

function casesNamed(only: string | undefined) {
  if (only === undefined) return cases
  const names = only.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !cases.some((each) => each.name === name))
  if (unknown.length > 0)
    return wrong(`unknown case ${unknown.map((name) => `'${name}'`).join(', ')}; --list prints all names`)
  return cases.filter(({ name }) => names.includes(name))
}

function secondsOf(name: string, text: string): number {
  const seconds = Number(text)
  return seconds > 0 && seconds <= 86_400 ? seconds : wrong(`--${name} '${text}' is not a number of seconds`)
}

/** Ends with one clear line, instead of a list of failures, when the driver is not reachable. */
async function reach(target: string, timeoutMs: number): Promise<void> {
  try {
    await createClient(target, timeoutMs).send({ method: 'DELETE', path: randomId() })
  } catch (error) {
    if (!(error instanceof Failure) || error.message.startsWith('no answer within')) return
    console.error(`cannot reach '${target}': ${error.message}`)
    process.exit(1)
  }
}

function say(text: string): 0 {
  console.log(text)
  return 0
}

function wrong(message: string): never {
  console.error(message)
  process.exit(2)
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
