import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { addEnvironment, finish, ready } from './support/objects.ts'

let gateway: TestGateway
let setId: string
let deltaId: string

const app = '/orgs/acme/apps/shop'
const env = `${app}/envs/development`
const web = { profile: 'humanitec/default-module', spec: {} }

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

/** An environment that is to start from a deployment that somebody took away. */
beforeEach(async () => {
  gateway.reset()
  addEnvironment(gateway)
  addEnvironment(gateway, 'old')
  deltaId = (await gateway.send(`POST ${app}/deltas`, { body: { modules: { add: { web } } } })).body.id
  setId = (await gateway.send(`POST ${env}/deploys`, { body: { delta_id: deltaId } })).body.set_id
  finish(gateway, 'shop.development.1')
  await gateway.send(`POST ${app}/envs/old/deploys`, { body: {} })
  finish(gateway, 'shop.old.1')
  const from = await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.old.1' })
  expect(from.status).toBe(204)
  gateway.cluster.drop(EnvironmentDeployment, 'acme', 'shop.old.1')
})

test.each<[string, () => object, number]>([
  ['of a set needs no start', () => ({ set_id: setId }), 201],
  ['of a delta is refused', () => ({ delta_id: deltaId }), 400],
  ['of what is deployed is refused', () => ({}), 400],
])('when the deployment from which the next starts is gone, one %s', async (_, body, status) => {
  expect((await gateway.send(`POST ${env}/deploys?dry_run=true`, { body: body() })).status).toBe(
    status === 201 ? 200 : status,
  )
  expect((await gateway.send(`POST ${env}/deploys`, { body: body() })).status).toBe(status)
})

test('a run of the pipeline of a set needs no start either', async () => {
  const body = { env_id: 'development', set_id: setId }
  expect((await gateway.send(`POST ${app}/pipeline-runs`, { body })).status).toBe(201)
})

test('the start that is gone is used up by a deployment of a set: the next one builds on that', async () => {
  await gateway.send(`POST ${env}/deploys`, { body: { set_id: setId } })
  finish(gateway, 'shop.development.2', { ...ready, environmentFromName: 'shop.old.1' })
  const { status, body } = await gateway.send(`POST ${env}/deploys`, { body: {} })
  expect([status, body.from_id]).toEqual([201, 'shop.development.2'])
})

test('another start can be named in its place', async () => {
  await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
  expect((await gateway.send(`POST ${env}/deploys`, { body: { delta_id: deltaId } })).status).toBe(201)
})
