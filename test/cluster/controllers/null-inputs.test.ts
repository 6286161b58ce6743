import { beforeAll, expect, test } from '@jest/globals'
import { makeTestOrganization, moduleWith, readyOf } from '../support/client.ts'
import { resourceIn } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'nulls')
const type = 'redis'

beforeAll(async () => {
  await organization.application('shop')
  await organization.environment('shop', 'dev')
})

const outputs = 'host: "{{ .driver.values.name }}"\nport: 1'

test.each<[string, object, object]>([
  ['at first', { name: 'a', size: null }, { host: null }],
  ['in a change', { name: 'b', size: null, tier: null, deep: { x: null, list: [null] } }, {}],
  ['in the params of the workload', { name: 'b', tier: 'b' }, { host: null, deep: { x: null } }],
])('null is a value like any other: %s', async (_, values, params) => {
  const given = { ...values, templates: { outputs } }
  const inputs = { driverType: 'quartermaster/template', driverInputs: { values: given } }
  await organization.define('redis', { type, ...inputs, criteria: [{}] })
  const deployment = await organization.deploy('shop.dev', {
    modules: { web: moduleWith({ cache: { type, params } }) },
  })
  expect(readyOf(deployment)).toEqual({ reason: 'Reconciled', message: '' })
  const { spec } = await resourceIn(organization, 'dev', type)
  expect(spec.definition.driverInputs?.values).toMatchObject(values)
  expect(spec.params ?? {}).toEqual(params)
})
