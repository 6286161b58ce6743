import { instanceOfValueResponse, instanceOfValueSetVersionResponse } from '@humanitec/autogen'
import { beforeAll, describe, expect } from '@jest/globals'
import { sharedCluster } from '../support/shared-cluster.ts'
import { followSteps, sdkOf, sdkOrganization } from './sdk-client.ts'

const api = sdkOf(sharedCluster())
let orgId = ''
const app = () => ({ orgId, appId: 'shop' })
const env = () => ({ ...app(), envId: 'development' })

beforeAll(async () => {
  orgId = (await sdkOrganization(api)).id
  await api.createApplication({ orgId, ApplicationCreationRequest: { id: 'shop', name: 'Shop' } })
})

describe('values', () => {
  const value = (payload: object) => ({ key: 'COLOUR', description: 'of the shop', ...payload })
  const key = () => ({ ...env(), key: 'COLOUR' })
  const version = async (list: Promise<{ id: string }[]>) => (await list)[0]?.id ?? ''

  followSteps([
    [
      'create one of the application',
      () =>
        api.orgsOrgIdAppsAppIdValuesPost({
          ...app(),
          ValueCreatePayloadRequest: value({ value: 'red', is_secret: false }) as never, // built from parts
        }),
      instanceOfValueResponse,
      { key: 'COLOUR', value: 'red', is_secret: false, source: 'app' },
    ],
    [
      'create a secret one of the environment',
      () =>
        api.orgsOrgIdAppsAppIdEnvsEnvIdValuesPost({
          ...env(),
          ValueCreatePayloadRequest: value({ value: 'hidden', is_secret: true }) as never, // built from parts
        }),
      instanceOfValueResponse,
      {
        value: '',
        is_secret: true,
        source: 'env',
        secret_key: expect.any(String),
        secret_store_id: expect.any(String),
      },
    ],
    [
      'replace that of the application',
      () =>
        api.orgsOrgIdAppsAppIdValuesKeyPut({
          ...app(),
          key: 'COLOUR',
          ValueEditPayloadRequest: { description: '', value: 'blue' },
        }),
      instanceOfValueResponse,
      { value: 'blue', description: '' },
    ],
    [
      'change that of the application',
      () =>
        api.orgsOrgIdAppsAppIdValuesKeyPatch({
          ...app(),
          key: 'COLOUR',
          ValuePatchPayloadRequest: { value: 'green' },
        }),
      instanceOfValueResponse,
      { value: 'green', description: '' },
    ],
    [
      'replace that of the environment',
      () =>
        api.orgsOrgIdAppsAppIdEnvsEnvIdValuesKeyPut({
          ...key(),
          ValueEditPayloadRequest: { description: 'new', value: 'other', is_secret: true },
        }),
      instanceOfValueResponse,
      { value: '', description: 'new' },
    ],
    [
      'change that of the environment',
      () =>
        api.orgsOrgIdAppsAppIdEnvsEnvIdValuesKeyPatch({
          ...key(),
          ValuePatchPayloadRequest: { description: 'newer' },
        }),
      instanceOfValueResponse,
      { description: 'newer', is_secret: true },
    ],
    [
      'list those of the application',
      () => api.orgsOrgIdAppsAppIdValuesGet(app()),
      instanceOfValueResponse,
      [{ source: 'app', value: 'green' }],
    ],
    [
      'list those of the environment: its own win',
      () => api.orgsOrgIdAppsAppIdEnvsEnvIdValuesGet(env()),
      instanceOfValueResponse,
      [{ source: 'env', value: '' }],
    ],
    [
      'list the versions of the application',
      () => api.orgsOrgIdAppsAppIdValueSetVersionsGet({ ...app(), key_changed: 'COLOUR' }),
      instanceOfValueSetVersionResponse,
    ],
    [
      'get a version of the application',
      async () => {
        const valueSetVersionId = await version(api.orgsOrgIdAppsAppIdValueSetVersionsGet(app()))
        return api.orgsOrgIdAppsAppIdValueSetVersionsValueSetVersionIdGet({ ...app(), valueSetVersionId })
      },
      instanceOfValueSetVersionResponse,
      { values: { COLOUR: { value: 'green' } } },
    ],
    [
      'get a version of the environment',
      async () => {
        const valueSetVersionId = await version(api.orgsOrgIdAppsAppIdEnvsEnvIdValueSetVersionsGet(env()))
        const request = { ...env(), valueSetVersionId }
        return api.orgsOrgIdAppsAppIdEnvsEnvIdValueSetVersionsValueSetVersionIdGet(request)
      },
      instanceOfValueSetVersionResponse,
      { values: { COLOUR: { value: '', is_secret: true } } },
    ],
    ['delete that of the environment', () => api.orgsOrgIdAppsAppIdEnvsEnvIdValuesKeyDelete(key())],
    ['delete all of the environment', () => api.orgsOrgIdAppsAppIdEnvsEnvIdValuesDelete(env())],
    [
      'delete that of the application',
      () => api.orgsOrgIdAppsAppIdValuesKeyDelete({ ...app(), key: 'COLOUR' }),
    ],
    ['delete all of the application', () => api.orgsOrgIdAppsAppIdValuesDelete(app())],
  ])
})
