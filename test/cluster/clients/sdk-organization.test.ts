import {
  instanceOfApplicationResponse,
  instanceOfAuditLogEntry,
  instanceOfEnvironmentResponse,
  instanceOfEnvironmentTypeResponse,
  instanceOfEventResponse,
  instanceOfOrganizationResponse,
  instanceOfWebhookResponse,
  instanceOfWebhookUpdateResponse,
} from '@humanitec/autogen'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { expectAnswer, followSteps, refusalOf, sdkOf, sdkOrganization } from './sdk-client.ts'

const cluster = sharedCluster()
const api = sdkOf(cluster)
let orgId = ''
const app = () => ({ orgId, appId: 'shop' })
const env = () => ({ ...app(), envId: 'development' })

beforeAll(async () => {
  orgId = (await sdkOrganization(api)).id
})

describe('organizations, applications, environments', () => {
  const type = { id: 'qa', description: 'tests' }
  const environment = { id: 'development', name: 'Development', type: 'development' }

  test('listOrganizations', () => expectAnswer(api.listOrganizations(), instanceOfOrganizationResponse))

  followSteps([
    ['getOrganization', () => api.getOrganization({ orgId }), instanceOfOrganizationResponse, { logo: {} }],
    [
      'createEnvironmentType',
      () => api.createEnvironmentType({ orgId, EnvironmentTypeRequest: type }),
      instanceOfEnvironmentTypeResponse,
      type,
    ],
    [
      'updateEnvironmentType',
      () =>
        api.updateEnvironmentType({
          orgId,
          envTypeId: 'qa',
          UpdateEnvironmentTypePayloadRequest: { description: 'quality' },
        }),
      instanceOfEnvironmentTypeResponse,
      { id: 'qa', description: 'quality' },
    ],
    [
      'getEnvironmentType',
      () => api.getEnvironmentType({ orgId, envTypeId: 'qa' }),
      instanceOfEnvironmentTypeResponse,
      { id: 'qa', description: 'quality' },
    ],
    [
      'listEnvironmentTypes',
      () => api.listEnvironmentTypes({ orgId }),
      instanceOfEnvironmentTypeResponse,
      [{ id: 'development', description: '' }, { id: 'qa' }],
    ],
    [
      'createApplication: with the environment `development`',
      () => api.createApplication({ orgId, ApplicationCreationRequest: { id: 'shop', name: 'Shop' } }),
      instanceOfApplicationResponse,
      { id: 'shop', name: 'Shop', created_by: 'admin', envs: [environment] },
    ],
    [
      'getApplication',
      () => api.getApplication(app()),
      instanceOfApplicationResponse,
      { envs: [environment] },
    ],
    [
      'listApplications',
      () => api.listApplications({ orgId }),
      instanceOfApplicationResponse,
      [{ id: 'shop' }],
    ],
    [
      'createEnvironment',
      () =>
        api.createEnvironment({
          ...app(),
          EnvironmentDefinitionRequest: { id: 'tests', name: 'Tests', type: 'qa' },
        }),
      instanceOfEnvironmentResponse,
      { id: 'tests', name: 'Tests', type: 'qa', from_deploy: undefined, last_deploy: undefined },
    ],
    [
      'updateEnvironment',
      () => api.updateEnvironment({ ...env(), EnvironmentBaseUpdateRequest: { name: 'Dev' } }),
      instanceOfEnvironmentResponse,
      { id: 'development', name: 'Dev' },
    ],
    ['getEnvironment', () => api.getEnvironment(env()), instanceOfEnvironmentResponse, { name: 'Dev' }],
    [
      'listEnvironments',
      () => api.listEnvironments(app()),
      instanceOfEnvironmentResponse,
      [{ id: 'development' }, { id: 'tests' }],
    ],
  ])

  test('deleteEnvironmentType: 409 with the environments that use it, then 204', async () => {
    const request = { orgId, envTypeId: 'qa' }
    const refusal = await refusalOf(api.deleteEnvironmentType(request))
    expect(refusal).toEqual({ status: 409, body: [{ app_id: 'shop', env_id: 'tests' }] })
    await expectAnswer(api.deleteEnvironment({ ...app(), envId: 'tests' }))
    // Its parser expects a body where 204 has none.
    const { raw } = await eventually('the end of the environment', 30_000, () =>
      api.deleteEnvironmentTypeRaw(request),
    )
    expect(raw.status).toBe(204)
  })
})

describe('webhooks, events and the audit log', () => {
  const job = () => ({ ...app(), jobId: 'notify' })
  const webhook = {
    id: 'notify',
    url: 'https://example.com/notify',
    headers: { 'X-Team': 'shop' },
    payload: { text: 'hello' },
    triggers: [{ scope: 'deployment', type: 'finished' }],
    disabled: true,
  }
  const { id: _, ...rest } = webhook

  followSteps([
    [
      'create a webhook',
      () => api.orgsOrgIdAppsAppIdWebhooksPost({ ...app(), WebhookRequest: webhook }),
      instanceOfWebhookResponse,
      webhook,
    ],
    ['get it', () => api.orgsOrgIdAppsAppIdWebhooksJobIdGet(job()), instanceOfWebhookResponse, webhook],
    ['list them', () => api.orgsOrgIdAppsAppIdWebhooksGet(app()), instanceOfWebhookResponse, [webhook]],
    [
      'change it',
      () =>
        api.orgsOrgIdAppsAppIdWebhooksJobIdPatch({ ...job(), WebhookRequest: { ...webhook, headers: {} } }),
      instanceOfWebhookUpdateResponse,
      { ...rest, headers: {} },
    ],
    ['delete it', () => api.orgsOrgIdAppsAppIdWebhooksJobIdDelete(job())],
    [
      'create another one',
      () => api.orgsOrgIdAppsAppIdWebhooksPost({ ...app(), WebhookRequest: { ...webhook, id: 'other' } }),
      instanceOfWebhookResponse,
      { id: 'other' },
    ],
    ['delete all of the application', () => api.orgsOrgIdAppsAppIdJobsDelete(app())],
    ['list none', () => api.orgsOrgIdAppsAppIdWebhooksGet(app()), instanceOfWebhookResponse, []],
    [
      'orgsOrgIdEventsGet',
      () => api.orgsOrgIdEventsGet({ orgId }),
      instanceOfEventResponse,
      [{ scope: 'deployment' }],
    ],
    [
      'listAuditLogEntries',
      () => api.listAuditLogEntries({ orgId, per_page: 2, from: new Date(Date.now() - 3_600_000) }),
      instanceOfAuditLogEntry,
      [{ user_id: 'admin' }],
    ],
    ['deleteEnvironment: the last one', () => api.deleteEnvironment(env())],
    ['deleteApplication', () => api.deleteApplication(app())],
  ])
})
