import { expect, test } from '@jest/globals'
import { annotations } from '../../../operator/api/names.ts'
import { emptySet, setId } from '../../../operator/domain/delta/delta.ts'
import { conditionStatus, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'sets')

const usedAt = async (set: string) =>
  (await organization.get('deploymentsets', `shop.${set}`))?.metadata.annotations?.[annotations.lastUsedAt]

test('a set that is made again, and then deployed, is the same one; each use marks it until something refers to it', async () => {
  await organization.application('shop')
  await organization.environment('shop', 'dev')
  await organization.define('bucket', { type: 's3', driverType: 'quartermaster/echo', criteria: [{}] })
  const make = async () => {
    const body = { shared: [{ op: 'add', path: '/main', value: { type: 's3' } }] }
    const answer = await organization.rest('POST', `/apps/shop/sets/${setId(emptySet)}`, body)
    expect(answer.status).toBe(200)
    return String(answer.body)
  }
  const deploy = async (set_id: string) => {
    const answer = await organization.rest('POST', '/apps/shop/envs/dev/deploys', { set_id })
    expect(answer.status).toBe(201)
    expect(conditionStatus(await organization.ended(answer.body.id), 'Ready')).toBe('True')
  }
  const set = await make()
  expect(await usedAt(set)).toBeUndefined()
  expect(await make()).toBe(set)
  const first = await usedAt(set)
  expect(first).toMatch(/^\d{4}-/)
  await deploy(set)
  const second = await usedAt(set)
  expect(second).not.toBe(first)
  expect(await make()).toBe(set)
  await deploy(set)
  expect(await usedAt(set)).toBe(second)
})
