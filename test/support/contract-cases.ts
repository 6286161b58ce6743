import { cases } from '../../dev/driver-contract/cases.ts'
import { type ContractInputs, contractInputs } from '../../dev/driver-contract/inputs.ts'
import { type Outcome, runCases } from '../../dev/driver-contract/run.ts'

/** A secret of the inputs. */
export const password = 'a-secret-that-is-long'

/** A request for the sample driver. */
export const sampleInputs = contractInputs({
  type: 's3',
  driver: { values: { region: 'north' }, secrets: { password } },
  changed: { driver: { values: { region: 'south' } } },
  bad: { driver: { values: { region: 7 } } },
})

/** The names of the cases of the contract suite that end so, sorted. */
export async function contractCases(
  result: Outcome['result'],
  target: string,
  inputs: ContractInputs = sampleInputs,
  timeoutMs = 5000,
): Promise<string[]> {
  const options = { target, inputs, timeoutMs, patienceMs: 1000, absenceMs: 50 }
  const outcomes = await runCases(cases, options, () => {})
  return outcomes
    .filter((outcome) => outcome.result === result)
    .map(({ name }) => name)
    .sort()
}
