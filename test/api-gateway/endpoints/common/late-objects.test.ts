import { describe, expect, test } from '@jest/globals'
import { AccessToken, Membership, User } from '../../../../operator/api/access.ts'
import { Application } from '../../../../operator/api/application.ts'
import { ArtefactVersion } from '../../../../operator/api/artefact-version.ts'
import { AutomationRule } from '../../../../operator/api/automation-rule.ts'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../../../operator/api/environment-type.ts'
import type { Kind } from '../../../../operator/api/kind.ts'
import { systemNamespace } from '../../../../operator/api/names.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceClass } from '../../../../operator/api/resource-class.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { NoAnswer } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { showStale } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(() => addEnvironment(gateway))

const org = '/orgs/acme'
const app = `${org}/apps/shop`
const env = `${app}/envs/development`
const qa = { id: 'qa', name: 'QA', type: 'development' }
const value = { key: 'K', description: '', value: 'v' }
const definition = { id: 'own', name: 'n', type: 'dns', driver_type: 'quartermaster/echo' }
const account = { id: 'own', name: 'n', type: 'local', credentials: {} }
const webhook = { id: 'hook', url: 'h.example.com', headers: {}, payload: {}, triggers: [] }
const rule = { type: 'update', match_ref: '^x$' }
const robot = { name: 'robot', role: 'member' }
const shared = [{ shared: [{ op: 'add', path: '/a', value: { type: 's3' } }] }]

/** Shows an object as it was before some work; answers what ends it. */
async function staleAfter(kind: Kind, name: string, work: () => Promise<unknown>) {
  const old = gateway.cluster.store.get(kind, 'acme', name)
  await work()
  return showStale(gateway, kind, name, old ? [old] : [])
}

