import { beforeAll, expect, test } from '@jest/globals'
import type { JournalEntry } from '../../../dev/fake-cloudflare/journal.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { conditionStatus, eventually, moduleWith } from '../support/client.ts'
import { makeDnsOrganization } from '../support/cloudflare.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeDnsOrganization(sharedCluster(), 'dnsbulk')
const { provider, zone, token } = organization
const modules = 10
const namesPerModule = 50
const count = modules * namesPerModule
const changed = 50

/** The deployed names; the first ones have a different class. */
const content = {
  modules: Object.fromEntries(
    Array.from({ length: modules }, (_, i) => [
      `w${i}`,
      moduleWith(
        Object.fromEntries(
          Array.from({ length: namesPerModule }, (_, j) => [
            `dns-${j}`,
            i * namesPerModule + j < changed ? { type: 'dns', class: 'special' } : { type: 'dns' },
          ]),
        ),
      ),
    ]),
  ),
}
const callsDuring = async (work: () => Promise<unknown>) => {
  const before = (await provider.calls(token)).length
  await work()
  return (await provider.calls(token)).slice(before)
}

/**
 * The operations of the changing calls, each of which must be a batch. The size of a batch depends on the speed of the
 * machine; the tests of the driver check the content.
 */
function operationsIn(calls: readonly JournalEntry[]) {
  const writes = calls.filter(({ method }) => method !== 'GET')
  expect(writes.filter(({ path }) => !path.endsWith('/batch'))).toEqual([])
  const bodies = writes.map(({ body }) => body as Partial<Record<'posts' | 'patches' | 'deletes', unknown[]>>) // batches
  const total = (of: 'posts' | 'patches' | 'deletes') =>
    bodies.reduce((sum, body) => sum + (body[of]?.length ?? 0), 0)
  return { posts: total('posts'), patches: total('patches'), deletes: total('deletes') }
}

let deployments = 0
const deploy = async () => {
  deployments += 1
  const name = `shop.bulk.${deployments}`
  await organization.apply('environmentdeployments', 'EnvironmentDeployment', name, {
    environmentName: 'shop.bulk',
    setName: 'shop.bulk',
  })
  expect(conditionStatus(await organization.ended(name, 120_000), 'Ready')).toBe('True')
}
const special = async (ttl: number) => {
  await organization.defineDns('special', { values: { ttl }, criteria: [{ class: 'special' }] })
}

beforeAll(async () => {
  await special(120)
  await organization.environment('shop', 'bulk')
  await organization.apply('deploymentsets', 'DeploymentSet', 'shop.bulk', {
    applicationName: 'shop',
    modules: content.modules,
    shared: {},
  })
})

test(`${count} names are made by batches, each once`, async () => {
  const calls = await callsDuring(deploy)
  expect(await provider.records(zone)).toHaveLength(count)
  expect(operationsIn(calls)).toEqual({ posts: count, patches: 0, deletes: 0 })
})

test('deployed again unchanged they cost no call', async () => {
  expect(await callsDuring(deploy)).toEqual([])
})

test(`${changed} of them changed are changed by batches, each once, and the others not at all`, async () => {
  await special(360)
  const calls = await callsDuring(deploy)
  expect((await provider.records(zone)).filter(({ ttl }) => ttl === 360)).toHaveLength(changed)
  expect(operationsIn(calls)).toEqual({ posts: 0, patches: changed, deletes: 0 })
})

test('with their environment they go by batches, each once', async () => {
  const calls = await callsDuring(async () => {
    await organization.remove('environments', 'shop.bulk')
    await eventually('the end of the resources', 120_000, async () =>
      (await organization.list<ActiveResource>('activeresources')).length === 0 ? true : undefined,
    )
  })
  expect(await provider.records(zone)).toEqual([])
  expect(operationsIn(calls)).toEqual({ posts: 0, patches: 0, deletes: count })
})

test('a token never makes more than 960 calls in 300 seconds', async () => {
  expect(await provider.mostCalls(token)).toBeLessThanOrEqual(960)
})
