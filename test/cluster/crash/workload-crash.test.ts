import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { installInto, type RunningProcess, startQuartermaster } from '../../../dev/quartermaster.ts'
import type { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { Workload } from '../../../operator/api/workload.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import { convertScore } from '../../../operator/domain/score/convert-score.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { fc } from '../../support/properties.ts'
import { scoreDocument } from '../../support/scores.ts'
import { eventually, makeTestOrganization, type Organization } from '../support/client.ts'

const rounds = process.env.QUARTERMASTER_SOAK ? 40 : 4
const names = ['aa', 'bb', 'cc', 'dd']
const environments = ['first', 'second']

let controlPlane: ControlPlane
let directory = ''
let operator: RunningProcess
let organization: Organization

const settings = {
  QUARTERMASTER_IDENTITY: 'operator',
  QUARTERMASTER_LEASE_SECONDS: '30',
  QUARTERMASTER_WORKLOAD_SETTLE_SECONDS: '1',
}
const start = () => startQuartermaster(controlPlane, 'operator', { directory, settings })

/** The documents of the Workloads that exist, by name, and the environments that they name. */
const wanted = new Map<string, { readonly document: FreeForm; readonly environmentIds: string[] }>()

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-crash-'))
  controlPlane = await startControlPlane({ directory })
  await Promise.all([provideBundles(directory, ['operator']), installInto(controlPlane)])
  operator = await start()
  organization = await makeTestOrganization({ access: controlPlane }, 'crash')
  const echo = { driverType: 'quartermaster/echo', criteria: [{}] }
  await organization.define('workload', { type: 'workload', ...echo })
  await organization.define('redis', {
    type: 'redis',
    ...echo,
    driverInputs: { values: { host: 'redis', port: 6379 } },
  })
  await organization.application('shop')
  await organization.environment('shop', 'first')
}, 900_000)

afterAll(async () => {
  await operator?.stop()
  await controlPlane?.stop()
})

/** Applies a Workload, or deletes it. */
type Operation = { readonly name: string } & (
  | { readonly image: number; readonly isSharing: boolean; readonly environmentIds: string[] }
  | object
)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      name: fc.constantFrom(...names),
      image: fc.integer({ min: 1, max: 3 }),
      isSharing: fc.boolean(),
      environmentIds: fc.subarray(environments, { minLength: 1 }),
    }),
  },
  fc.record({ name: fc.constantFrom(...names) }),
)
const round = fc.record({
  operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
  /** Milliseconds after which the operator is killed. */
  kills: fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 2 }),
})

async function perform(each: Operation): Promise<void> {
  const object = `shop.${each.name}`
  const found = await organization.get<Workload>('workloads', object)
  if (!('image' in each)) {
    wanted.delete(each.name)
    if (found) await organization.remove('workloads', object)
    return
  }
  if (found?.metadata.deletionTimestamp) return
  const needs = each.isSharing ? { resources: { cache: { type: 'redis', id: 'cache' } } } : {}
  const document = { ...scoreDocument({ image: `web:${each.image}` }, needs), metadata: { name: each.name } }
  const { environmentIds } = each
  wanted.set(each.name, { document, environmentIds })
  await organization.apply('workloads', 'Workload', object, {
    applicationName: 'shop',
    environmentIds,
    score: document,
  })
}

function foldFor(environmentId: string) {
  const contents = [...wanted.values()]
    .filter(({ environmentIds }) => environmentIds.includes(environmentId))
    .map(({ document }) => convertScore({ document }))
  return {
    modules: Object.fromEntries(contents.map(({ id, module }) => [id, module])),
    shared: Object.assign({}, ...contents.map(({ shared }) => shared)) as object,
  }
}

async function setNamed(name: string | undefined) {
  const found = name === undefined ? undefined : await organization.get<DeploymentSet>('deploymentsets', name)
  return { modules: found?.spec.modules ?? {}, shared: found?.spec.shared ?? {} }
}

/** Deployments to an environment in order. */
async function deploymentsTo(environmentId: string): Promise<EnvironmentDeployment[]> {
  const all = await organization.list<EnvironmentDeployment>('environmentdeployments')
  const numberOf = ({ metadata }: EnvironmentDeployment) => Number(metadata.name.split('.').at(-1))
  return all
    .filter(({ spec }) => spec.environmentName === `shop.${environmentId}`)
    .sort((left, right) => numberOf(left) - numberOf(right))
}

/** Waits until every environment has the fold of the Workloads, and all of them are ready. */
async function untilSettled(present: readonly string[]): Promise<void> {
  await eventually('the fold of the Workloads', 90_000, async () => {
    const workloads = await organization.list<Workload>('workloads')
    expect(workloads.map(({ metadata }) => metadata.name).sort()).toEqual(
      [...wanted.keys()].map((each) => `shop.${each}`).sort(),
    )
    for (const each of present) {
      const environment = await organization.get<Environment>('environments', `shop.${each}`)
      expect(await setNamed(environment?.status?.lastPlanned?.setName)).toEqual(foldFor(each))
      expect((await deploymentsTo(each)).every(isFinished)).toBe(true)
    }
    const meant = workloads.filter(({ spec }) => spec.environmentIds?.every((each) => present.includes(each)))
    expect(meant.filter((each) => !isReady(each))).toEqual([])
    return true
  })
}

test('any order of kubectl apply and delete, a late environment and SIGKILL of the operator end in the fold of the Workloads, each deployment changes it, and rest is rest', async () => {
  const present = ['first']
  for (const { operations, kills } of fc.sample(round, rounds)) {
    for (const each of operations) await perform(each)
    for (const after of kills) {
      await setTimeout(after)
      await operator.kill()
      operator = await start()
    }
    await untilSettled(present)
    if (present.length === 1) {
      await organization.environment('shop', 'second')
      present.push('second')
      await untilSettled(present)
    }
  }
  const before = await organization.list<EnvironmentDeployment>('environmentdeployments')
  await operator.kill()
  operator = await start()
  for (const each of wanted.keys()) {
    const found = await organization.get<Workload>('workloads', `shop.${each}`)
    await organization.apply('workloads', 'Workload', `shop.${each}`, found?.spec ?? {})
  }
  await setTimeout(5000)
  const after = await organization.list<EnvironmentDeployment>('environmentdeployments')
  expect(after.map(({ metadata }) => metadata.name)).toEqual(before.map(({ metadata }) => metadata.name))
  for (const each of present) {
    const sets = (await deploymentsTo(each)).map(({ status }) => status?.setName)
    // Consecutive deployments of one set would be one too many.
    expect(sets.filter((set, i) => set === sets[i + 1])).toEqual([])
  }
}, 900_000)
