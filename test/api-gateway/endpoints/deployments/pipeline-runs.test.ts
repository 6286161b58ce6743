import { describe, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { addEnvironment, finish, ready, stalled } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment, { settings: { deploymentTimeoutSeconds: 600 } })

const app = '/orgs/acme/apps/shop'
const runs = `${app}/pipeline-runs`
const web = { profile: 'humanitec/default-module', spec: {} }

async function request(more: object = {}) {
  const { body } = await gateway.send(`POST ${app}/deltas`, { body: { modules: { add: { web } } } })
  return { trigger: 'deployment_request', env_id: 'development', delta_id: body.id, ...more }
}

describe('a run', () => {
  test('answers 201 with all fields that clients need, and is a deployment', async () => {
    const body = await request({ comment: 'first' })
    const answer = await gateway.send(`POST ${runs}`, { body })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      id: 'shop.development.1',
      org_id: 'acme',
      app_id: 'shop',
      env_ids: ['development'],
      pipeline_id: 'default',
      status: 'queued',
      status_message: '',
      created_by: 'admin',
      run_as: 'admin',
      timeout_seconds: 600,
      trigger: 'deployment_request',
      inputs: { env_id: 'development', delta_id: body.delta_id, comment: 'first' },
      waiting_for: {},
    })
    const run = await gateway.send(`GET ${app}/pipelines/default/runs/${answer.body.id}`)
    expect(run.body).toEqual(answer.body)
    const deploys = `${app}/envs/development/deploys`
    expect((await gateway.send(`GET ${deploys}/${answer.body.id}`)).body.delta_id).toBe(body.delta_id)
    expect((await gateway.send(`GET ${deploys}?pipelineRunId=default,${run.body.id}`)).body).toHaveLength(1)
    expect((await gateway.send(`GET ${deploys}?pipelineRunId=default,other`)).body).toEqual([])
  })

  test.each([
    ['queued', {}],
    ['executing', { startTime: '2026-02-01T00:00:00Z' }],
    ['succeeded', { startTime: '2026-02-01T00:00:00Z', ...ready }],
    ['failed', stalled],
  ])('shows as %s', async (state, status) => {
    const { body } = await gateway.send(`POST ${runs}`, { body: await request() })
    gateway.cluster.setStatus(EnvironmentDeployment, 'acme', body.id, status)
    const run = await gateway.send(`GET ${app}/pipelines/default/runs/${body.id}`)
    expect(run.body.status).toBe(state)
    expect(run.body.status_message !== '').toBe(state === 'failed')
  })

  test('deploys a set, or the set of a deployment of any environment', async () => {
    addEnvironment(gateway, 'production')
    await gateway.send(`POST ${runs}`, { body: await request() })
    finish(gateway, 'shop.development.1')
    const { set_id } = (await gateway.send(`GET ${app}/envs/development/deploys/shop.development.1`)).body
    const common = { trigger: 'deployment_request', env_id: 'production' }
    const bySet = await gateway.send(`POST ${runs}`, { body: { ...common, set_id } })
    expect(bySet.body.inputs.set_id).toBe(set_id)
    finish(gateway, 'shop.production.1')
    const deployed = await gateway.send(`POST ${runs}`, {
      body: { ...common, deployment_id: 'shop.development.1', mode: 'full' },
    })
    expect(deployed.body.inputs).toMatchObject({ set_id, mode: 'full' })
  })

  test.each<[string, object, number]>([
    ['of neither delta nor set nor deployment', { delta_id: undefined }, 400],
    ['of a delta and a set', { set_id: 'f'.repeat(64) }, 400],
    ['of a delta that is not there', { delta_id: 'missing' }, 400],
    ['of a deployment that is not there', { delta_id: undefined, deployment_id: 'missing' }, 400],
    ['in an environment that is not there', { env_id: 'missing' }, 404],
    ['by another trigger', { trigger: 'timer' }, 400],
    ['by a trigger that is no text', { trigger: 1 }, 422],
  ])('%s is refused', async (_, more, status) => {
    expect((await gateway.send(`POST ${runs}`, { body: await request(more) })).status).toBe(status)
  })

  test.each([
    {},
    { delta_id: undefined, deployment_id: 'missing' },
    { delta_id: undefined, set_id: 'missing' },
  ])(
    'is refused to a developer without the role deployer before it looks for what to deploy: %j',
    async (more) => {
      gateway.addUser('dev')
      const applications = [{ applicationName: 'shop', role: 'developer' as const }]
      gateway.addMember('acme', 'dev', { role: 'member', applications })
      const body = await request(more)
      expect((await gateway.send(`POST ${runs}`, { as: 'dev', body })).status).toBe(403)
      expect((await gateway.send(`POST ${runs}?dry_run=true`, { as: 'dev', body })).status).toBe(403)
    },
  )

  test('that is only tried answers 204 and writes nothing', async () => {
    const body = await request()
    gateway.cluster.writes.length = 0
    expect(await gateway.send(`POST ${runs}?dry_run=true`, { body })).toMatchObject({ status: 204 })
    expect(gateway.cluster.writes).toEqual([])
    const missing = { ...body, delta_id: 'missing' }
    expect((await gateway.send(`POST ${runs}?dry_run=true`, { body: missing })).status).toBe(400)
  })

  test('of another application or pipeline is not found', async () => {
    addEnvironment(gateway, 'development', 'development', 'other')
    const { body } = await gateway.send(`POST ${runs}`, { body: await request() })
    for (const path of ['shop/pipelines/other', 'other/pipelines/default'])
      expect((await gateway.send(`GET /orgs/acme/apps/${path}/runs/${body.id}`)).status).toBe(404)
  })
})
