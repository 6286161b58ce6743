import type { Bench, Case } from './case.ts'
import { createClient, type Exchange } from './client.ts'
import { Failure, Skipped } from './failure.ts'
import type { ContractInputs } from './inputs.ts'
import { newResource, type Resource } from './resource.ts'

/** What came of one case. */
export interface Outcome {
  readonly name: string
  readonly title: string
  readonly result: 'ok' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  readonly reason?: string
  readonly warnings: readonly string[]
  readonly milliseconds: number
  /** The call that it failed at. */
  readonly last?: Exchange
}

export interface RunOptions {
  readonly target: string
  readonly inputs: ContractInputs
  /** For one answer. */
  readonly timeoutMs: number
  /** For a PUT or a DELETE with all its repetitions. */
  readonly patienceMs: number
  readonly absenceMs: number
}

/** Runs the cases one after another, and reports each outcome at once. */
export async function runCases(
  cases: readonly Case[],
  options: RunOptions,
  report: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const each of cases) {
    const lacking = outcomes.find(({ name, result }) => name === each.needs && result === 'failed')
    const outcome: Outcome = lacking
      ? {
          ...plain(each),
          result: 'skipped',
          reason: `it needs '${lacking.name}', which failed`,
          warnings: [],
          milliseconds: 0,
        }
      : await runCase(each, options)
    outcomes.push(outcome)
    report(outcome)
  }
  return outcomes
}

async function runCase(
  each: Case,
  { target, inputs, timeoutMs, patienceMs, absenceMs }: RunOptions,
): Promise<Outcome> {
  const started = performance.now()
  const client = createClient(target, timeoutMs)
  const resources: Resource[] = []
  const warnings: string[] = []
  const bench: Bench = {
    ...inputs,
    client,
    absenceMs,
    resource(id) {
      const resource = newResource(client, patienceMs, id)
      resources.push(resource)
      return resource
    },
    warn: (text) => warnings.push(text),
  }
  let outcome: Pick<Outcome, 'result' | 'reason' | 'last'> = { result: 'ok' }
  try {
    await each.run(bench)
  } catch (error) {
    outcome = outcomeOf(error, client.exchanges.at(-1))
  }
  // A case that failed has said enough.
  const left = await leftBehind(resources)
  if (outcome.result === 'ok') warnings.push(...left)
  return { ...plain(each), ...outcome, warnings, milliseconds: Math.round(performance.now() - started) }
}

function outcomeOf(error: unknown, last: Exchange | undefined): Pick<Outcome, 'result' | 'reason' | 'last'> {
  if (error instanceof Skipped) return { result: 'skipped', reason: error.message }
  if (!(error instanceof Failure)) throw error
  return { result: 'failed', reason: error.message, ...(last ? { last } : {}) }
}

/** Removes what the case made; says what it could not. */
async function leftBehind(resources: readonly Resource[]): Promise<string[]> {
  const complaints: string[] = []
  for (const resource of resources.filter(({ touched }) => touched)) {
    await resource.remove().catch((error: Error) => {
      complaints.push(`the resource '${resource.id}' stays behind: ${error.message}`)
    })
  }
  return complaints
}

function plain({ name, title }: Case): Pick<Outcome, 'name' | 'title'> {
  return { name, title }
}
