import { afterEach, describe, expect, test } from '@jest/globals'
import { ArtefactVersion } from '../../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../../operator/api/automation-rule.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createImageWorld, firstImages, type ImageWorld } from './image-world.ts'

const worlds: ImageWorld[] = []
afterEach(() => {
  for (const each of worlds.splice(0)) each.close()
})

function createWorld(): ImageWorld {
  const world = createImageWorld()
  worlds.push(world)
  return world
}

function startedWorld(): ImageWorld {
  const world = createWorld()
  world.rule('main', { matchRef: '^refs/heads/main$' })
  world.start()
  return world
}

/** A set with the images that the environment runs at first. */
function firstSet(name: string) {
  const containers = Object.fromEntries(Object.entries(firstImages).map(([id, image]) => [id, { image }]))
  const spec = { applicationName: 'shop', modules: { web: { spec: { containers } } }, shared: {} }
  return newObject(DeploymentSet, { namespace: 'acme', name }, spec)
}

/** What an environment records of its start. */
function startWith(setName: string) {
  const time = '2026-01-01T00:00:00Z'
  const start = { deploymentName: 'shop.dev.1', deploymentUid: 'uid', environmentName: 'shop.dev', setName }
  return { ...start, state: 'succeeded' as const, creationTime: time }
}

/** Creates the rule `main` at a time of a clock. */
function putRule({ fake }: ImageWorld, creationTimestamp: string): void {
  const metadata = { namespace: 'acme', name: 'main', creationTimestamp }
  const spec = { applicationName: 'shop', environmentId: 'dev' }
  fake.put(AutomationRule, newObject(AutomationRule, metadata, spec))
}

test.each<[rule: string, spec: Partial<AutomationRule['spec']>, active: boolean]>([
  ['a rule without the field is', {}, true],
  ['a rule that is switched off is not', { active: false }, false],
  ['a rule with invalid patterns may be', { active: true, matchRef: '(' }, true],
])('the column shows whether a rule is active: %s', async (_, spec, active) => {
  const world = createWorld()
  world.rule('main', spec)
  world.start()
  const statusOf = () => world.fake.store.get(AutomationRule, 'acme', 'main')?.status
  await world.until(() => statusOf()?.effectiveVersion !== undefined)
  const column = AutomationRule.columns.find(({ name }) => name === 'Active')
  expect([statusOf()?.active, column?.jsonPath]).toEqual([active, '.status.active'])
})

describe('a new version', () => {
  test('that fits a rule is deployed by a delta and a deployment', async () => {
    const world = startedWorld()
    world.register('a1', { version: '1' })
    await world.untilQuiet()
    expect(world.automatic()).toEqual([
      {
        name: expect.stringMatching(/^shop\.dev\.auto-[0-9a-f]+$/),
        versions: ['a1'],
        images: ['r.test/a:1'],
      },
    ])
    expect(world.running()).toEqual({ ...firstImages, a: 'r.test/a:1' })
    expect(world.outcomes()).toEqual({ a1: 'Deployed' })
  })

  test.each<[rule: string, arrange: (world: ImageWorld) => void, outcome: string | undefined]>([
    [
      'of another reference is not deployed',
      (world) => world.register('a1', { version: '1', ref: 'refs/tags/1' }),
      undefined,
    ],
    [
      'of an unknown image is not deployed',
      (world) => world.register('c1', { artefactName: 'r.test/c', version: '1' }),
      'Unchanged',
    ],
    [
      'of the image that runs is not deployed',
      (world) => world.register('a0', { version: '0' }),
      'Unchanged',
    ],
    [
      'of the image of a module that a Workload owns is not deployed',
      (world) => {
        world.own('web')
        world.register('a1', { version: '1' })
      },
      'OwnedByWorkload',
    ],
    [
      'of the image that a module of a Workload runs is not deployed',
      (world) => {
        world.own('web')
        world.register('a0', { version: '0' })
      },
      'Unchanged',
    ],
    [
      'that is no tag of an image is not deployed',
      (world) => world.register('a1', { version: '${values.TAG}' }),
      undefined,
    ],
    ['of a workload is not deployed', (world) => world.register('w1', { type: 'workload' }), undefined],
    [
      'is not deployed by a rule that is off',
      (world) => {
        world.rule('main', { active: false })
        world.register('a1', { version: '1' })
      },
      undefined,
    ],
    [
      'is not deployed by a rule with an invalid pattern',
      (world) => {
        world.rule('main', { matchRef: '(' })
        world.register('a1', { version: '1' })
      },
      undefined,
    ],
    [
      'that is archived is not deployed',
      (world) => world.register('a1', { version: '1', archived: true }),
      undefined,
    ],
  ])('%s', async (_, arrange, outcome) => {
    const world = startedWorld()
    arrange(world)
    await world.untilQuiet()
    expect(world.automatic()).toEqual([])
    expect(world.running()).toEqual(firstImages)
    expect(Object.values(world.outcomes())).toEqual([outcome])
  })
})

