import { fc } from '../../support/properties.ts'
import { content, partOfDeltas, partOfWorkloads, whole } from './contents.ts'
import { definers } from './definitions/define.ts'
import { type Definition, rarely, word } from './definitions/definition.ts'
import { anyDefinition, basic, secretNames, types } from './definitions/definitions.ts'
import { openedNamespaces } from './definitions/namespace-definitions.ts'
import { typeForms } from './definitions/types.ts'
import {
  apiFaults,
  type BreakWatches,
  type Close,
  type Deploy,
  type DirectDoor,
  type Door,
  driverFaults,
  type Misbehave,
  type RunSettings,
  type Step,
} from './step.ts'

/** What the resources of an organization need. */
const needs = ['definitions', 'accounts', 'drivers', 'types', 'secrets', 'values', 'deployments'] as const
export type Need = (typeof needs)[number]

/** How the environments end. */
export interface Ending {
  readonly by: 'environments' | 'application' | 'organization'
  /** A namespace is deleted by kubectl alone. */
  readonly door: DirectDoor
  /** Driver and DNS provider answer no more, so that resources must be detached. */
  readonly isHopeless: boolean
  /** What is deleted a moment before, in this order. */
  readonly without: readonly Need[]
  readonly amid: readonly Step[]
}

/** A history of an environment, what is deployed to it in the end, and how it ends. */
export interface History {
  readonly definitions: readonly Definition[]
  readonly steps: readonly Step[]
  readonly last: Deploy
  /** What is deployed in the end by another door, where `last` is of Workloads. */
  readonly beside?: Deploy
  readonly ending: Ending
}

const place = fc.integer({ min: 0, max: 9 })
const directDoor: fc.Arbitrary<DirectDoor> = fc.constantFrom('kubectl', 'REST')

const deployBy = (doors: readonly Door[]): fc.Arbitrary<Deploy> =>
  fc.record({
    do: fc.constant('deploy' as const),
    content,
    part: fc.constant(whole),
    as: fc.constantFrom('set' as const, 'delta' as const),
    mode: rarely('incremental' as const, fc.constant('full' as const)),
    door: fc.constantFrom(...doors),
    isAwaited: rarely(true, fc.constant(false)),
  })

/** A deployment to an environment that several doors share: a set would take out what Workloads brought. */
function inParts(deploy: Deploy): Deploy {
  return { ...deploy, as: 'delta', part: deploy.door === 'GitOps' ? partOfWorkloads : partOfDeltas }
}

const misbehave: fc.Arbitrary<Misbehave> = fc.record({
  do: fc.constant('misbehave' as const),
  driver: fc.array(fc.constantFrom(...driverFaults), { maxLength: 2 }),
  api: fc.array(fc.constantFrom(...apiFaults), { maxLength: 4 }),
})
const close: fc.Arbitrary<Close> = fc.record({
  do: fc.constant('close' as const),
  namespace: fc.constantFrom(...openedNamespaces),
})
const breakWatches: fc.Arbitrary<BreakWatches> = fc.record({
  do: fc.constant('break watches' as const),
  isExpired: fc.boolean(),
})
const endOperator = fc.record({ do: fc.constant('end operator' as const), isOrderly: fc.boolean() })
const definitionNames = [...types, 's3', 'own-s3', 'dns', 'ingress', 'cluster', 'namespace'].flatMap(
  (type) => [type, `${type}-0`, `${type}-1`, `${type}-2`],
)

/** What other clients do to the outcome of a deployment. */
const disturbance: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(
    'delete object' as const,
    'change object' as const,
    'delete namespace' as const,
    'lose outputs' as const,
  ),
  at: place,
})
// A record that is missing soon after it was made is taken for a list of the provider that is late.
const changeRecord: fc.Arbitrary<Step> = fc.record({ do: fc.constant('change record' as const), at: place })

const runSettings: fc.Arbitrary<RunSettings> = fc.record(
  {
    paused: fc.boolean(),
    replicas: fc.dictionary(fc.constantFrom('web', 'worker'), fc.integer({ min: 0, max: 3 })),
    restartTimes: fc.dictionary(
      fc.constantFrom('web', 'worker'),
      fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
    ),
  },
  { requiredKeys: [] },
)

