import { describe, expect, test } from '@jest/globals'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { addEnvironment } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const long = 'pull-request-1234-feature-customer-invoices-redesign-2-for-2026'

const gateway = await setUpGateway(() => {
  gateway.cluster.addOrganization(long)
  gateway.addMember(long, 'admin', { role: 'administrator' })
  for (const name of [long, 'x'])
    gateway.cluster.put(EnvironmentType, newObject(EnvironmentType, { namespace: long, name }, {}))
  addEnvironment(gateway, long, long, 'shop', long)
})

const org = `/orgs/${long}`
const app = `${org}/apps/shop`
const env = `${app}/envs/${long}`
const run = { trigger: 'deployment_request', env_id: long, delta_id: '{delta}' }

describe('an organization, an environment and a type with names of 63 characters are reachable', () => {
  test.each<[operation: string, status: number, body?: unknown]>([
    ['GET /orgs', 200],
    [`GET ${org}/env-types`, 200],
    [`GET ${org}/env-types/${long}`, 200],
    [`GET ${org}/env-types/x`, 200],
    [`GET ${org}/apps`, 200],
    [`GET ${app}`, 200],
    [`POST ${org}/apps`, 201, { id: 'blog', name: 'Blog', env: { id: 'dev', name: 'Dev', type: long } }],
    [`GET ${app}/envs`, 200],
    [`GET ${env}`, 200],
    [`POST ${app}/envs`, 201, { id: 'second', name: 'Second', type: long }],
    [`GET ${env}/runtime`, 200],
    [`GET ${app}/runtime?id=${long}`, 200],
    [`PATCH ${app}/envs/${long}`, 200, { name: 'Redesign' }],
    [`POST ${app}/deltas`, 200, { metadata: { env_id: long } }],
    [`PUT ${app}/deltas/{delta}/metadata/env_id`, 204, long],
    [`GET ${app}/deltas?env=${long}`, 200],
    [`POST ${env}/deploys`, 201, { delta_id: '{delta}' }],
    [`POST ${app}/pipeline-runs`, 201, run],
    [`DELETE ${env}`, 204],
  ])('%s', async (...[operation, status, body]) => {
    const { body: delta } = await gateway.send(`POST ${app}/deltas`, { body: {} })
    const fill = (text: string) => text.replace('{delta}', delta.id)
    const text = body === undefined ? undefined : fill(JSON.stringify(body))
    const answer = await gateway.send(fill(operation), text === undefined ? {} : { text })
    expect([answer.status, answer.body]).toEqual([status, answer.body])
  })

  test.each([
    [`POST ${app}/envs`, { id: long, name: 'Long' }],
    [`POST ${org}/env-types`, { id: `${long}-2` }],
    [`POST ${org}/env-types`, { id: 'y' }],
  ])('but %s does not create such names', async (operation, body) => {
    expect((await gateway.send(operation, { body })).status).toBe(400)
  })
})

describe('a delta is only for an environment that can exist, and says so in the words of the request', () => {
  const faults = [
    ['x', 'must not have fewer than 2 characters'],
    [`${long}x`, 'must not have more than 63 characters'],
    ['a.b', 'must have only lower-case letters and digits'],
  ] as const
  const requests = [
    [`POST ${app}/deltas`, (env_id: string) => ({ metadata: { env_id } })],
    [`PUT ${app}/deltas/{delta}/metadata/env_id`, (env_id: string) => env_id],
    [`PUT ${app}/deltas/{delta}/env_id`, (env_id: string) => env_id],
  ] as const
  const cases = requests.flatMap(([operation, bodyOf]) =>
    faults.map(([id, fault]) => [operation, id, fault, bodyOf(id)] as const),
  )

  test.each(cases)('%s: %s %s', async (operation, _, fault, body) => {
    const { body: delta } = await gateway.send(`POST ${app}/deltas`, { body: {} })
    const text = JSON.stringify(body)
    const answer = await gateway.send(operation.replace('{delta}', delta.id), { text })
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(fault)])
  })
})