describe('what another gateway has answered a moment ago exists:', () => {
  test.each<[what: string, kind: Kind, name: string, use: string, body: unknown, expected: number]>([
    ['an application', Application, 'shop', `POST ${app}/envs`, qa, 201],
    ['an environment', Environment, 'shop.development', `POST ${env}/values`, value, 201],
    ['a type of environments', EnvironmentType, 'development', `POST ${app}/envs`, qa, 201],
  ])('%s', async (_, kind, name, use, body, expected) => {
    const end = showStale(gateway, kind, name, [])
    const answer = await gateway.send(use, { body })
    end()
    expect(answer).toMatchObject({ status: expected })
  })

  test.each<[what: string, kind: Kind, folder: string, made: object, use: string, body: unknown]>([
    ['a delta', DeploymentDelta, `${app}/deltas`, {}, 'PATCH', shared],
    ['a definition', ResourceDefinition, `${org}/resources/defs`, definition, 'PATCH', { name: 'm' }],
    ['an account', ResourceAccount, `${org}/resources/accounts`, account, 'PATCH', { name: 'm' }],
    ['a webhook', Webhook, `${app}/webhooks`, webhook, 'PATCH', { disabled: true }],
    ['a rule', AutomationRule, `${env}/rules`, rule, 'PUT', rule],
    ['a member', Membership, `${org}/users`, robot, 'PATCH', { role: 'manager' }],
  ])('%s', async (_, kind, folder, made, use, body) => {
    const { id } = (await gateway.send(`POST ${folder}`, { body: made })).body
    const end = showStale(gateway, kind, id, [])
    const answer = await gateway.send(`${use} ${folder}/${id}`, { body })
    end()
    expect(answer).toMatchObject({ status: 200 })
  })

  test('an application and a type of environments, in one request', async () => {
    const endApplication = showStale(gateway, Application, 'shop', [])
    const endType = showStale(gateway, EnvironmentType, 'development', [])
    const answer = await gateway.send(`POST ${app}/envs`, { body: qa })
    endType()
    endApplication()
    expect(answer).toMatchObject({ status: 201 })
  })

  test('a run', async () => {
    const { id } = (await gateway.send(`POST ${app}/deltas`, { body: {} })).body
    const run = { trigger: 'deployment_request', env_id: 'development', delta_id: id }
    const { id: runId } = (await gateway.send(`POST ${app}/pipeline-runs`, { body: run })).body
    const end = showStale(gateway, EnvironmentDeployment, runId, [])
    const answer = await gateway.send(`GET ${app}/pipelines/default/runs/${runId}`)
    end()
    expect(answer).toMatchObject({ status: 200 })
  })

  test.each([app, env])('a value of %s', async (owner) => {
    await gateway.send(`POST ${owner}/values`, { body: value })
    const [made] = gateway.cluster.store.list(SharedValue, 'acme')
    const end = showStale(gateway, SharedValue, made?.metadata.name ?? '', [])
    const answer = await gateway.send(`PATCH ${owner}/values/K`, { body: { value: 'w' } })
    end()
    expect(answer).toMatchObject({ status: 200 })
  })

  test.each<[use: string, body: object | undefined, expected: number]>([
    ['GET', undefined, 200],
    ['PATCH', { description: 'd' }, 200],
    ['DELETE', undefined, 204],
  ])('a class of a built-in type: %s', async (use, body, expected) => {
    const classes = `${org}/resources/types/s3/classes`
    await gateway.send(`POST ${classes}`, { body: { id: 'big', description: '' } })
    const end = showStale(gateway, ResourceClass, 's3.big', [])
    const { status } = await gateway.send(`${use} ${classes}/big`, { body })
    end()
    expect(status).toBe(expected)
  })

  test('a class of a custom type', async () => {
    await gateway.send(`POST ${org}/resources/types`, { body: { type: 'acme/own', use: 'direct' } })
    const classes = `${org}/resources/types/acme%2Fown/classes`
    const end = await staleAfter(ResourceType, 'own', () =>
      gateway.send(`POST ${classes}`, { body: { id: 'big', description: '' } }),
    )
    const { status } = await gateway.send(`GET ${classes}/big`)
    end()
    expect(status).toBe(200)
  })

  test('a version of an artefact', async () => {
    const body = { type: 'container', name: 'registry.example.com/web' }
    const { id, artefact_id } = (await gateway.send(`POST ${org}/artefact-versions`, { body })).body
    const end = showStale(gateway, ArtefactVersion, id, [])
    const path = `${org}/artefacts/${artefact_id}/versions/${id}`
    const { status } = await gateway.send(`PATCH ${path}`, { body: { archived: true } })
    end()
    expect(status).toBe(200)
  })

  test('a criterion that is deleted', async () => {
    const defs = `${org}/resources/defs`
    await gateway.send(`POST ${defs}`, { body: definition })
    let criterion = ''
    const end = await staleAfter(ResourceDefinition, 'own', async () => {
      criterion = (await gateway.send(`POST ${defs}/own/criteria`, { body: { app_id: 'shop' } })).body.id
    })
    const { status } = await gateway.send(`DELETE ${defs}/own/criteria/${criterion}`)
    end()
    expect(status).toBe(204)
    expect((await gateway.send(`GET ${defs}/own`)).body.criteria).toEqual([])
  })

  test('the role of a user on an application', async () => {
    const { id } = (await gateway.send(`POST ${org}/users`, { body: robot })).body
    const end = await staleAfter(Membership, id, () =>
      gateway.send(`POST ${app}/users`, { body: { id, role: 'viewer' } }),
    )
    const answer = await gateway.send(`GET ${app}/users/${id}`)
    end()
    expect(answer).toMatchObject({ status: 200, body: { role: 'viewer' } })
  })

  test('a token that is revoked', async () => {
    const { id } = (await gateway.send(`POST ${org}/users`, { body: robot })).body
    await gateway.send(`POST /users/${id}/tokens`, { body: { id: 'own', type: 'static', description: '' } })
    const end = showStale(gateway, AccessToken, `${id}.own`, [])
    const answer = await gateway.send(`DELETE /users/${id}/tokens/own`)
    end()
    expect(answer).toMatchObject({ status: 204 })
    expect(gateway.cluster.store.get(AccessToken, systemNamespace, `${id}.own`)).toBeUndefined()
  })

  test('a user gets a token', async () => {
    const { id } = (await gateway.send(`POST ${org}/users`, { body: robot })).body
    const end = showStale(gateway, User, id, [])
    const answer = await gateway.send(`POST /users/${id}/tokens`, {
      body: { id: 'own', type: 'static', description: '' },
    })
    end()
    expect(answer).toMatchObject({ status: 200 })
  })
})

test.each<[request: string, body: unknown]>([
  [`PATCH ${org}/apps/missing`, { name: 'm' }],
  [`DELETE ${org}/apps/missing`, undefined],
  [`GET ${org}/apps/missing`, undefined],
])('%s: nothing is called missing while the API server cannot be read', async (request, body) => {
  const { cluster } = gateway
  const { read } = cluster
  Object.assign(cluster, { read: () => Promise.reject(new NoAnswer('unreachable')) })
  const { status } = await gateway.send(request, { body })
  Object.assign(cluster, { read })
  expect(status).toBe(500)
})
