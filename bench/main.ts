// `make bench`: what deploying costs on this machine, as ratios to what the API server alone costs here.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type AuditReader, followAudit } from './audit.ts'
import { type Bed, clientAsOperator, openBed } from './bed.ts'
import { checkResources, deployTo, makeEnvironment, removeEnvironment, type Stage } from './client-steps.ts'
import { measureExplanations } from './explain.ts'
import { measureFailover } from './failover.ts'
import { measureFairness } from './fairness.ts'
import { type FloorRound, medianFloor } from './floor/floor.ts'
import { makeFloorNamespace, measureFloor } from './floor/measure-floor.ts'
import { measureGateway } from './gateway/gateway.ts'
import { machineFacts } from './machine.ts'
import { measure, type Sample } from './measure.ts'
import { type Options, readOptions, usage } from './options.ts'
import { measurePortal, type PortalFigures } from './portal/portal.ts'
import { floorTable, type Report, resultOf, textOf } from './report.ts'
import { measureResident } from './resident/resident.ts'
import { type Environments, environmentsLines, measureEnvironments } from './scale/environments.ts'
import { measureScale, writeTables } from './scale/scale.ts'
import { scaleTables } from './scale/tables.ts'
import { deploy, type Scenario, type Story, stories } from './scenarios.ts'
import { chainLength, largest, openStage } from './stage.ts'
import { cpuTimes, cpuUse } from './usage.ts'
import { allowObjects } from './work.ts'

const sizes = { largest, many: 1000, few: 100, chain: chainLength }
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

async function runOn(bed: Bed, options: Options): Promise<Report> {
  const machine = await machineFacts(bed, { ...options, sizes })
  await makeFloorNamespace(bed.client)
  await allowObjects(bed.client)
  const rounds = await floorRounds(bed, options.quick, Math.max(1, options.repeat))
  const start = { operator: await bed.start('operator'), gateway: await bed.start('gateway') }
  const stage = await openStage(bed)
  const audit = await followAudit(bed.controlPlane.auditLogPath ?? '')
  const warmUp = { name: 'warm-up', scenarios: [deploy(sizes.few)] }
  await runStory(stage, warmUp, 'warm-up', (scenario, id) => scenario.run(stage, id))
  const sampled = await sampleAll(bed, stage, audit, options)
  const gateway = isChosen(options, 'gateway') ? await measureGateway(bed, stage) : undefined
  const portal = isChosen(options, 'portal') ? await measurePortalOn(stage) : undefined
  const resident =
    options.resident > 0 ? await measureResident(bed, stage, audit, options.resident) : undefined
  const environments = isChosen(options, 'environments')
    ? await measureManyEnvironments(bed, stage, audit)
    : []
  const explanations = isChosen(options, 'definitions') ? await measureExplanations(bed, stage) : undefined
  const failover = isChosen(options, 'failover') ? await measureFailover(bed, stage) : undefined
  // The last one: the failing resources stay.
  const fairness = isChosen(options, 'fairness') ? await measureFairness(bed, stage, options.busy) : undefined
  await audit.close()
  stage.close()
  await Promise.all([bed.stop('operator'), bed.stop('gateway')])
  // The machine may have become slower or faster in the meantime.
  rounds.push(...(await floorRounds(bed, options.quick, 1)))
  return {
    machine,
    start,
    ...reportOf(rounds, sampled),
    gateway,
    portal,
    resident,
    environments,
    explanations,
    failover,
    fairness,
  }
}

async function measureManyEnvironments(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
): Promise<readonly Environments[]> {
  return [
    await measureEnvironments(bed, stage, audit, { count: 1000, work: 'object' }),
    await measureEnvironments(bed, stage, audit, { count: 2770, work: 'echo' }),
  ]
}

async function measurePortalOn(stage: Stage): Promise<PortalFigures> {
  const id = 'portal'
  await makeEnvironment(stage, id)
  await deployTo(stage, id, 'first', { deltaName: 'independent-10' })
  return measurePortal(stage, id)
}

/** Whether a part that is no story is to run. */
function isChosen({ only, quick }: Options, name: string): boolean {
  return only.length === 0 ? !quick : only.includes(name)
}

async function floorRounds(bed: Bed, quick: boolean, count: number): Promise<FloorRound[]> {
  const client = await clientAsOperator(bed)
  const rounds: FloorRound[] = []
  try {
    await measureFloor(client, { serial: 20, parallel: 200 })
    for (let round = 0; round < count; round += 1) {
      const before = await cpuTimes(bed.pids)
      const floor = await measureFloor(
        client,
        quick ? { serial: 50, parallel: 300 } : { serial: 200, parallel: 1000 },
      )
      const { noise } = cpuUse(before, await cpuTimes(bed.pids))
      rounds.push({ ...floor, noise })
      say(`noise ${noise}\n${floorTable(floor)}`)
    }
  } finally {
    await client.close()
  }
  return rounds
}

async function sampleAll(bed: Bed, stage: Stage, audit: AuditReader, options: Options): Promise<Sampled[]> {
  const chosen = stories(sizes, options.quick).filter(
    ({ name }) => options.only.length === 0 || options.only.includes(name),
  )
  const sampled = new Map<string, Sampled>()
  for (const story of chosen) {
    const repeat = story.isLong ? Math.min(1, options.repeat) : options.repeat
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
  const report = await runOn(bed, options)
  await save(options, report)
  return textOf(report)
}

async function save({ output }: Pick<Options, 'output'>, figures: object): Promise<void> {
  await mkdir(dirname(output), { recursive: true })
  await writeFile(output, `${JSON.stringify(figures, undefined, 2)}\n`)
}

if (import.meta.main) await main(process.argv.slice(2))
