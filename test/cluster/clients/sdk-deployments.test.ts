import {
  type DeltaRequest,
  instanceOfActiveResourceResponse,
  instanceOfDeltaResponse,
  instanceOfDeploymentErrorResponse,
  instanceOfDeploymentResponse,
  instanceOfEnvironmentRuntimeInfoResponse,
  instanceOfNodeBodyResponse,
  instanceOfPipelineRun,
  instanceOfPlainDeltaResponse,
  instanceOfRuntimeInfoResponseV1,
  instanceOfSetResponse,
} from '@humanitec/autogen'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { expectAnswer, followSteps, refusalOf, sdkOf, sdkOrganization } from './sdk-client.ts'

const api = sdkOf(sharedCluster())
let orgId = ''
let deltaId = ''
let deployId = ''
let setId = ''
const app = () => ({ orgId, appId: 'shop' })
const env = () => ({ ...app(), envId: 'development' })
const delta = () => ({ ...app(), deltaId })
const workload = { profile: 'humanitec/default-module', spec: {}, externals: { cache: { type: 'redis' } } }
const newDelta: DeltaRequest = { metadata: { env_id: 'development' }, modules: { add: { web: workload } } }

beforeAll(async () => {
  const organization = await sdkOrganization(api)
  orgId = organization.id
  await organization.define('redis', {
    type: 'redis',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: 'one', port: 6379 } },
    criteria: [{}],
  })
  await api.createApplication({ orgId, ApplicationCreationRequest: { id: 'shop', name: 'Shop' } })
})

/** Waits for the end of a deployment, as pollers do. */
const ended = (id: string) =>
  eventually('the end of the deployment', 30_000, async () => {
    const deployment = await api.getDeployment({ ...env(), deployId: id })
    return ['succeeded', 'failed'].includes(deployment.status) ? deployment : undefined
  })

describe('deltas', () => {
  test('creating one answers it whole', async () => {
    const call = api.orgsOrgIdAppsAppIdDeltasPost({ ...app(), DeltaRequest: newDelta })
    const modules = { add: { web: workload }, remove: [], update: {} }
    await expectAnswer(call, instanceOfDeltaResponse, { modules, shared: [] })
    deltaId = (await call).id
  })

  followSteps([
    ['getDelta', () => api.getDelta(delta()), instanceOfDeltaResponse, { metadata: { archived: false } }],
    ['putDelta', () => api.putDelta({ ...delta(), DeltaRequest: newDelta })],
    [
      'patch it with actions',
      () =>
        api.orgsOrgIdAppsAppIdDeltasDeltaIdPatch({
          ...delta(),
          DeltaRequest: [
            {
              modules: {
                update: { web: [{ op: 'add', path: '/externals/queue', value: { type: 'redis' } }] },
              },
              shared: [{ op: 'add', path: '/db', value: { type: 'redis', _class: 'default' } }],
            },
          ],
        }),
      instanceOfDeltaResponse,
    ],
    [
      'name it: a bare string',
      () => api.orgsOrgIdAppsAppIdDeltasDeltaIdMetadataNamePut({ ...delta(), body: 'first' }),
    ],
    [
      'its environment: a bare string',
      () => api.orgsOrgIdAppsAppIdDeltasDeltaIdMetadataEnvIdPut({ ...delta(), body: 'development' }),
    ],
    [
      'list those of an environment',
      () => api.orgsOrgIdAppsAppIdDeltasGet({ ...app(), archived: false, env: 'development' }),
      instanceOfDeltaResponse,
      [{ metadata: expect.objectContaining({ name: 'first', env_id: 'development' }) }],
    ],
  ])
})

