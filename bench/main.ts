// `make bench`: what deploying costs on this machine, as ratios to what the API server alone costs here.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type AuditReader, followAudit } from './audit.ts'
import { type Bed, clientAsOperator, openBed } from './bed.ts'
import { checkResources, makeEnvironment, removeEnvironment, type Stage } from './client-steps.ts'
import { type FloorRound, medianFloor } from './floor/floor.ts'
import { type FloorSize, makeFloorNamespace, measureFloor } from './floor/measure-floor.ts'
import { machineFacts } from './machine.ts'
import { measure, type Sample } from './measure.ts'
import { type Options, readOptions, usage } from './options.ts'
import { measureParts } from './parts/parts.ts'
import { floorTable, type Report, textOf } from './report.ts'
import { type Environments, environmentsLines, measureEnvironments } from './scale/environments.ts'
import { measureScale, writeTables } from './scale/scale.ts'
import { scaleTables } from './scale/tables.ts'
import { resultOf } from './scenario-result.ts'
import { deploy, type Scenario, type Story, stories } from './scenarios.ts'
import { openStage } from './stage.ts'
import { cpuTimes, cpuUse } from './usage.ts'
import { allowObjects } from './work.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)

/** One scenario with the samples of its repetitions. */
interface Sampled {
  readonly scenario: Scenario
  readonly samples: Sample[]
}

async function onBed<T>(options: Options, work: (bed: Bed) => Promise<T>): Promise<T> {
  const bed = await openBed({ nodeOptions: options.nodeOptions, log: say })
  try {
    return await Promise.race([work(bed), bed.broken])
  } finally {
    await bed.close()
  }
}

/** The figures of docs/scale.md, and those of many environments: no floor and no stories. */
async function runScale(bed: Bed, { works, page, ...options }: Options): Promise<string> {
  const machine = await machineFacts(bed, { ...options, works })
  await allowObjects(bed.client)
  for (const name of ['operator', 'gateway'] as const) await bed.start(name)
  const stage = await openStage(bed)
  const audit = await followAudit(bed.controlPlane.auditLogPath ?? '')
  const rows = await measureScale(bed, stage, audit, {
    sizes: options.scale,
    works,
    say,
    async save(measured) {
      await save(options, { machine, rows: measured })
      if (page !== undefined) await writeTables(page, scaleTables(measured))
    },
  })
  const environments: Environments[] = []
  for (const work of options.environments > 0 ? works : [])
    environments.push(await measureEnvironments(bed, stage, audit, { count: options.environments, work }))
  await audit.close()
  stage.close()
  await save(options, { machine, rows, environments })
  return [...(rows.length > 0 ? [scaleTables(rows)] : []), ...environments.flatMap(environmentsLines)].join(
    '\n',
  )
}

/** What a run of the stories and the parts found, and which parts failed. */
interface Found {
  readonly report: Report
  readonly failed: readonly string[]
}

async function runOn(bed: Bed, options: Options): Promise<Found> {
  const { sizes } = options
  const machine = await machineFacts(bed, options)
  await makeFloorNamespace(bed.client)
  await allowObjects(bed.client)
  const rounds = await floorRounds(bed, sizes.floor, Math.max(1, sizes.repeat))
  const start = { operator: await bed.start('operator'), gateway: await bed.start('gateway') }
  const stage = await openStage(bed)
  const audit = await followAudit(bed.controlPlane.auditLogPath ?? '')
  const warmUp = { name: 'warm-up', scenarios: [deploy(sizes.few)] }
  await runStory(stage, warmUp, 'warm-up', (scenario, id) => scenario.run(stage, id))
  const sampled = await sampleAll(bed, stage, audit, options)
  // Before the parts: what ends the whole run leaves this.
  await save(options, { machine, start, ...reportOf(rounds, sampled) })
  const { figures, failed } = await measureParts({ bed, stage, audit, options }, say)
  await audit.close()
  stage.close()
  await Promise.all([bed.stop('operator'), bed.stop('gateway')])
  // The machine may have become slower or faster in the meantime.
  rounds.push(...(await floorRounds(bed, sizes.floor, 1)))
  return { report: { machine, start, ...reportOf(rounds, sampled), ...figures }, failed }
}

