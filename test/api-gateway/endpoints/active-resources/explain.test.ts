import { expect, test } from '@jest/globals'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { type Criterion, ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const explain = 'GET /orgs/acme/apps/shop/envs/development/resources/explain'

function define(name: string, criteria: Criterion[], type = 'dns', values: FreeForm = {}) {
  const spec = { type, driverType: 'quartermaster/echo', driverInputs: { values }, criteria }
  gateway.cluster.put(ResourceDefinition, newObject(ResourceDefinition, { namespace: 'acme', name }, spec))
}

test('names the definition that wins, why, and why each other lost', async () => {
  define('dns-any', [{}])
  define('dns-shop', [{ appId: 'shop' }])
  define('dns-live', [{ envType: 'production' }])
  const name = addResource(gateway)
  const { status, body } = await gateway.send(`${explain}?type=dns&id=shared.main`)
  expect(status).toBe(200)
  expect(body).toEqual({
    context: { org_id: 'acme', app_id: 'shop', env_id: 'development', env_type: 'development' },
    type: 'dns',
    class: 'default',
    res_id: 'shared.main',
    gu_res_id: name,
    descriptor: 'dns.default#shared.main',
    matched: {
      def_id: 'dns-shop',
      driver_type: 'quartermaster/echo',
      criterion: { class: 'default', app_id: 'shop' },
      rank: 2,
      explanation: expect.stringContaining("'dns-any'"),
    },
    candidates: [
      { def_id: 'dns-any', criterion: { class: 'default' }, rank: 0, reason: expect.any(String) },
      {
        def_id: 'dns-live',
        criterion: { class: 'default', env_type: 'production' },
        rank: 1,
        reason: "needs env_type 'production' (is 'development')",
      },
    ],
    more: 0,
    explanation: body.matched.explanation,
    active: { def_id: 'dns-any', criterion: { class: 'default' }, deploy_id: 'shop.development.1' },
  })
})

test('without a match names the nearest misses', async () => {
  define('dns-live', [{ envType: 'production' }])
  define('dns-none', [])
  const { body } = await gateway.send(`${explain}?type=dns&id=shared.main`)
  expect(body).not.toHaveProperty('matched')
  expect(body.candidates.map(({ def_id }: { def_id: string }) => def_id)).toEqual(['dns-live', 'dns-none'])
  expect(body.explanation).toContain("'dns-live' needs env_type 'production'")
})

test('names the override that replaces the type', async () => {
  define('dns-any', [{}])
  define('own-any', [{}], 'acme/dns')
  const { body } = await gateway.send(`${explain}?type=dns&id=shared.main`)
  expect(body).toMatchObject({ requested_type: 'dns', type: 'acme/dns', matched: { def_id: 'own-any' } })
  expect((await gateway.send(`${explain}?type=acme/dns`)).body).not.toHaveProperty('requested_type')
})

test('names no override where a definition refers to the type exactly', async () => {
  define('dns-any', [{}])
  define('own-any', [{}], 'acme/dns', {
    host: '${resources.dns.outputs.host}',
    zone: "${resources['dns#zone'].guresid}",
  })
  const { cluster } = gateway
  cluster.put(ResourceType, newObject(ResourceType, { namespace: 'acme', name: 'dns' }, { use: 'direct' }))
  const content = { applicationName: 'shop', modules: {}, shared: { main: { type: 'dns' } } }
  cluster.put(DeploymentSet, newObject(DeploymentSet, { namespace: 'acme', name: 'shop.1' }, content))
  const lastPlanned = { setName: 'shop.1', deploymentName: 'shop.development.1' }
  cluster.setStatus(Environment, 'acme', 'shop.development', { lastPlanned })
  for (const id of ['shared.main', 'zone']) {
    const { body } = await gateway.send(`${explain}?type=dns&id=${id}`)
    expect(body).toMatchObject({ descriptor: `dns.default#${id}`, matched: { def_id: 'dns-any' } })
    expect(body).not.toHaveProperty('requested_type')
  }
  const { body } = await gateway.send(`${explain}?type=dns&id=shared.other`)
  expect(body).toMatchObject({ requested_type: 'dns', type: 'acme/dns' })
})

test.each([
  ['', 400],
  ['?type=', 400],
  ['?type=a%20b', 400],
  ['?type=dns&id=a%20b', 400],
  ['?type=dns&type=s3', 400],
  ['?type=dns.fast&class=slow', 400],
  ['?type=dns', 200],
  ['?type=dns.fast', 200],
  ['?type=dns&id=', 200],
  ['?type=k8s-cluster', 200],
  ['?type=nothing-like-it', 200],
])('%j answers %i', async (query, expected) => {
  expect((await gateway.send(explain + query)).status).toBe(expected)
})

test('of a missing environment is not found', async () => {
  const path = 'GET /orgs/acme/apps/shop/envs/production/resources/explain?type=dns'
  expect((await gateway.send(path)).status).toBe(404)
})
