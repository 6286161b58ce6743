import {
  instanceOfMatchingCriteriaResponse,
  instanceOfResourceDefinitionResponse,
  instanceOfResourceDefinitionVersion,
} from '@humanitec/autogen'
import { beforeAll, expect, test } from '@jest/globals'
import { sharedCluster } from '../support/shared-cluster.ts'
import { expectAnswer, followSteps, refusalOf, sdkOf, sdkOrganization } from './sdk-client.ts'

const api = sdkOf(sharedCluster())
let orgId = ''
let criteriaId = ''
const definition = () => ({ orgId, defId: 'store' })
const inputs = { values: { host: 'one', port: 6379 } }

beforeAll(async () => {
  orgId = (await sdkOrganization(api)).id
})

followSteps([
  [
    'createResourceDefinition',
    () =>
      api.createResourceDefinition({
        orgId,
        CreateResourceDefinitionRequestRequest: {
          id: 'store',
          name: 'Store',
          type: 's3',
          driver_type: 'quartermaster/echo',
          driver_account: 'lab',
          driver_inputs: { ...inputs, secrets: { password: 'hidden' } },
          provision: { 'dns.web#web': { is_dependent: true, match_dependents: false } },
          criteria: [{ app_id: 'shop', _class: 'fast' }],
        },
      }),
    instanceOfResourceDefinitionResponse,
    {
      id: 'store',
      driver_account: 'lab',
      driver_inputs: { ...inputs, secret_refs: { password: { store: expect.any(String) } } },
      provision: { 'dns.web#web': { is_dependent: true, match_dependents: false } },
      criteria: [{ app_id: 'shop', _class: 'fast' }],
      is_default: false,
      is_deleted: false,
    },
  ],
  [
    'patchResourceDefinition',
    () =>
      api.patchResourceDefinition({
        ...definition(),
        PatchResourceDefinitionRequestRequest: { name: 'Stores' },
      }),
    instanceOfResourceDefinitionResponse,
    { name: 'Stores', driver_inputs: inputs },
  ],
  [
    'updateResourceDefinition',
    () =>
      api.updateResourceDefinition({
        ...definition(),
        UpdateResourceDefinitionRequestRequest: { name: 'Shelf', driver_inputs: inputs },
      }),
    instanceOfResourceDefinitionResponse,
    { name: 'Shelf', driver_inputs: inputs, provision: undefined, driver_account: undefined },
  ],
  [
    'getResourceDefinition',
    () => api.getResourceDefinition({ ...definition(), deleted: false }),
    instanceOfResourceDefinitionResponse,
    { name: 'Shelf' },
  ],
  [
    'listResourceDefinitions: those that may match',
    () => api.listResourceDefinitions({ orgId, app: 'shop', res_type: 's3', _class: 'fast' }),
    instanceOfResourceDefinitionResponse,
    [{ id: 'store' }],
  ],
  [
    'listResourceDefinitions: without a criterion that fits',
    () => api.listResourceDefinitions({ orgId, app: 'other', res_type: 's3', _class: 'fast' }),
    instanceOfResourceDefinitionResponse,
    [],
  ],
  [
    'updateResourceDefinitionCriteria',
    () =>
      api.updateResourceDefinitionCriteria({
        ...definition(),
        MatchingCriteriaRuleRequest: [{ env_id: 'qa' }],
      }),
    instanceOfMatchingCriteriaResponse,
    [{ env_id: 'qa', _class: 'default' }],
  ],
  [
    'listActiveResourceByDefinition: none yet',
    () => api.listActiveResourceByDefinition(definition()),
    () => true,
    [],
  ],
  [
    'listResourceDefinitionVersions',
    () => api.listResourceDefinitionVersions({ ...definition(), per_page: 50 }),
    instanceOfResourceDefinitionVersion,
    [{ action: 'updated', def_id: 'store', provision: {}, driver_inputs: expect.objectContaining(inputs) }],
  ],
])

test('createResourceDefinitionCriteria answers 409 for one that another definition has', async () => {
  const MatchingCriteriaRuleRequest = { res_id: 'modules.web.externals.store' }
  const call = api.createResourceDefinitionCriteria({ ...definition(), MatchingCriteriaRuleRequest })
  await expectAnswer(call, instanceOfMatchingCriteriaResponse, MatchingCriteriaRuleRequest)
  criteriaId = (await call).id
  const again = api.createResourceDefinitionCriteria({ ...definition(), MatchingCriteriaRuleRequest })
  expect(await refusalOf(again)).toMatchObject({ status: 409, body: { message: expect.any(String) } })
})

test('getResourceDefinitionVersion', async () => {
  const [first] = await api.listResourceDefinitionVersions(definition())
  const call = api.getResourceDefinitionVersion({ ...definition(), defVersionId: first?.id ?? '' })
  await expectAnswer(call, instanceOfResourceDefinitionVersion, { def_id: 'store' })
})

followSteps([
  [
    'deleteResourceDefinitionCriteria',
    () => api.deleteResourceDefinitionCriteria({ ...definition(), criteriaId, force: true }),
  ],
  ['deleteResourceDefinition', () => api.deleteResourceDefinition({ ...definition(), force: true })],
])

test('a deleted definition answers 404 with the error object', async () => {
  expect(await refusalOf(api.getResourceDefinition(definition()))).toEqual({
    status: 404,
    body: { error: expect.any(String), message: expect.any(String) },
  })
})
