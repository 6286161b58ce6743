import { parseArgs } from 'node:util'
import { places } from '../dev/places.ts'
import { fullSizes, quickSizes, type Sizes } from './sizes.ts'
import { type Work, works } from './work.ts'

/** What one run of the benchmark does. */
export interface Options {
  readonly sizes: Sizes
  /** Stories to run, `gateway`, `portal`, `environments`, `definitions`, `bursts`, `failover` and `fairness`; all when empty. */
  readonly only: readonly string[]
  /** Environments of one resource each, which are measured alone; 0 leaves that out. */
  readonly environments: number
  /** Sizes of the deployments for the tables of docs/scale.md, which are measured alone, and the page to write them to. */
  readonly scale: readonly number[]
  readonly works: readonly Work[]
  readonly page?: string
  readonly output: string
  /** Options of Node for operator and gateway, such as `--cpu-prof`. */
  readonly nodeOptions?: string
}

export const usage = `node bench/main.ts [--repeat n] [--quick] [--only few,many,workloads,rest,chain,largest,gateway,portal,environments,definitions,bursts,failover,fairness]
                    [--resident n] [--scale 10,100,1000,9990 [--page docs/scale.md]] [--environments n] [--works echo,object,five]
                     [--busy n] [--output file] [--node-options="--cpu-prof …"]`

/** Options of a command line; throws on one that is not known. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repeat: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      resident: { type: 'string' },
      environments: { type: 'string', default: '0' },
      scale: { type: 'string', default: '' },
      works: { type: 'string', default: 'echo,object' },
      page: { type: 'string' },
      busy: { type: 'string' },
      output: { type: 'string', default: places.bench },
      'node-options': { type: 'string' },
    },
  })
  const { only, output, page, 'node-options': nodeOptions } = values
  const sizes = values.quick ? quickSizes : fullSizes
  const given = (name: 'repeat' | 'resident' | 'busy', usual: number) =>
    values[name] === undefined ? usual : wholeNumber(name, values[name])
  return {
    page,
    scale: values.scale
      .split(',')
      .filter(Boolean)
      .map((size) => wholeNumber('scale', size)),
    works: works.filter((work) => values.works.split(',').includes(work)),
    sizes: {
      ...sizes,
      repeat: given('repeat', sizes.repeat),
      resident: given('resident', only === '' ? sizes.resident : 0),
      busy: given('busy', sizes.busy),
    },
    output,
    nodeOptions,
    only: only.split(',').filter(Boolean),
    environments: wholeNumber('environments', values.environments),
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a whole number, not '${text}'`)
}
