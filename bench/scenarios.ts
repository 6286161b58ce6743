import { setTimeout as sleep } from 'node:timers/promises'
import { deployOverRest, deployTo, removeEnvironment, type Stage } from './client-steps.ts'
import {
  applyFloor,
  chainFloor,
  clientFloorMs,
  deletionFloor,
  type Floor,
  independentFloor,
  sequenceFloor,
} from './floor/floor.ts'
import { chainName, changeName, independentName } from './objects.ts'
import { chainLength, type Sizes } from './sizes.ts'
import { objectsPerResource, resourcesOf, type Work } from './work.ts'
import { workloadsName } from './workloads.ts'

/** One thing that is timed: in an environment, after the scenarios before it in the same story. */
export interface Scenario {
  readonly name: string
  /** How many resources it is about. */
  readonly resources: number
  /** Seconds that the API server alone needs. */
  floorSeconds(floor: Floor): number
  /** CPU milliseconds of a client that makes a resource; where they are compared. */
  clientFloorMs?(floor: Floor): number
  readonly goal: Goal
  /** Answers the seconds from the client's write until a watcher sees the end. */
  run(stage: Stage, environmentId: string): Promise<number>
  /** How many resources of the environment are ready afterwards. */
  readonly leaves: number
}

/** What the project wants; each figure at most this. */
export interface Goal {
  readonly ratio?: number
  readonly seconds?: number
  /** Writes and reads of the operator, those for the deployment itself included. */
  readonly writesPerResource?: number
  readonly readsPerResource?: number
  readonly reconcilesPerResource?: number
}

/** Scenarios that follow one another in one environment, which is new each time. */
export interface Story {
  readonly name: string
  readonly scenarios: readonly Scenario[]
  /** Whether it is measured once, because it takes long. */
  readonly isLong?: boolean
}

/** One create, one status, and one write for each object; a tenth for what a deployment costs by itself. */
function fresh(work: Work): Goal {
  return {
    writesPerResource: 2.1 + objectsPerResource(work),
    readsPerResource: ['echo', 'password'].includes(work) ? 0.1 : 1.1,
    reconcilesPerResource: 2.1,
  }
}

const titles: Readonly<Record<Work, string>> = {
  echo: '',
  object: ' with an object',
  five: ' with five objects',
  elsewhere: ' with an object in an open namespace',
  child: ' parents of one child',
  secret: ' with an object that share a Secret',
  password: ' with a secret output',
}

