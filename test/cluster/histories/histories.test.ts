import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Environment } from '../../../operator/api/environment.ts'
import { canonicalJson } from '../../../operator/domain/base/json.ts'
import { fc } from '../../support/properties.ts'
import { conditionStatus, eventually } from '../support/client.ts'
import { objectAt } from '../support/observing.ts'
import { appliedObjects, madeNamespaces } from './applied-objects.ts'
import type { Content } from './contents.ts'
import { expectSameOverRest } from './doors.ts'
import { end } from './ending.ts'
import { copy, fresh, makeLikeOld, old } from './environments.ts'
import { type History, historyBy } from './history.ts'
import { type Installation, startInstallation } from './installation.ts'
import { leaksInLogs, leaksOf } from './leaks.ts'
import { outcomeOf, usedResources } from './outcome.ts'
import { perform } from './perform.ts'
import type { Deploy, Door } from './step.ts'
import { makeSubject, type Subject } from './subject.ts'

/** Organizations that have histories side by side, and how many each. */
const organizations = 4
const historiesEach = process.env.QUARTERMASTER_SOAK ? 50 : 1
const settlesWithinMs = 90_000
/** Two deployments of Workloads may come first, each of which waits for a missing Secret. */
const startsWithinMs = 90_000
const longerThanSettlingMs = 2000
const nothing: Content = { workloads: {}, shared: {} }
const noChange: Deploy = {
  do: 'deploy',
  content: nothing,
  part: { workloads: [], shared: [] },
  as: 'delta',
  mode: 'incremental',
  door: 'REST',
  isAwaited: true,
}

let installation: Installation

beforeAll(async () => {
  installation = await startInstallation()
}, 900_000)

afterAll(() => installation?.stop())

test.each<[rule: string, doors: readonly Door[]]>([
  [
    'what a deployment does is what its dry run says, depends on no earlier deployment, and ends with the environment',
    ['kubectl', 'REST'],
  ],
  [
    'what Workloads bring to an environment depends on no earlier ones, and ends with the environment',
    ['GitOps'],
  ],
  [
    'what Workloads and deltas bring to an environment depends on no earlier ones and not on their order, and ends with the environment',
    ['GitOps', 'kubectl', 'REST'],
  ],
])(
  '%s',
  async (_, doors) => {
    const each = async (__: unknown, index: number) =>
      fc.assert(fc.asyncProperty(historyBy(doors), holdsFor), {
        numRuns: historiesEach,
        endOnFailure: true,
        ...(process.env.QUARTERMASTER_SOAK ? {} : { seed: index }),
      })
    await Promise.all(Array.from({ length: organizations }, each))
  },
  14_400_000,
)

test('no log of all this has a secret', () => {
  expect(leaksInLogs(installation)).toEqual([])
})

async function holdsFor({ definitions, steps, last, beside, ending }: History): Promise<void> {
  const subject = await makeSubject(installation)
  for (const definition of definitions) await subject.define(definition)
  for (const step of steps) {
    await perform(subject, step)
    await subject.events.note()
  }
  await subject.calm()

  const isReady = await (beside ? deployBesideWorkloads(subject, last, beside) : deployToBoth(subject, last))
  if (isReady) {
    await expectSameOutcome(subject, old)
    if (last.door !== 'GitOps') await copyOld(subject)
    await untilRestored(subject)
    for (const environment of [old, fresh]) await expectNoChange(subject, environment, last, beside)
  }
  await expectSameOverRest(subject.organization)
  expect(await leaksOf(subject)).toEqual([])
  await subject.events.note()
  const made = await subject.organization.list<Environment>('environments')
  await end(
    subject,
    made.map(({ metadata }) => metadata.name.replace('shop.', '')),
    ending,
  )
}

/** Deploys to the old environment and to a fresh one, with the same end; returns whether it succeeded. */
async function deployToBoth(subject: Subject, last: Deploy): Promise<boolean> {
  if (last.door !== 'GitOps') {
    const isReady = await deployAsPlanned(subject, last)
    await deployToFresh(subject, last, isReady)
    return isReady
  }
  await makeLikeOld(subject.organization, fresh)
  await subject.applyWorkloads([old, fresh], last, 'new')
  const states = await subject.settledWorkloads(last)
  expect(states).toHaveLength(Object.keys(last.content.workloads).length)
  expect(states.map((each) => each[old])).toEqual(states.map((each) => each[fresh]))
  return states.every((each) => each[fresh] === 'succeeded')
}

/** Deploys by Workloads and a delta, to the old environment at the same time; returns whether both succeeded. */
async function deployBesideWorkloads(subject: Subject, last: Deploy, beside: Deploy): Promise<boolean> {
  // A delta leaves other modules as they are, so a broken one hinders it.
  const { problems } = await subject.dryRun(old, noChange)
  await makeLikeOld(subject.organization, fresh)
  const [, isDone] = await Promise.all([
    subject.applyWorkloads([old, fresh], last, 'new'),
    deployDelta(subject, old, beside),
  ])
  const isFreshReady =
    (await areDeployed(subject, fresh, last)) && (await deployDelta(subject, fresh, beside))
  if (!isFreshReady || problems.length > 0) return false
  const isOldReady = isDone && (await areDeployed(subject, old, last))
  // Each may be in the way of the other: what one had before can contradict what the other has now.
  if (!isOldReady) {
    await deployDelta(subject, old, { ...beside, content: nothing })
    await subject.applyWorkloads([old, fresh], last, 'new')
    expect(await areDeployed(subject, old, last)).toBe(true)
    expect(await deployDelta(subject, old, beside)).toBe(true)
  }
  return true
}