async function floorRounds(bed: Bed, size: FloorSize, count: number): Promise<FloorRound[]> {
  const client = await clientAsOperator(bed)
  const rounds: FloorRound[] = []
  try {
    // Warms the API server up.
    await measureFloor(client, { serial: size.serial / 10, parallel: Math.ceil(size.parallel / 5) })
    for (let round = 0; round < count; round += 1) {
      const before = await cpuTimes(bed.pids)
      const floor = await measureFloor(client, size)
      const { noise } = cpuUse(before, await cpuTimes(bed.pids))
      rounds.push({ ...floor, noise })
      say(`noise ${noise}\n${floorTable(floor)}`)
    }
  } finally {
    await client.close()
  }
  return rounds
}

async function sampleAll(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
  { sizes, only }: Options,
): Promise<Sampled[]> {
  const chosen = stories(sizes).filter(({ name }) => only.length === 0 || only.includes(name))
  const sampled = new Map<string, Sampled>()
  for (const story of chosen) {
    const repeat = story.isLong ? Math.min(1, sizes.repeat) : sizes.repeat
    for (let round = 1; round <= repeat; round += 1) {
      await runStory(stage, story, `${story.name}-${round}`, async (scenario, id) => {
        const sample = await measure(bed, audit, () => scenario.run(stage, id))
        say(
          `${scenario.name}: ${sample.seconds} s, ${sample.writes} writes, ${sample.reads} reads, ${sample.reconciles} reconciles, noise ${sample.noise}`,
        )
        const known = sampled.get(scenario.name) ?? { scenario, samples: [] }
        known.samples.push(sample)
        sampled.set(scenario.name, known)
      })
    }
  }
  return [...sampled.values()]
}

/** Runs the scenarios of a story in a new environment, which is gone afterwards. */
async function runStory(
  stage: Stage,
  story: Story,
  id: string,
  run: (scenario: Scenario, id: string) => Promise<unknown>,
) {
  await makeEnvironment(stage, id)
  for (const scenario of story.scenarios) {
    await run(scenario, id)
    await checkResources(stage, id, scenario.leaves)
  }
  if (story.scenarios.at(-1)?.leaves !== 0) await removeEnvironment(stage, id)
}

function reportOf(
  rounds: readonly FloorRound[],
  sampled: readonly Sampled[],
): Pick<Report, 'floor' | 'scenarios' | 'samples'> {
  const floor = medianFloor(rounds)
  const samples = sampled.map(({ scenario, samples: each }) => [scenario.name, each])
  return {
    floor,
    scenarios: sampled.map(({ scenario, samples: each }) => resultOf(scenario, each, floor)),
    samples: { floor: rounds, scenarios: Object.fromEntries(samples) },
  }
}

async function main(args: readonly string[]) {
  if (args.includes('--help')) return console.log(usage)
  const options = readOptions(args)
  const isAlone = options.scale.length > 0 || options.environments > 0
  const work = isAlone ? runScale : runAll
  const text = await onBed(options, (bed) => work(bed, options))
  console.log(`\n${text}\n\nall samples are in ${options.output}`)
}

async function runAll(bed: Bed, options: Options): Promise<string> {
  const { report, failed } = await runOn(bed, options)
  await save(options, report)
  if (failed.length > 0) process.exitCode = 1
  return [textOf(report), ...failed.map((name) => `${name} failed: its error is above`)].join('\n\n')
}

async function save({ output }: Pick<Options, 'output'>, figures: object): Promise<void> {
  await mkdir(dirname(output), { recursive: true })
  await writeFile(output, `${JSON.stringify(figures, undefined, 2)}\n`)
}

if (import.meta.main) await main(process.argv.slice(2))