/** A deployment of independent resources, by kubectl. */
export function deploy(count: number, goal: Goal = {}, work: Work = 'echo'): Scenario {
  return {
    name: `${count} independent${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => independentFloor(floor, count, work),
    clientFloorMs: (floor) => clientFloorMs(floor, work),
    goal: { ...fresh(work), ...goal },
    leaves: resourcesOf(work, count),
    run: (stage, id) => deployTo(stage, id, 'first', { deltaName: independentName(count, work) }),
  }
}

function deployByGateway(count: number, goal: Goal): Scenario {
  return {
    ...deploy(count, goal),
    name: `${count} independent, over REST`,
    run: (stage, id) => deployOverRest(stage, id, independentName(count, 'echo')),
  }
}

function deployChain(count: number, work: Work): Scenario {
  return {
    name: `chain of ${count}${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => chainFloor(floor, count, work),
    goal: { ...fresh(work), ratio: 3 },
    leaves: resourcesOf(work, count),
    run: (stage, id) => deployTo(stage, id, 'first', { deltaName: chainName(work) }),
  }
}

/** Reads of each unchanged resource: Secrets are not watched, so one that wrote a Secret looks at it. */
const looksOf = (work: Work) => (work === 'password' ? 1 : 0)

// A deployment that changes nothing is a create and two writes of its status.
function redeploy(count: number, work: Work): Scenario {
  const looks = looksOf(work)
  return {
    name: `${count} unchanged${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => sequenceFloor(floor, 2),
    goal: {
      seconds: looks + (count > 1000 ? 0.5 : 0.3),
      writesPerResource: 0.01,
      readsPerResource: looks + 0.01,
      reconcilesPerResource: looks,
    },
    leaves: resourcesOf(work, count),
    run: (stage, id) => deployTo(stage, id, 'again'),
  }
}

function redeployForced(count: number, work: Work): Scenario {
  return {
    name: `${count} provisioned again${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => applyFloor(floor, count, work),
    goal: { ratio: 1.5, writesPerResource: objectsPerResource(work) + 0.1, readsPerResource: 0.1 },
    leaves: resourcesOf(work, count),
    run: (stage, id) => deployTo(stage, id, 'forced', { mode: 'full' }),
  }
}

function changeOne(count: number, work: Work): Scenario {
  return {
    name: `1 of ${count} changed${titles[work]}`,
    resources: 1,
    floorSeconds: (floor) => sequenceFloor(floor, 4),
    goal: { seconds: looksOf(work) + (count > 1000 ? 0.3 : 0.2) },
    leaves: resourcesOf(work, count),
    run: (stage, id) => deployTo(stage, id, 'change', { deltaName: changeName(work) }),
  }
}

/** The deletion of the environment with all of its resources. */
function removeAll(count: number, work: Work): Scenario {
  return {
    name: `deletion of ${count}${titles[work]}`,
    resources: count,
    floorSeconds: (floor) => deletionFloor(floor, count, work),
    goal: {
      ratio: 1.5,
      // Objects in other namespaces are deleted one by one.
      writesPerResource: (work === 'elsewhere' ? 2.1 : 1.1) + 5 / count,
      readsPerResource: 0.1 + 5 / count,
    },
    leaves: 0,
    run: removeEnvironment,
  }
}

/** A first deployment, one without changes, one with a change, one that provisions everything again, and the deletion. */
export function lifeOf(count: number, work: Work, goal: Goal = {}): Scenario[] {
  return [
    deploy(count, goal, work),
    redeploy(count, work),
    changeOne(count, work),
    ...(work === 'echo' ? [] : [redeployForced(count, work)]),
    removeAll(count, work),
  ]
}

const idleSeconds = 20

/** New workloads of five objects each with the database that they use, the same again, and nothing at all. */
function workloads(count: number): Scenario[] {
  // The database is one resource more.
  const leaves = count + 1
  return [
    {
      // A Secret is recorded before it is made, and each object is looked for before it is applied.
      ...deploy(leaves, { ratio: 1.5, writesPerResource: 8.1, readsPerResource: 4.1 }, 'five'),
      name: `${count} workloads`,
      floorSeconds: (floor) => independentFloor(floor, leaves, 'workload'),
      clientFloorMs: (floor) => clientFloorMs(floor, 'workload'),
      run: (stage, id) => deployTo(stage, id, 'first', { deltaName: workloadsName(count) }),
    },
    {
      ...redeploy(leaves, 'five'),
      name: `${count} unchanged workloads`,
      // Those of the deployment itself.
      goal: {
        seconds: 0.3,
        writesPerResource: 5 / leaves,
        readsPerResource: 10 / leaves,
        // The database names a Secret, which may have changed.
        reconcilesPerResource: 1 / count,
      },
    },
    {
      name: `${count} workloads at rest`,
      resources: leaves,
      floorSeconds: () => idleSeconds,
      goal: { writesPerResource: 0, readsPerResource: 0, reconcilesPerResource: 0 },
      leaves,
      async run() {
        await sleep(1000 * idleSeconds)
        return idleSeconds
      },
    },
  ]
}

/** Everything that `make bench` times. */
export function stories({ few, many, largest }: Sizes): Story[] {
  return [
    { name: 'few', scenarios: [deploy(few, { seconds: 2 }), removeAll(few, 'echo')] },
    { name: 'many', scenarios: lifeOf(many, 'echo', { ratio: 1.3 }) },
    { name: 'objects', scenarios: lifeOf(many, 'object', { ratio: 1.3 }) },
    {
      name: 'elsewhere',
      scenarios: [deploy(many, { ratio: 1.3 }, 'elsewhere'), removeAll(many, 'elsewhere')],
    },
    { name: 'five', scenarios: lifeOf(few, 'five', { ratio: 1.3 }) },
    { name: 'child', scenarios: [deploy(many, { ratio: 1.5 }, 'child'), removeAll(many, 'child')] },
    { name: 'secret', scenarios: [deploy(many, { ratio: 1.5 }, 'secret'), removeAll(many, 'secret')] },
    { name: 'password', scenarios: lifeOf(many, 'password', { ratio: 1.5 }) },
    { name: 'workloads', scenarios: workloads(few) },
    { name: 'rest', scenarios: [deployByGateway(many, { ratio: 2.2 })] },
    { name: 'chain', scenarios: [deployChain(chainLength, 'echo')] },
    ...(largest === undefined
      ? []
      : [{ name: 'largest', isLong: true, scenarios: lifeOf(largest, 'echo', { ratio: 1.3 }) }]),
    { name: 'object-chain', scenarios: [deployChain(chainLength, 'object')] },
  ]
}
