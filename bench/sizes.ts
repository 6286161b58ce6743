import type { FloorSize } from './floor/measure-floor.ts'

/** How much the parts of a run do. */
export interface Sizes {
  readonly repeat: number
  /** Objects of a round of the floor. */
  readonly floor: FloorSize
  /** Resources of the deployments of the stories. */
  readonly few: number
  readonly many: number
  /** Absent where the largest deployment is left out. */
  readonly largest?: number
  /** Active resources that the processes hold when they are started anew, a multiple of 1,000; 0 leaves that out. */
  readonly resident: number
  /** How long the processes rest before their memory is read. */
  readonly restSeconds: number
  /** Environments of one resource each. */
  readonly environments: { readonly object: number; readonly echo: number }
  /** Definitions, and resources that none of them fits. */
  readonly explanations: { readonly definitions: number; readonly unmatched: number }
  /** Workloads and deployments of an environment, and versions for environments with a rule, that are created at once. */
  readonly bursts: {
    readonly workloads: number
    readonly deployments: number
    readonly versions: number
    readonly environments: number
  }
  /** Failing resources of another organization, beside which a small deployment is timed. */
  readonly busy: number
  readonly gateway: {
    /** Writes of each way in a round. */
    readonly writes: number
    /** How long each load lasts. */
    readonly seconds: number
    readonly slowSockets: number
  }
  /** Repetitions of the portal and of the failover, for medians. */
  readonly rounds: number
}

/** Resources of the largest deployment: a set has no more than 10,000 with its modules. */
export const largest = 9990

/** Links of the chains. */
export const chainLength = 100

export const fullSizes: Sizes = {
  repeat: 3,
  floor: { serial: 200, parallel: 1000 },
  few: 100,
  many: 1000,
  largest,
  resident: 10_000,
  // V8 returns the memory that it does not need when it has collected no garbage for 100 seconds.
  restSeconds: 120,
  environments: { object: 1000, echo: 2770 },
  // As many problems as a plan lists.
  explanations: { definitions: 10_000, unmatched: 1000 },
  bursts: { workloads: 1000, deployments: 200, versions: 200, environments: 100 },
  busy: 2000,
  gateway: { writes: 1000, seconds: 15, slowSockets: 5000 },
  rounds: 3,
}

/** The least that shows that every part works. */
export const quickSizes: Sizes = {
  repeat: 1,
  floor: { serial: 10, parallel: 64 },
  few: 10,
  many: 100,
  resident: 1000,
  restSeconds: 1,
  environments: { object: 10, echo: 20 },
  explanations: { definitions: 100, unmatched: 10 },
  bursts: { workloads: 20, deployments: 10, versions: 10, environments: 5 },
  busy: 100,
  gateway: { writes: 50, seconds: 2, slowSockets: 100 },
  rounds: 1,
}
