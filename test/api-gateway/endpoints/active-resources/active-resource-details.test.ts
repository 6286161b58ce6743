import { expect, test } from '@jest/globals'
import { addEnvironment, addResource, ready } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const details = 'GET /orgs/acme/apps/shop/envs/development/resources/dns/shared.main'
const values = { host: '${context.app.id}.example.com' }
const definition = { definitionName: 'dns-shop', driverType: 'quartermaster/echo', driverInputs: { values } }

test('details of an active resource are its inputs, conditions with what to do, objects and attempts', async () => {
  const condition = { type: 'Ready', status: 'False', reason: 'DriverRefused', message: 'no' }
  const lastTransitionTime = '2026-02-01T00:00:00Z'
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'acme--shop--development', name: 'a' }
  const nextAttemptTime = '2026-02-01T00:05:00Z'
  const status = {
    conditions: [{ ...condition, lastTransitionTime }],
    objects: [{ ...object, uid: 'uid-1' }],
    attempts: 3,
    nextAttemptTime,
  }
  addResource(gateway, {}, { spec: { definition, params: { size: 1 } }, status })
  const [shown] = (await gateway.send('GET /orgs/acme/apps/shop/envs/development/resources')).body
  const { status: answer, body } = await gateway.send(details)
  expect(answer).toBe(200)
  expect(body).toEqual({
    resource: shown,
    inputs: { size: 1 },
    driver_inputs: values,
    conditions: [{ ...condition, last_transition_time: lastTransitionTime, remedy: expect.any(String) }],
    objects: [{ api_version: 'v1', kind: 'ConfigMap', namespace: object.namespace, name: 'a' }],
    attempts: 3,
    next_attempt_at: nextAttemptTime,
  })
})

test('details of a resource that is ready say nothing to do', async () => {
  addResource(gateway, {}, { status: ready })
  const [condition] = (await gateway.send(details)).body.conditions
  expect(condition).toMatchObject({ type: 'Ready', status: 'True' })
  expect(condition).not.toHaveProperty('remedy')
})

test.each([
  ['before the definition provisions it', 'for the shop', 'for all', 'for the shop'],
  ['which it keeps', undefined, 'for all', 'for all'],
])('details explain why the definition was chosen, %s', async (_, wanted, provisioned, expected) => {
  const spec = { definition: { ...definition, explanation: wanted } }
  addResource(gateway, {}, { spec, status: { ...ready, explanation: provisioned } })
  const { body } = await gateway.send(details)
  expect([body.resource.def_id, body.explanation]).toEqual(['dns-shop', expected])
})

test('details of a resource that does not exist are not found', async () => {
  expect((await gateway.send(details)).status).toBe(404)
})