describe('a version of an image of a Workload names the Workload to change', () => {
  const targetOf = ({ fake }: ImageWorld, name: string) =>
    fake.store.get(ArtefactVersion, 'acme', name)?.status?.environments?.[0]
  const message = expect.stringContaining("'shop.web'")

  test('when no other module has the image', async () => {
    const world = startedWorld()
    world.own('web')
    world.register('a1', { version: '1' })
    await world.untilQuiet()
    expect(targetOf(world, 'a1')).toMatchObject({ outcome: 'OwnedByWorkload', message })
  })

  test('when it is deployed to other modules, alone or with another version', async () => {
    const world = startedWorld()
    world.own('web')
    world.addModule('free', { a: 'r.test/a:0', b: 'r.test/b:0' })
    world.register('a1', { version: '1' })
    world.register('b1', { artefactName: 'r.test/b', version: '1' })
    await world.untilQuiet()
    expect(world.automatic()).toHaveLength(1)
    for (const name of ['a1', 'b1'])
      expect(targetOf(world, name)).toMatchObject({ outcome: 'Deployed', message })
  })

  test('unless it has that version already', async () => {
    const world = startedWorld()
    world.own('web')
    world.addModule('free', { a: 'r.test/a:9' })
    world.register('a0', { version: '0' })
    await world.untilQuiet()
    const target = targetOf(world, 'a0')
    expect([target?.outcome, target?.message]).toEqual(['Deployed', undefined])
  })
})

describe('a rule does not deploy', () => {
  test('versions that are older, also when it is made while no operator runs', async () => {
    const world = createWorld()
    world.register('a1', { version: '1' })
    world.rule('late')
    world.start()
    await world.untilQuiet()
    expect(world.outcomes()).toEqual({ a1: undefined })
  })

  test('versions that came while it was off', async () => {
    const world = startedWorld()
    world.rule('main', { active: false })
    world.register('a1', { version: '1' })
    await world.untilQuiet()
    world.rule('main', { active: true })
    world.register('b1', { artefactName: 'r.test/b', version: '1' })
    await world.untilQuiet()
    expect(world.running()).toEqual({ a: firstImages.a, b: 'r.test/b:1' })
  })

  test.each<[rule: string, change: (world: ImageWorld) => void, outcome: string]>([
    ['a version after it is switched off', (world) => world.rule('main', { active: false }), 'RuleInactive'],
    ['a version after it is deleted', (world) => world.removeRule('main'), 'RuleInactive'],
    [
      'a version after it no longer fits',
      (world) => world.rule('main', { matchRef: 'tags' }),
      'RuleInactive',
    ],
    [
      'a version after it is replaced by one of its name with an earlier time',
      (world) => {
        world.removeRule('main')
        putRule(world, '2020-01-01T00:00:00Z')
      },
      'RuleInactive',
    ],
    ['a version after that is archived', (world) => world.archive('a1'), 'Archived'],
  ])('%s, while it waits for another deployment', async (_, change, outcome) => {
    const world = startedWorld()
    world.deployOther()
    world.register('a1', { version: '1' })
    await world.settled()
    change(world)
    await world.untilQuiet()
    expect(world.outcomes()).toEqual({ a1: outcome })
    expect(world.automatic()).toEqual([])
  })
})

test('a rule of a server whose clock is ahead deploys a version', async () => {
  const world = createWorld()
  putRule(world, '2100-01-01T00:00:00Z')
  world.start()
  world.register('a1', { version: '1' })
  await world.untilQuiet()
  expect(world.outcomes()).toEqual({ a1: 'Deployed' })
})

test('versions that come together are one deployment, with the newest of each image', async () => {
  const world = startedWorld()
  world.deployOther()
  world.register('a1', { version: '1' })
  world.register('a2', { version: '2' })
  world.register('b1', { artefactName: 'r.test/b', version: '1' })
  await world.untilQuiet()
  expect(world.automatic()).toEqual([
    { name: expect.anything(), versions: ['a2', 'b1'], images: ['r.test/a:2', 'r.test/b:1'] },
  ])
  expect(world.outcomes()).toEqual({ a1: 'Superseded', a2: 'Deployed', b1: 'Deployed' })
})