/** What happens beside deployments. */
const event: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('define' as const),
      definition: anyDefinition,
      by: fc.constantFrom(...definers),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('undefine' as const),
      name: fc.constantFrom(...definitionNames),
      door: directDoor,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rotate' as const),
      secret: fc.constantFrom(...secretNames),
      to: place,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set value' as const), to: word, door: directDoor }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('set secret value' as const, 'set credentials' as const),
      to: place,
      door: directDoor,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.option(word).map((to) => ({ do: 'override value' as const, to })),
  },
  { weight: 1, arbitrary: runSettings.map((settings) => ({ do: 'run' as const, settings })) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('register' as const),
      secret: fc.constantFrom('login' as const, 'token' as const, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('limit' as const), secrets: fc.constantFrom(6, 9, null) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('delete resource' as const),
      at: place,
      door: directDoor,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tamper' as const), at: place, to: word }) },
  { weight: 1, arbitrary: close },
  { weight: 3, arbitrary: misbehave },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('retype' as const),
      type: fc.constantFrom(...types),
      form: fc.constantFrom(...typeForms),
      door: directDoor,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete deployment' as const), at: place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('delete environment' as const),
      next: fc.constantFrom('development' as const, 'production' as const),
      door: directDoor,
    }),
  },
  { weight: 1, arbitrary: endOperator },
  { weight: 1, arbitrary: breakWatches },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('remove supply' as const), at: fc.nat(), door: directDoor }),
  },
  { weight: 2, arbitrary: fc.constantFrom<Step[]>({ do: 'withdraw' }, { do: 'wait' }) },
)

const ending: fc.Arbitrary<Ending> = fc.record({
  by: fc.constantFrom('environments' as const, 'application' as const, 'organization' as const),
  door: directDoor,
  isHopeless: rarely(false, fc.constant(true)),
  without: fc.uniqueArray(fc.constantFrom(...needs)),
  amid: fc.array(fc.oneof(misbehave, endOperator, breakWatches, close), { maxLength: 2 }),
})

/** A deployment looks at what exists outside the cluster only when its inputs change, or when its mode is `full`. */
const modeAfter = (steps: readonly Step[], mode: Deploy['mode']): Deploy['mode'] =>
  steps.some((step) => step.do === 'change record') ? 'full' : mode

/** Anything happens at first. Then a deployment ends and is disturbed; the last one often has the same content. */
export function historyBy(doors: readonly Door[]): fc.Arbitrary<History> {
  const isShared = doors.includes('GitOps') && doors.length > 1
  const deploy = isShared ? deployBy(doors).map(inParts) : deployBy(doors)
  // Only a deployment with a mode can repair what exists outside the cluster.
  const disturbances = doors.includes('GitOps')
    ? disturbance
    : fc.oneof({ weight: 9, arbitrary: disturbance }, { weight: 1, arbitrary: changeRecord })
  return fc
    .record({
      definitions: fc.array(anyDefinition, { maxLength: 6 }),
      steps: fc.array(
        fc.oneof(
          { weight: 8, arbitrary: deploy },
          { weight: 20, arbitrary: event },
          { weight: 3, arbitrary: disturbances },
        ),
        { minLength: 3, maxLength: 16 },
      ),
      settled: deploy,
      disturbances: fc.array(disturbances, { maxLength: 3 }),
      last: deploy,
      isSame: fc.boolean(),
      ending,
    })
    .map(({ definitions, steps, settled, disturbances, last: any, isSame, ending }) => {
      const last = {
        ...any,
        content: isSame ? settled.content : any.content,
        mode: modeAfter([...steps, ...disturbances], any.mode),
      }
      const other = last.door === 'GitOps' ? ('REST' as const) : last.door
      return {
        definitions: [...basic, ...definitions],
        steps: [...steps, { ...settled, isAwaited: true }, ...disturbances],
        ...(isShared
          ? { last: inParts({ ...last, door: 'GitOps' }), beside: inParts({ ...last, door: other }) }
          : { last }),
        ending,
      }
    })
}
