import {
  instanceOfAccountTypeResponse,
  instanceOfDriverDefinitionResponse,
  instanceOfResourceAccountResponse,
  instanceOfResourceClassResponse,
  instanceOfResourceTypeResponse,
} from '@humanitec/autogen'
import { beforeAll, expect, test } from '@jest/globals'
import { sharedCluster } from '../support/shared-cluster.ts'
import { followSteps, refusalOf, sdkOf, sdkOrganization } from './sdk-client.ts'

const api = sdkOf(sharedCluster())
let orgId = ''
const account = () => ({ orgId, accId: 'lab' })
const driver = () => ({ orgId, driverId: 'ours' })
const resourceClass = () => ({ orgId, typeId: `${orgId}/store`, classId: 'fast' })
const builtInClass = () => ({ orgId, typeId: 'mysql', classId: 'fast' })
const newDriver = {
  type: 's3',
  target: 'https://drivers.example.com/s3',
  inputs_schema: { type: 'object' },
  account_types: ['aws'],
}

beforeAll(async () => {
  const organization = await sdkOrganization(api)
  orgId = organization.id
  await organization.apply('resourcetypes', 'ResourceType', 'store', { use: 'direct' })
  const slow = { typeName: 'redis', className: 'slow' }
  await organization.apply('resourceclasses', 'ResourceClass', 'redis.slow', slow)
})

followSteps([
  [
    'listResourceAccountTypes',
    () => api.listResourceAccountTypes({ orgId }),
    instanceOfAccountTypeResponse,
    [{ type: 'cloudflare' }, { type: 'local' }],
  ],
  [
    'createResourceAccount',
    () =>
      api.createResourceAccount({
        orgId,
        CreateResourceAccountRequestRequest: {
          id: 'lab',
          name: 'Lab',
          type: 'aws',
          credentials: { key: 'x' },
        },
      }),
    instanceOfResourceAccountResponse,
    { id: 'lab', name: 'Lab', type: 'aws', is_used: false, created_by: 'admin' },
  ],
  [
    'patchResourceAccount',
    () => api.patchResourceAccount({ ...account(), UpdateResourceAccountRequestRequest: { name: 'Labs' } }),
    instanceOfResourceAccountResponse,
    { name: 'Labs' },
  ],
  [
    'getResourceAccount',
    () => api.getResourceAccount(account()),
    instanceOfResourceAccountResponse,
    { name: 'Labs' },
  ],
  [
    'listResourceAccounts',
    () => api.listResourceAccounts({ orgId }),
    instanceOfResourceAccountResponse,
    [{ id: 'lab' }],
  ],
  [
    'listResourceTypes',
    () => api.listResourceTypes({ orgId }),
    instanceOfResourceTypeResponse,
    [{ type: 'dns', use: 'direct' }],
  ],
  [
    'createResourceClass',
    () =>
      api.createResourceClass({
        orgId,
        typeId: `${orgId}/store`,
        ResourceClassRequest: { id: 'fast', description: 'Fast' },
      }),
    instanceOfResourceClassResponse,
    { id: 'fast', description: 'Fast' },
  ],
  [
    'updateResourceClass',
    () =>
      api.updateResourceClass({ ...resourceClass(), UpdateResourceClassRequest: { description: 'Faster' } }),
    instanceOfResourceClassResponse,
    { description: 'Faster' },
  ],
  [
    'getResourceClass',
    () => api.getResourceClass(resourceClass()),
    instanceOfResourceClassResponse,
    { description: 'Faster' },
  ],
  [
    'listResourceClasses',
    () => api.listResourceClasses({ orgId }),
    instanceOfResourceClassResponse,
    [{ id: 'fast', resource_type: expect.stringMatching(/^sdk-[a-z0-9]+\/store$/) }],
  ],
  ['deleteResourceClass', () => api.deleteResourceClass(resourceClass())],
  [
    'createResourceClass, of a built-in type',
    () =>
      api.createResourceClass({
        orgId,
        typeId: 'mysql',
        ResourceClassRequest: { id: 'fast', description: 'Fast' },
      }),
    instanceOfResourceClassResponse,
    { id: 'fast', description: 'Fast', resource_type: 'mysql', created_by: 'admin' },
  ],
  [
    'updateResourceClass, of a built-in type',
    () =>
      api.updateResourceClass({ ...builtInClass(), UpdateResourceClassRequest: { description: 'Faster' } }),
    instanceOfResourceClassResponse,
    { description: 'Faster' },
  ],
  [
    'getResourceClass, of a built-in type',
    () => api.getResourceClass(builtInClass()),
    instanceOfResourceClassResponse,
    { description: 'Faster' },
  ],
  [
    'listResourceClasses, of a built-in type',
    () => api.listResourceClasses({ orgId }),
    instanceOfResourceClassResponse,
    [
      { id: 'fast', resource_type: 'mysql' },
      { id: 'slow', resource_type: 'redis', created_by: '' },
    ],
  ],
  ['deleteResourceClass, of a built-in type', () => api.deleteResourceClass(builtInClass())],
  [
    'createResourceDriver',
    () => api.createResourceDriver({ orgId, CreateDriverRequestRequest: { id: 'ours', ...newDriver } }),
    instanceOfDriverDefinitionResponse,
    { id: 'ours', ...newDriver },
  ],
  [
    'updateResourceDriver',
    () =>
      api.updateResourceDriver({
        ...driver(),
        UpdateDriverRequestRequest: { ...newDriver, account_types: [] },
      }),
    instanceOfDriverDefinitionResponse,
    { account_types: [] },
  ],
  [
    'getResourceDriver',
    () => api.getResourceDriver(driver()),
    instanceOfDriverDefinitionResponse,
    { id: 'ours' },
  ],
  [
    'listResourceDrivers: its own and those that are built in',
    () => api.listResourceDrivers({ orgId }),
    instanceOfDriverDefinitionResponse,
    [{ id: 'ours' }, { id: 'echo' }],
  ],
  ['deleteResourceDriver', () => api.deleteResourceDriver(driver())],
  ['deleteResourceAccount', () => api.deleteResourceAccount(account())],
])

test.each([
  ['an account', () => api.getResourceAccount(account())],
  ['a driver', () => api.getResourceDriver(driver())],
  ['a class', () => api.getResourceClass(resourceClass())],
  ['a class of a built-in type', () => api.getResourceClass(builtInClass())],
])('%s that is deleted answers 404 with the error object', async (_, call) => {
  expect(await refusalOf(call())).toEqual({
    status: 404,
    body: { error: expect.any(String), message: expect.any(String) },
  })
})