describe('deployments', () => {
  test('createDeployment, polled until it succeeded', async () => {
    const DeploymentRequest = { delta_id: deltaId, comment: 'first' }
    const call = api.createDeployment({ ...env(), DeploymentRequest })
    await expectAnswer(call, instanceOfDeploymentResponse, {
      env_id: 'development',
      from_id: '',
      comment: 'first',
    })
    deployId = (await call).id
    const deployment = await ended(deployId)
    expect(deployment).toMatchObject({ status: 'succeeded', delta_id: deltaId, pipeline: undefined })
    setId = deployment.set_id
    await eventually('its resources', 30_000, async () => {
      const resources = await api.listActiveResources(env())
      return (resources.length > 0 && resources.every(({ status }) => status === 'active')) || undefined
    })
  })

  const set = () => ({ ...app(), setId })
  followSteps([
    [
      'listDeployments',
      () => api.listDeployments(env()),
      instanceOfDeploymentResponse,
      [{ status: 'succeeded' }],
    ],
    [
      'listDeploymentErrors: none',
      () => api.listDeploymentErrors({ ...env(), deployId }),
      instanceOfDeploymentErrorResponse,
      [],
    ],
    [
      'archive the delta: a bare boolean',
      () => api.orgsOrgIdAppsAppIdDeltasDeltaIdMetadataArchivedPut({ ...delta(), body: true }),
    ],
    ['getSets', () => api.getSets(app()), instanceOfSetResponse, [{ modules: expect.anything() }]],
    [
      'compare two sets',
      () => api.orgsOrgIdAppsAppIdSetsSetIdDiffSourceSetIdGet({ ...set(), sourceSetId: setId }),
      instanceOfPlainDeltaResponse,
      { modules: { add: {}, remove: [], update: {} }, shared: [] },
    ],
    [
      'apply a delta to a set',
      () => api.orgsOrgIdAppsAppIdSetsSetIdPost({ ...set(), DeltaRequest: { modules: { remove: ['web'] } } }),
      () => true,
    ],
    [
      'listActiveResources',
      () => api.listActiveResources(env()),
      instanceOfActiveResourceResponse,
      [{ type: 'redis', _class: 'default', status: 'active', res_id: 'shared.db' }],
    ],
    [
      'listActiveResourceByDefinition',
      () => api.listActiveResourceByDefinition({ orgId, defId: 'redis' }),
      instanceOfActiveResourceResponse,
      [{ res_id: 'modules.web.externals.cache', status: 'active' }],
    ],
    [
      'queryResourceGraph',
      () =>
        api.queryResourceGraph({
          ...env(),
          ResourceProvisionRequestRequest: [{ id: 'shared.db', type: 'redis' }],
        }),
      instanceOfNodeBodyResponse,
      [{ type: 'redis', depends_on: [] }],
    ],
    ['getRuntime', () => api.getRuntime(env()), instanceOfRuntimeInfoResponseV1, { modules: {} }],
    ['updatePaused: a bare boolean', () => api.updatePaused({ ...env(), body: true })],
    [
      'listRuntime says that the environment is paused',
      () => api.listRuntime({ orgId, appId: 'shop', id: [env().envId] }),
      instanceOfEnvironmentRuntimeInfoResponse,
      [{ id: env().envId, paused: true }],
    ],
    ['updatePaused: to resume', () => api.updatePaused({ ...env(), body: false })],
    [
      'listRuntime of all environments',
      () => api.listRuntime({ orgId, appId: 'shop' }),
      instanceOfEnvironmentRuntimeInfoResponse,
      [{ paused: false }],
    ],
    ['patchReplicas', () => api.patchReplicas({ ...env(), request_body: {} })],
    ['rebaseEnvironment: a bare string', () => api.rebaseEnvironment({ ...env(), body: deployId })],
    [
      'the environment names both deployments',
      () => api.getEnvironment(env()),
      () => true,
      { from_deploy: { status: 'succeeded' }, last_deploy: { status: 'succeeded' } },
    ],
  ])

  // The parser of this operation requires a difference for every query.
  test('getting a set answers it whole, and its difference to another one with `diff`', async () => {
    const { raw } = await api.orgsOrgIdAppsAppIdSetsSetIdGetRaw(set())
    expect(await raw.json()).toMatchObject({ id: setId, version: 0, modules: { web: workload }, shared: {} })
    const difference = await api.orgsOrgIdAppsAppIdSetsSetIdGetRaw({ ...set(), diff: setId })
    expect(await difference.raw.json()).toEqual({ modules: { add: {}, remove: [], update: {} }, shared: [] })
  })

  test('createPipelineRunByTriggerCriteria deploys; its run is polled until it succeeded', async () => {
    const call = api.createPipelineRunByTriggerCriteria({
      ...app(),
      PipelineRunCreateByTriggerCriteriaBody: {
        trigger: 'deployment_request',
        env_id: 'development',
        set_id: setId,
      },
    })
    await expectAnswer(call, instanceOfPipelineRun, { env_ids: ['development'], inputs: {}, waiting_for: {} })
    const { id: runId = '', pipeline_id: pipelineId = '' } = (await call) ?? {}
    const run = await eventually('the end of the run', 30_000, async () => {
      const found = await api.getPipelineRun({ ...app(), pipelineId, runId })
      return ['queued', 'executing'].includes(found.status) ? undefined : found
    })
    expect(run.status).toBe('succeeded')
  })

  test('deleteActiveResource', () =>
    expectAnswer(api.deleteActiveResource({ ...env(), type: 'redis', resId: 'shared.db' })))
})

test.each([
  ['a delta', () => api.getDelta({ ...app(), deltaId: '0'.repeat(40) })],
  ['a set', () => api.orgsOrgIdAppsAppIdSetsSetIdGetRaw({ ...app(), setId: '0'.repeat(40) })],
])('%s that is not there answers 404 with a string', async (_, call) => {
  expect(await refusalOf(call())).toEqual({ status: 404, body: expect.any(String) })
})
