import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { createRandom } from '../../support/random.ts'
import { type Installation, startInstallation } from '../histories/installation.ts'
import { leaksIn } from '../security/canaries.ts'
import { conditionStatus, eventually } from '../support/client.ts'
import { secretAt } from '../support/observing.ts'
import type { Kill } from './cookie-book.ts'
import { happen } from './steps.ts'
import { definitions, doors, environments, makeSubject, type Subject } from './subject.ts'

const isSoak = Boolean(process.env.QUARTERMASTER_SOAK)
/** Organizations side by side, how often each begins again, and what happens each time. */
const [organizations, rounds, steps] = isSoak ? [4, 30, 30] : [3, 1, 10]
const endsWithinMs = 120_000
/** A deletion that failed often is tried again this late. */
const longestPauseMs = 330_000

let installation: Installation
const kills: Kill[] = []
const canaries: Record<string, string> = {}

beforeAll(async () => {
  // Longer than a lease: operators end while a deployment runs.
  installation = await startInstallation({ QUARTERMASTER_DEPLOYMENT_TIMEOUT_SECONDS: '60' })
}, 900_000)

afterAll(() => installation?.stop())

test('however drivers, operators and people behave, the outside world holds what the active resources say', async () => {
  const each = async (index: number) => {
    const seed = isSoak ? randomInt(2 ** 31) : index
    const subject = await makeSubject(installation, createRandom(seed), kills)
    const { outside, canary } = subject
    canaries[`that of organization ${index}`] = canary
    try {
      for (let round = 0; round < rounds; round += 1) await holdsFor(subject)
      expect(outside.violations).toEqual([])
    } catch (error) {
      throw new Error(`seed ${seed}:\n${outside.journal.join('\n')}`, { cause: error })
    } finally {
      await outside.close()
    }
  }
  await Promise.all(Array.from({ length: organizations }, (_, index) => each(index)))
}, 14_400_000)

test('no log of all this has a secret', () => {
  const leaks = installation.logFiles.flatMap((file) => leaksIn(file, readFileSync(file, 'utf8'), canaries))
  expect(leaks).toEqual([])
})

async function holdsFor(subject: Subject): Promise<void> {
  const { outside, organization, random } = subject
  outside.misbehave(0.4)
  for (let step = 0; step < steps; step += 1) await happen(subject)
  outside.misbehave(0)
  await subject.register()
  for (const each of definitions) if (random.chance(0.3)) await subject.define(each)
  // The pauses of the next one begin anew.
  await subject.endOperator(true)
  await subject.makeAll()
  await untilQuiet(subject)
  for (const each of environments) {
    const start = () => subject.deploy(each, random.pick(doors))
    const name = await eventually('a deployment', endsWithinMs, start)
    const deployment = await organization.ended(name, endsWithinMs)
    if (conditionStatus(deployment, 'Ready') !== 'True') throw new Error(JSON.stringify(deployment))
  }
  await expectAgreement(subject)
  expect(await leaksOf(subject)).toEqual([])
  await endAll(subject)
}

async function untilQuiet({ organization }: Subject): Promise<void> {
  await eventually('the end of all deployments', endsWithinMs, async () => {
    const all = await organization.list<EnvironmentDeployment>('environmentdeployments')
    return all.every((each) => isFinished(each)) || undefined
  })
  await eventually('the end of all deletions', endsWithinMs, async () => {
    const all = await organization.allResources()
    expect(all.filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([])
    return true
  })
}

/** Each thing is that of a resource, and each resource shows its thing. */
async function expectAgreement(subject: Subject): Promise<void> {
  const { outside, organization, worldOf } = subject
  const resources = await organization.resources()
  // A call for one that is not used any more may have failed for good.
  const unused = resources.filter(({ spec }) => spec.unusedSince !== undefined)
  const used = resources.filter((each) => !unused.includes(each))
  const isUnused = (id: string) => unused.some(({ metadata }) => metadata.name === id)
  const things = [...outside.things].filter(([, { id }]) => !isUnused(id))
  const placeOf = (each: ActiveResource) => `${worldOf(each)}/${each.metadata.name}`
  expect(things.map(([place]) => place).sort()).toEqual(used.map(placeOf).sort())
  for (const each of used) await expectShown(subject, each, placeOf(each))
}

async function expectShown(
  { outside, organization }: Subject,
  { spec, status }: ActiveResource,
  place: string,
): Promise<void> {
  const secret = (name: string | undefined) =>
    secretAt(organization, `/api/v1/namespaces/${organization.id}/secrets/${name}`)
  const thing = outside.things.get(place)
  const { values, secrets } = (thing && outside.outputsOf(thing)) ?? {}
  const [cookieName, ...others] = status?.secretNames?.filter((each) => each.includes('-cookie-')) ?? []
  const shown = {
    place,
    outputs: status?.outputs,
    secrets: await secret(status?.outputsSecretName),
    params: spec.params ?? {},
    predecessors: status?.predecessors,
    others,
  }
  const params = thing?.input.resource
  expect(shown).toEqual({ place, outputs: values, secrets, params, predecessors: undefined, others: [] })
  expect(outside.cookies.possibleAt(place)).toContainEqual((await secret(cookieName))?.cookie)
}

async function leaksOf({ organization, canary }: Subject): Promise<string[]> {
  const listed = async (plural: string) => [plural, await organization.list(plural)] as const
  const lists = await Promise.all(kinds.map(({ plural }) => listed(plural)))
  const { body: events } = await organization.kube('GET', `/api/v1/namespaces/${organization.id}/events`)
  return [...lists, ['events', events] as const].flatMap(([where, found]) =>
    leaksIn(where, JSON.stringify(found), { 'a secret': canary }),
  )
}

/** Ends all of it, amid misbehaviour or not; nothing is left. */
async function endAll(subject: Subject): Promise<void> {
  const { outside, organization, random } = subject
  if (random.chance(0.5)) outside.misbehave(0.3)
  if (random.chance(0.5)) await subject.removeApplication(random.pick(doors))
  else for (const each of environments) await subject.removeEnvironment(each, random.pick(doors))
  outside.misbehave(0)
  await eventually('the end of all resources', longestPauseMs, async () => {
    expect(await organization.allResources()).toEqual([])
    return true
  })
  expect([...outside.things.keys()]).toEqual([])
  await eventually('the end of their Secrets', endsWithinMs, async () => {
    const path = `/api/v1/namespaces/${organization.id}/secrets`
    const { body } = await organization.kube<{ items: KubeObject[] }>('GET', path)
    const names = body.items.map(({ metadata }) => metadata.name)
    expect(names.filter((each) => /^[0-9a-f]{40}/.test(each))).toEqual([])
    return true
  })
  await subject.makeAll()
}
