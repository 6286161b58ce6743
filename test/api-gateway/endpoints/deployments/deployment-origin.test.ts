import { expect, test } from '@jest/globals'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const deploys = '/orgs/acme/apps/shop/envs/development/deploys'
const pipeline = { id: 'release', run_id: 'r-7', job_id: 'deploy', step_index: 2 }

test.each<[string, object]>([
  ['the step of a pipeline that asked for it', { pipeline }],
  ['the version of the values that was asked for', { value_set_version_id: 'v-1' }],
])('a deployment answers %s', async (_, asked) => {
  const { status, body } = await gateway.send(`POST ${deploys}`, { body: asked })
  expect([status, body]).toEqual([201, expect.objectContaining(asked)])
  expect((await gateway.send(`GET ${deploys}/${body.id}`)).body).toEqual(body)
})

test.each<[string, object]>([
  ['were not sent', {}],
  ['are null', { pipeline: null, value_set_version_id: null }],
])('they stay away when they %s', async (_, asked) => {
  const { body } = await gateway.send(`POST ${deploys}`, { body: asked })
  expect(body).not.toHaveProperty('pipeline')
  expect(body).not.toHaveProperty('value_set_version_id')
})

test('a step without a part of its name is refused: 422', async () => {
  const { run_id: _, ...rest } = pipeline
  expect((await gateway.send(`POST ${deploys}`, { body: { pipeline: rest } })).status).toBe(422)
})

test.each([
  ['preview', -1],
  ['preview', 1e300],
  ['deployment', -1],
  ['deployment', 1e300],
])('a %s with the step %d is refused before anything is written: 400', async (kind, step_index) => {
  const shared = [{ op: 'add', path: '/main', value: { type: 'dns' } }]
  const body = { delta: { shared }, pipeline: { ...pipeline, step_index } }
  const answer = await gateway.send(`POST ${deploys}?dry_run=${kind === 'preview'}`, { body })
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('pipeline.step_index')])
  expect(gateway.cluster.writes).toEqual([])
})

test('a deployment is found by the run that asked for it', async () => {
  const { body } = await gateway.send(`POST ${deploys}`, { body: { pipeline } })
  expect((await gateway.send(`GET ${deploys}?pipelineRunId=release,r-7`)).body).toEqual([body])
  expect((await gateway.send(`GET ${deploys}?pipelineRunId=release,r-8`)).body).toEqual([])
})
