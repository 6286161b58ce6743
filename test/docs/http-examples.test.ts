import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endpoints } from '../../api-gateway/endpoints/index.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { newObject } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { startGateway, type TestGateway } from '../api-gateway/support/gateway.ts'
import { addEnvironment, addResource, finish } from '../api-gateway/support/objects.ts'

const folder = join(import.meta.dirname, '..', '..', 'examples', 'http')
const requests = readdirSync(folder)
  .filter((name) => name.endsWith('.http'))
  .sort()
  .flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split(/^### /m)
      .slice(1)
      .map((text) => {
        const [head = '', ...body] = text.split('\n\n')
        const [title = '', line = ''] = head.split('\n')
        return { name, title, operation: line.replace('{{gateway}}', ''), body: body.join('\n\n').trim() }
      }),
  )

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
  addEnvironment(gateway, 'staging', 'development')
  const web = { spec: {}, externals: {} }
  const delta = { applicationName: 'shop', modules: { add: { backend: web } } }
  gateway.cluster.put(
    DeploymentDelta,
    newObject(DeploymentDelta, { namespace: 'acme', name: 'first-release' }, delta),
  )
  const spec = { type: 'redis', driverType: 'quartermaster/echo', criteria: [{}] }
  gateway.cluster.put(
    ResourceDefinition,
    newObject(ResourceDefinition, { namespace: 'acme', name: 'redis' }, spec),
  )
  const body = { delta_id: 'first-release' }
  await gateway.send('POST /orgs/acme/apps/shop/envs/staging/deploys', { body })
  finish(gateway, 'shop.staging.1')
  addResource(gateway, { definition: 'dns-example', environment: 'staging' })
  const cache = { type: 'redis', resourceId: 'shared.cache' }
  addResource(gateway, { ...cache, definition: 'redis', environment: 'staging' })
})
afterAll(() => gateway.close())

/** What asks the operator, which is not here. */
const needsOperator = new Set(['Try the credentials of an account'])

test.each(requests.filter(({ title }) => !needsOperator.has(title)))(
  '$name: $title',
  async ({ name, operation, body }) => {
    const { status } = await gateway.send(operation, body === '' ? {} : { text: body })
    // An id that only an answer can tell, and a deployment under way, are no fault of the request.
    const allowed = name.startsWith('01') ? [200, 201, 202, 204] : [200, 201, 202, 204, 404, 409]
    expect(allowed).toContain(status)
  },
)

test('each request is one of the operations, and the first file has the twelve', () => {
  const patterns = endpoints.map(
    ({ method, path }) =>
      new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`),
  )
  for (const { operation } of requests) expect(patterns.some((pattern) => pattern.test(operation))).toBe(true)
  expect(requests.filter(({ name }) => name.startsWith('01'))).toHaveLength(12)
})