test('a version waits while another deployment runs', async () => {
  const world = startedWorld()
  world.deployOther()
  world.register('a1', { version: '1' })
  await world.settled()
  expect(world.automatic()).toEqual([])
  world.endDeployment(false)
  await world.until(() => world.automatic().length > 0)
  expect(world.automatic()).toMatchObject([{ versions: ['a1'] }])
})

test.each<[end: string, happen: (world: ImageWorld) => void]>([
  ['it is created', ({ fake }) => fake.put(DeploymentSet, firstSet('shop.first'))],
  [
    'the environment starts from a deployment whose set exists',
    ({ fake }) => {
      fake.put(DeploymentSet, firstSet('shop.other'))
      const environment = fake.store.get(Environment, 'acme', 'shop.dev')
      if (!environment) throw new Error('no environment')
      fake.put(Environment, {
        ...environment,
        spec: { ...environment.spec, fromDeploymentName: 'shop.dev.1' },
      })
      fake.setStatus(Environment, 'acme', 'shop.dev', {
        ...environment.status,
        start: startWith('shop.other'),
      })
    },
  ],
])(
  'a version waits for the set that is deployed until %s, without looking again and again',
  async (_, happen) => {
    const world = startedWorld()
    world.fake.drop(DeploymentSet, 'acme', 'shop.first')
    world.register('a1', { version: '1' })
    const readyOf = () => {
      const version = world.fake.store.get(ArtefactVersion, 'acme', 'a1')
      return version && conditionOf(version, 'Ready')
    }
    await world.until(() => readyOf()?.reason === 'SetNotFound')
    happen(world)
    await world.until(() => world.automatic().length > 0)
    expect(world.automatic()).toMatchObject([{ versions: ['a1'] }])
  },
)

test('a failed deployment is not repeated', async () => {
  const world = startedWorld()
  world.register('a1', { version: '1' })
  await world.settled()
  world.endDeployment(false)
  await world.untilQuiet()
  expect(world.automatic()).toHaveLength(1)
})

test('a version that was deleted, and is registered again after a newer one, is a new version', async () => {
  const world = startedWorld()
  for (const name of ['a1', 'a2']) {
    world.register(name, { version: name })
    await world.untilQuiet()
  }
  world.fake.drop(ArtefactVersion, 'acme', 'a1')
  world.register('a1', { version: 'a1' })
  await world.untilQuiet()
  expect(world.running()).toMatchObject({ a: 'r.test/a:a1' })
  const names = world.automatic().map(({ name }) => name)
  expect(names).toHaveLength(3)
  const { environments } = world.fake.store.get(ArtefactVersion, 'acme', 'a1')?.status ?? {}
  expect(environments).toMatchObject([{ outcome: 'Deployed', deploymentName: names.at(-1) }])
})

test('a version that was deleted is a new version at once, with the time of the deployment of the earlier one', async () => {
  const world = startedWorld()
  const { fake } = world
  for (const name of ['a1', 'a2']) {
    world.register(name, { version: name })
    await world.untilQuiet()
  }
  const [first] = fake.store.list(EnvironmentDeployment, 'acme')
  const { creationTimestamp } = first?.metadata ?? {}
  const { spec } = fake.store.get(ArtefactVersion, 'acme', 'a1') ?? {}
  fake.drop(ArtefactVersion, 'acme', 'a1')
  if (spec)
    fake.put(
      ArtefactVersion,
      newObject(ArtefactVersion, { namespace: 'acme', name: 'a1', creationTimestamp }, spec),
    )
  await world.untilQuiet()
  expect(world.running()).toMatchObject({ a: 'r.test/a:a1' })
  expect(world.automatic()).toHaveLength(3)
})

test('two rules of one environment deploy a version once', async () => {
  const world = startedWorld()
  world.rule('second')
  world.register('a1', { version: '1' })
  await world.untilQuiet()
  expect(world.automatic()).toHaveLength(1)
})

test('a refused request is repeated until it succeeds', async () => {
  const world = startedWorld()
  for (const kind of ['DeploymentDelta', 'EnvironmentDeployment'])
    world.fake.failNext(`create ${kind}`, new ApiError(500, 'InternalError', 'later'))
  world.register('a1', { version: '1' })
  await world.untilQuiet()
  expect(world.automatic()).toHaveLength(1)
  expect(world.running()).toMatchObject({ a: 'r.test/a:1' })
})

