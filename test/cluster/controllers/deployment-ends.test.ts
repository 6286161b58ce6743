import { beforeAll, describe, expect, test } from '@jest/globals'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { escapeToken } from '../../../operator/domain/base/json.ts'
import { hostileDefinitionSpec, writableSet } from '../../support/hostile.ts'
import { fc } from '../../support/properties.ts'
import { conditionStatus, eventually, makeTestOrganization, untilKnown } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'ends')
const count = process.env.QUARTERMASTER_SOAK ? 400 : 40

interface Stated {
  readonly object: string
  readonly reason: string
}

/** Problems as text, without the message: a hint in it may depend on other objects. */
const listed = (problems: readonly Stated[]) =>
  problems.map(({ object, reason }) => `${reason} ${object}`).sort()

const content = fc.record({
  set: writableSet,
  definitions: fc.array(hostileDefinitionSpec, { maxLength: 3 }),
})
const cases = fc.sample(content, count).map((each, i) => ({ ...each, name: `case${i}` }))

/** The delta that makes the set out of nothing, as REST and kubectl accept it. */
function deltaOf({ modules, shared }: (typeof cases)[number]['set']) {
  const operations = Object.entries(shared).map(([id, value]) => ({
    op: 'add',
    path: `/${escapeToken(id)}`,
    value,
  }))
  return { modules: { add: modules }, shared: operations }
}

beforeAll(async () => {
  await organization.application('shop')
  await organization.apply('resourcetypes', 'ResourceType', 'own', {
    use: 'direct',
    inputsSchema: {},
    outputsSchema: {},
  })
  for (const { name, definitions } of cases) {
    await organization.environment('shop', `${name}r`)
    await organization.environment('shop', `${name}k`)
    for (const [i, spec] of definitions.entries())
      for (const door of ['r', 'k']) {
        const ours = { ...spec, criteria: [{ envId: `${name}${door}` }] }
        const type = spec.type.replace('acme/', `${organization.id}/`)
        // Objects that the API server refuses are absent.
        await organization.define(`${name}${door}-d${i}`, { ...ours, type }).catch(() => {})
      }
  }
  await organization.define('last', { type: 's3', driverType: 'quartermaster/echo' })
  await untilKnown(organization, 'last')
})

describe(`${count} deployments of arbitrary content`, () => {
  const base = (name: string) => `/apps/shop/envs/${name}r/deploys`
  const deltaIds = new Map<string, string>()

  beforeAll(async () => {
    for (const { name, set } of cases) {
      const { status, body } = await organization.rest('POST', '/apps/shop/deltas', {
        metadata: { env_id: `${name}r` },
        ...deltaOf(set),
      })
      expect([200, 400, 422]).toContain(status)
      if (status === 200) deltaIds.set(name, body.id)
    }
    expect(deltaIds.size).toBeGreaterThan(count / 4)
  })

  test('over REST: each ends, and as its preview says', async () => {
    const outcomes = new Set<string>()
    for (const [name, delta_id] of deltaIds) {
      const preview = await organization.rest('POST', `${base(name)}?dry_run=true`, { delta_id })
      const made = await organization.rest('POST', base(name), { delta_id })
      expect([name, made.status]).toEqual([name, preview.status === 200 ? 201 : preview.status])
      if (made.status !== 201) continue
      const ended = await organization.ended(made.body.id)
      // The gateway receives it a moment later.
      const isEnded = ({ status }: { readonly status: string }) => ['succeeded', 'failed'].includes(status)
      await organization.untilRest(`${base(name)}/${made.body.id}`, isEnded)
      const errors = await organization.rest('GET', `${base(name)}/${made.body.id}/errors`)
      const found = errors.body.map((each: { object_id: string; code: string }) => ({
        object: each.object_id,
        reason: each.code,
      }))
      outcomes.add(`${preview.body.problems.length === 0} ${conditionStatus(ended, 'Ready')}`)
      const wasPlanned = ended.status?.startTime !== undefined
      expect([name, wasPlanned]).toEqual([name, preview.body.problems.length === 0])
      if (!wasPlanned) expect([name, ...listed(found)]).toEqual([name, ...listed(preview.body.problems)])
      if (conditionStatus(ended, 'Ready') !== 'True') expect(found).not.toEqual([])
    }
    // The cases are worth their name: some succeed, some cannot be planned.
    expect([...outcomes]).toEqual(expect.arrayContaining(['false False', 'true True']))
  })

  test('by kubectl: each ends as the same one over REST', async () => {
    const deployments = new Map<string, EnvironmentDeployment>()
    for (const { name, set } of cases) {
      const delta = { applicationName: 'shop', ...deltaOf(set) }
      const isTaken = await organization.apply('deploymentdeltas', 'DeploymentDelta', name, delta).then(
        () => true,
        () => false, // refused by the schema of the kind
      )
      if (!isTaken) continue
      const spec = { environmentName: `shop.${name}k`, deltaName: name }
      await organization.apply('environmentdeployments', 'EnvironmentDeployment', `shop.${name}k.1`, spec)
    }
    // Until the time to settle is over, objects may arrive that heal a plan.
    for (const { name } of cases) {
      const found = await organization.get('environmentdeployments', `shop.${name}k.1`)
      if (found) deployments.set(name, await organization.ended(`shop.${name}k.1`, 120_000))
    }
    for (const [name, delta_id] of deltaIds) {
      const byKubectl = deployments.get(name)
      if (!byKubectl) continue
      const { body } = await organization.rest('POST', `${base(name)}?dry_run=true`, { delta_id })
      if (!body.problems) continue
      const { startTime, problems = [] } = byKubectl.status ?? {}
      expect([name, startTime !== undefined]).toEqual([name, body.problems.length === 0])
      if (startTime === undefined)
        expect([name, ...listed(problems)]).toEqual([name, ...listed(body.problems)])
    }
  })

  test('and no environment is blocked', async () => {
    for (const { name } of cases) {
      const next = await eventually(`the next deployment to '${name}r'`, 30_000, async () => {
        const { status, body } = await organization.rest('POST', base(name), {})
        return status === 409 ? undefined : { status, body }
      })
      expect([201, 400]).toContain(next.status)
    }
  })
})
