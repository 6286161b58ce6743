import { type ContractInputs, textsIn } from './inputs.ts'
import { describeExchange } from './mask.ts'
import type { Outcome } from './run.ts'

const marks = { ok: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const

/** The line of a case, and below it what was sent and what came where it failed. */
export function lineOf(outcome: Outcome, inputs: ContractInputs): string {
  const { result, name, title, reason, warnings, last } = outcome
  const why = reason === undefined ? '' : `: ${maskIn(reason, inputs)}`
  const text = result === 'skipped' ? why.slice(2) : `${title}${why}`
  const lines = [`${marks[result]} ${name.padEnd(21)} ${text}`]
  for (const warning of warnings) lines.push(`        warning: ${maskIn(warning, inputs)}`)
  if (last) {
    const { sent, came } = describeExchange(last, allSecrets(inputs))
    lines.push(`        sent: ${sent}`, `        came: ${came}`)
  }
  return lines.join('\n')
}

/** The last line: how many passed and failed; what was skipped did neither. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const count = (result: Outcome['result']) => outcomes.filter((each) => each.result === result).length
  return `${count('ok')} passed, ${count('failed')} failed`
}

/** Everything, for programs. */
export function jsonOf(target: string, outcomes: readonly Outcome[], inputs: ContractInputs): string {
  const cases = outcomes.map(({ last, ...outcome }) => ({
    ...outcome,
    ...(last ? describeExchange(last, allSecrets(inputs)) : {}),
  }))
  const count = (result: Outcome['result']) => outcomes.filter((each) => each.result === result).length
  return JSON.stringify(
    { target, passed: count('ok'), failed: count('failed'), skipped: count('skipped'), cases },
    undefined,
    2,
  )
}

function allSecrets({ given, changed, bad }: ContractInputs): string[] {
  return [given, changed, bad].flatMap((inputs) => textsIn(inputs?.driver.secrets))
}

function maskIn(text: string, inputs: ContractInputs): string {
  return allSecrets(inputs)
    .filter((secret) => secret.length >= 4)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}