test.each<[rule: string, error: Error, isBlocked: object]>([
  ['that the cluster refuses', new ApiError(403, 'Forbidden', 'changes are frozen'), { reason: 'Failed' }],
  ['that fails for good', new Stalled('Conflict', 'another delta exists'), { reason: 'Conflict' }],
])('a deployment %s keeps no other environment from its own', async (_, error, isBlocked) => {
  const world = startedWorld()
  const { fake } = world
  const { create } = fake
  const { status } = fake.store.get(Environment, 'acme', 'shop.dev') ?? {}
  const spec = { applicationName: 'shop', typeName: 'development' }
  fake.put(Environment, newObject(Environment, { namespace: 'acme', name: 'shop.closed' }, spec))
  fake.setStatus(Environment, 'acme', 'shop.closed', status ?? {})
  world.rule('closed', { environmentId: 'closed' })
  Object.assign(fake, {
    create: (...[kind, object]: Parameters<typeof create>) =>
      (object.spec as { environmentId?: string }).environmentId === 'closed' // in a delta
        ? Promise.reject(error)
        : create(kind, object),
  })
  world.register('a1', { version: '1' })
  const versionNow = () => fake.store.get(ArtefactVersion, 'acme', 'a1')
  await world.until(() => versionNow()?.status?.environments?.at(-1)?.outcome !== undefined)
  await world.until(() => conditionOf(versionNow() ?? {}, 'Ready')?.status === 'False')
  expect(world.automatic().map(({ images }) => images)).toEqual([['r.test/a:1']])
  expect(versionNow()?.status?.environments).toMatchObject([
    { environmentName: 'shop.closed' },
    { environmentName: 'shop.dev', outcome: 'Deployed' },
  ])
  expect(conditionOf(versionNow() ?? {}, 'Ready')).toMatchObject(isBlocked)
})

type Event =
  | { readonly do: 'register'; readonly artefact: 'a' | 'b'; readonly isMain: boolean }
  | { readonly do: 'toggle' | 'other' | 'end' | 'settle' }
  | { readonly do: 'crash'; readonly at: number; readonly moment: 'before' | 'after' }

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('register' as const),
      artefact: fc.constantFrom('a' as const, 'b' as const),
      isMain: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('toggle' as const, 'other', 'end', 'settle') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      at: fc.integer({ min: 1, max: 8 }),
      moment: fc.constantFrom('before' as const, 'after'),
    }),
  },
)

/** What the laws say of a history: versions that fit, and what must run in the end. */
interface Expected {
  readonly fitting: string[]
  readonly running: Record<string, string>
}

async function play(world: ImageWorld, events: readonly Event[]): Promise<Expected> {
  const expected: Expected = { fitting: [], running: { ...firstImages } }
  let isActive = true
  let count = 0
  for (const each of events) {
    if (each.do === 'register') {
      count += 1
      const name = `${each.artefact}${count}`
      const ref = each.isMain ? 'refs/heads/main' : 'refs/heads/other'
      world.register(name, { artefactName: `r.test/${each.artefact}`, version: String(count), ref })
      if (!each.isMain || !isActive) continue
      expected.fitting.push(name)
      expected.running[each.artefact] = `r.test/${each.artefact}:${count}`
    } else if (each.do === 'toggle') {
      // A version that still waits would be judged by the changed rule.
      await world.untilQuiet()
      isActive = !isActive
      world.rule('main', { active: isActive })
    } else if (each.do === 'crash') world.start(each)
    else if (each.do === 'other') world.deployOther()
    else if (each.do === 'end') world.endDeployment()
    else await world.settled()
  }
  await world.untilQuiet()
  return expected
}

test('in any order of events and crashes, each fitting version is deployed at most once, the last one wins, and others change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 14 }), async (events) => {
      const world = startedWorld()
      const { fitting, running } = await play(world, events)
      const deployed = world.automatic().flatMap(({ versions }) => versions)
      expect(deployed).toEqual([...new Set(deployed)])
      expect(deployed.filter((name) => !fitting.includes(name))).toEqual([])
      expect(world.running()).toEqual(running)
      const outcomes = world.outcomes()
      for (const name of Object.keys(outcomes))
        expect([name, outcomes[name] !== undefined]).toEqual([name, fitting.includes(name)])
      world.close()
    }),
    { numRuns: casesOf(300) },
  )
})
