import { expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { openApiDocument } from '../../../api-gateway/openapi/document.ts'
import { DeploymentDelta } from '../../../operator/api/deployment-delta.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { addEnvironment, addResource, finish } from '../support/objects.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway, 'staging', 'development')
  const backend = { type: 'workload', resourceId: 'modules.backend', definition: 'workload' }
  addResource(gateway, { ...backend, environment: 'staging' })
})

const bodies = Object.entries(openApiDocument(endpoints, 'test').paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { parameters, requestBody }]) => {
    const examples = new Map(parameters.map(({ name, example }) => [name, example]))
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(examples.get(name) ?? ''),
    )
    const body = requestBody?.content['application/json']?.example
    return requestBody ? [[`${method.toUpperCase()} ${target}`, body] as const] : []
  }),
)

test.each(bodies)('the example of a body for %s is well formed', async (operation, body) => {
  const { cluster, send } = gateway
  const [delta, definition] = [
    { namespace: 'acme', name: 'first-release' },
    { namespace: 'acme', name: 'redis' },
  ]
  cluster.put(DeploymentDelta, newObject(DeploymentDelta, delta, { applicationName: 'shop' }))
  const spec = { type: 'redis', driverType: 'quartermaster/echo', criteria: [{}] }
  cluster.put(ResourceDefinition, newObject(ResourceDefinition, definition, spec))
  await send('POST /orgs/acme/apps/shop/envs/staging/deploys', { body: { delta_id: 'first-release' } })
  finish(gateway, 'shop.staging.1')
  const { status } = await send(operation, { body })
  expect([200, 201, 202, 204, 403, 404, 409]).toContain(status)
})