async function areDeployed(subject: Subject, environment: string, last: Deploy): Promise<boolean> {
  const states = await subject.settledWorkloads(last)
  return states.every((each) => each[environment] === 'succeeded')
}

/** Deploys by a delta as soon as no other deployment runs; returns whether it succeeded. */
async function deployDelta(subject: Subject, environment: string, deploy: Deploy): Promise<boolean> {
  const name = await eventually(`a deployment to '${environment}'`, startsWithinMs, () =>
    subject.deploy(environment, deploy),
  )
  return (await endOf(subject, name)).isReady
}

/** Deploys as the dry run says; returns whether it succeeded. */
async function deployAsPlanned(subject: Subject, last: Deploy): Promise<boolean> {
  const { problems, steps } = await subject.dryRun(old, last)
  const before = await specsOf(subject)
  const end = await endOf(subject, await subject.deploy(old, last))
  // A deployment that was planned has only problems that no plan can see.
  expect(end.isPlanned ? [] : end.problems).toEqual(problems)
  const after = await specsOf(subject)
  const changed = [...after.keys()].filter((name) => before.get(name) !== after.get(name)).sort()
  const announced = steps.filter(({ action }) => action !== 'unchanged').map((each) => each.gu_res_id)
  if (problems.length > 0) expect(changed).toEqual([])
  else if (last.mode === 'incremental') expect(changed).toEqual(announced.sort())
  else expect(announced).toEqual(expect.arrayContaining(changed))
  return end.isReady
}

/** The same deployment in an environment without a history ends the same way. */
async function deployToFresh(subject: Subject, last: Deploy, isReady: boolean): Promise<void> {
  await makeLikeOld(subject.organization, fresh)
  const end = await endOf(subject, await subject.deploy(fresh, { ...last, door: 'REST' }))
  // Of several resources that fail, any may be named.
  expect([fresh, end.isReady, isReady ? end.problems : []]).toEqual([fresh, isReady, []])
}

async function expectSameOutcome(subject: Subject, environment: string): Promise<void> {
  const expected = await outcomeOf(subject, fresh)
  await eventually('the same outcome', settlesWithinMs, async () => {
    expect(await outcomeOf(subject, environment)).toEqual(expected)
    return true
  })
}

/** An environment that starts from the last deployment, and changes nothing of it, ends the same way. */
async function copyOld(subject: Subject): Promise<void> {
  const { organization } = subject
  const { last_deploy } = await organization.untilRest(`/apps/shop/envs/${old}`)
  await makeLikeOld(organization, copy, async (type) => {
    const body = { id: copy, name: copy, type, from_deploy_id: last_deploy.id }
    expect(await organization.rest('POST', '/apps/shop/envs', body)).toMatchObject({ status: 201 })
  })
  expect(await deployDelta(subject, copy, noChange)).toBe(true)
  await expectSameOutcome(subject, copy)
}

/** Waits for the end of deleted namespaces, and until what ended with them is there again. */
async function untilRestored({ organization }: Subject): Promise<void> {
  for (const name of madeNamespaces(organization, old)) {
    const read = () => objectAt(organization, `/api/v1/namespaces/${name}`)
    if ((await read())?.metadata.deletionTimestamp === undefined) continue
    await eventually(`the end of '${name}'`, settlesWithinMs, async () =>
      (await read())?.metadata.deletionTimestamp === undefined ? true : undefined,
    )
    await sleep(longerThanSettlingMs)
  }
}

async function expectNoChange(
  subject: Subject,
  environment: string,
  last: Deploy,
  beside: Deploy | undefined,
): Promise<void> {
  const { provider, token } = subject.organization
  const stateOf = async () => {
    const resources = await usedResources(subject.organization, environment)
    const objects = await appliedObjects(subject.organization, environment, resources)
    const all = [...resources, ...objects].map((each) => [`${each.kind} ${each.metadata.uid}`, each] as const)
    const calls = [subject.remote.journal.length, (await provider.calls(token)).length]
    return { all: Object.fromEntries(all), calls }
  }
  const before = await stateOf()
  if (last.door === 'GitOps') {
    await subject.applyWorkloads([old, fresh], last, 'same')
    await sleep(longerThanSettlingMs)
  }
  const again = last.door === 'GitOps' ? beside : last
  if (again) {
    const name = await subject.deploy(environment, { ...again, mode: 'incremental', door: 'REST' })
    expect(await endOf(subject, name)).toEqual({ isReady: true, isPlanned: true, problems: [] })
  }
  expect(await stateOf()).toEqual(before)
}

async function endOf({ organization }: Subject, name: string) {
  const deployment = await organization.ended(name)
  const { problems = [], plan } = deployment.status ?? {}
  const isReady = conditionStatus(deployment, 'Ready') === 'True'
  return { isReady, isPlanned: plan !== undefined, problems }
}

/** Specs and uids of the resources by name, without who wrote the specs. */
async function specsOf({ organization }: Subject): Promise<Map<string, string>> {
  const resources = await organization.allResources()
  return new Map(
    resources.map(({ metadata, spec: { signature: _, deploymentName: __, ...spec } }) => [
      metadata.name,
      canonicalJson({ ...spec, uid: metadata.uid }),
    ]),
  )
}
