import { beforeAll, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../operator/api/active-resource.ts'
import { conditionStatus, eventually, moduleWith } from '../support/client.ts'
import { makeDnsOrganization } from '../support/cloudflare.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { oneOfThree } from '../support/timing.ts'

const organization = await makeDnsOrganization(sharedCluster(), 'dnsbulk')
const { provider, zone, token } = organization
const modules = 10
const namesPerModule = 50
const count = modules * namesPerModule
const changed = 50
const operationsOfBatch = 200

/** What is deployed; the first names have a class of their own. */
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
let seconds = 0
const callsDuring = async (work: () => Promise<unknown>) => {
  const before = (await provider.calls(token)).length
  const begun = performance.now()
  await work()
  seconds = (performance.now() - begun) / 1000
  return (await provider.calls(token)).slice(before)
}

/** Nobody waits long for others: where the machine has much else to do, they come in more and smaller groups. */
const mostCalls = (usually: number, usualSeconds: number) => (seconds <= usualSeconds ? usually : count / 10)
const ofAll = count / operationsOfBatch + 6
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

test(`${count} names are made by batches: at most ${count}/${operationsOfBatch} + 6 calls`, async () => {
  const calls = await callsDuring(deploy)
  expect(await provider.records(zone)).toHaveLength(count)
  expect(calls.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/batch'))).toEqual([])
  expect(calls.length).toBeLessThanOrEqual(mostCalls(ofAll, 12))
})

test('deployed again unchanged they cost no call', async () => {
  expect(await callsDuring(deploy)).toEqual([])
})

test(`${changed} of them changed cost at most 3 calls`, async () => {
  let ttl = 300
  await oneOfThree(async () => {
    ttl += 60
    await special(ttl)
    const calls = await callsDuring(deploy)
    const written = (await provider.records(zone)).filter((each) => each.ttl === ttl)
    expect(written).toHaveLength(changed)
    expect(calls.length).toBeLessThanOrEqual(mostCalls(3, 3))
  })
})

test(`with their environment they go by at most ${count}/${operationsOfBatch} + 6 calls`, async () => {
  const calls = await callsDuring(async () => {
    await organization.remove('environments', 'shop.bulk')
    await eventually('the end of the resources', 120_000, async () =>
      (await organization.list<ActiveResource>('activeresources')).length === 0 ? true : undefined,
    )
  })
  expect(await provider.records(zone)).toEqual([])
  expect(calls.length).toBeLessThanOrEqual(mostCalls(ofAll, 12))
})

test('a token never makes more than 960 calls in 300 seconds', async () => {
  expect(await provider.mostCalls(token)).toBeLessThanOrEqual(960)
})
