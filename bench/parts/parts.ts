import type { AuditReader } from '../audit.ts'
import type { Bed } from '../bed.ts'
import { deployTo, makeEnvironment, type Stage } from '../client-steps.ts'
import { type GatewayFigures, measureGateway } from '../gateway/gateway.ts'
import type { Options } from '../options.ts'
import { measurePortal, type PortalFigures } from '../portal/portal.ts'
import { measureResident, type Resident } from '../resident/resident.ts'
import { type Environments, measureEnvironments } from '../scale/environments.ts'
import { type Burst, measureBursts } from './bursts.ts'
import { type Explanations, measureExplanations } from './explain.ts'
import { type Failover, measureFailover } from './failover.ts'
import { type Fairness, measureFairness } from './fairness.ts'

/** What a run measures beyond its stories; what was not chosen, or failed, is absent. */
export interface PartFigures {
  readonly gateway?: GatewayFigures
  readonly portal?: PortalFigures
  readonly resident?: Resident
  readonly environments?: readonly Environments[]
  readonly explanations?: Explanations
  readonly bursts?: readonly Burst[]
  readonly failover?: Failover
  readonly fairness?: Fairness
}

interface Scene {
  readonly bed: Bed
  readonly stage: Stage
  readonly audit: AuditReader
  readonly options: Options
}

/** In this order: the failing resources of the last one stay. */
const parts: Readonly<Record<string, (scene: Scene) => Promise<PartFigures>>> = {
  gateway: async ({ bed, stage, options }) => ({
    gateway: await measureGateway(bed, stage, options.sizes.gateway),
  }),
  portal: async ({ stage, options }) => ({ portal: await portalOn(stage, options.sizes.rounds) }),
  resident: async ({ bed, stage, audit, options }) => ({
    resident: await measureResident(bed, stage, audit, options.sizes),
  }),
  environments: async (scene) => ({ environments: await manyEnvironments(scene) }),
  definitions: async ({ bed, stage, options }) => ({
    explanations: await measureExplanations(bed, stage, options.sizes.explanations),
  }),
  bursts: async ({ bed, audit, options }) => ({
    bursts: await measureBursts(bed, audit, options.sizes.bursts),
  }),
  failover: async ({ bed, stage, options }) => ({
    failover: await measureFailover(bed, stage, options.sizes.rounds),
  }),
  fairness: async ({ bed, stage, options }) => ({
    fairness: await measureFairness(bed, stage, options.sizes.busy),
  }),
}

/** Measures the chosen parts. One that fails leaves the others their figures; `failed` names it. */
export async function measureParts(
  scene: Scene,
  say: (line: string) => void,
): Promise<{ readonly figures: PartFigures; readonly failed: readonly string[] }> {
  const figures: PartFigures[] = []
  const failed: string[] = []
  for (const [name, measure] of Object.entries(parts).filter(([each]) => isChosen(scene.options, each))) {
    say(`${name} …`)
    try {
      figures.push(await measure(scene))
    } catch (error) {
      failed.push(name)
      say(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }
  return { figures: Object.assign({}, ...figures), failed }
}

function isChosen({ only, sizes }: Options, name: string): boolean {
  if (name === 'resident') return sizes.resident > 0
  return only.length === 0 || only.includes(name)
}

async function manyEnvironments({ bed, stage, audit, options }: Scene): Promise<readonly Environments[]> {
  const { object, echo } = options.sizes.environments
  return [
    await measureEnvironments(bed, stage, audit, { count: object, work: 'object' }),
    await measureEnvironments(bed, stage, audit, { count: echo, work: 'echo' }),
  ]
}

async function portalOn(stage: Stage, rounds: number): Promise<PortalFigures> {
  const id = 'portal'
  await makeEnvironment(stage, id)
  await deployTo(stage, id, 'first', { deltaName: 'independent-10' })
  return measurePortal(stage, id, rounds)
}
