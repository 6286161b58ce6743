import { parseArgs } from 'node:util'
import { places } from '../dev/places.ts'

/** What one run of the benchmark does. */
export interface Options {
  readonly repeat: number
  readonly quick: boolean
  /** Stories to run, `gateway` and `fairness`; all when empty. */
  readonly only: readonly string[]
  /** Active resources to keep while the operator is started anew; 0 leaves that out. */
  readonly resident: number
  /** Failing resources of another organization, beside which a small deployment is timed. */
  readonly busy: number
  readonly output: string
  /** Options of Node for operator and gateway, such as `--cpu-prof`. */
  readonly nodeOptions?: string
}

export const usage = `node bench/main.ts [--repeat n] [--quick] [--only few,many,rest,chain,gateway,fairness]
                    [--resident n] [--busy n] [--output file] [--node-options="--cpu-prof …"]`

/** Options of a command line; throws on one that is not known. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repeat: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      resident: { type: 'string', default: '0' },
      busy: { type: 'string', default: '2000' },
      output: { type: 'string', default: places.bench },
      'node-options': { type: 'string' },
    },
  })
  const { quick, only, output, 'node-options': nodeOptions } = values
  return {
    quick,
    output,
    nodeOptions,
    only: only.split(',').filter(Boolean),
    repeat: wholeNumber('repeat', values.repeat ?? (quick ? '1' : '3')),
    resident: wholeNumber('resident', values.resident),
    busy: wholeNumber('busy', values.busy),
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a whole number, not '${text}'`)
}
