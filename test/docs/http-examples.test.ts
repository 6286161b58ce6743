import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endpoints } from '../../api-gateway/endpoints/index.ts'
import { DeploymentDelta } from '../../operator/api/deployment-delta.ts'
import { newObject } from '../../operator/api/kind.ts'
import { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { startGateway, type TestGateway, tokenOf } from '../api-gateway/support/gateway.ts'
import { addEnvironment, addResource, finish } from '../api-gateway/support/objects.ts'

const folder = join(import.meta.dirname, '..', '..', 'examples', 'http')
const requests = readdirSync(folder)
  .filter((name) => name.endsWith('.http'))
  .sort()
  .flatMap((name) => {
    const [start = '', ...texts] = readFileSync(join(folder, name), 'utf8').split(/^### /m)
    const variables = new Map(
      [...start.matchAll(/^@(\w+) = (.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
    )
    variables.set('gateway', '').set('token', tokenOf('admin'))
    const filled = (text: string) =>
      text.replaceAll(/\{\{(\w+)\}\}/g, (whole, key: string) => variables.get(key) ?? whole)
    return texts.map((text) => {
      const [head = '', ...body] = text.split('\n\n')
      const [title = '', line = ''] = head.split('\n')
      const isFromAnswer = /\{\{(criterion|version|call|artefact|rule)\}\}/.test(line)
      return { name, title, operation: filled(line), body: filled(body.join('\n\n').trim()), isFromAnswer }
    })
  })

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
  gateway.addUser('ci-4f2a91c3', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'ci-4f2a91c3', { role: 'member' })
  const cache = { type: 'redis', resourceId: 'shared.cache' }
  addResource(gateway, { ...cache, definition: 'redis', environment: 'staging' })
  const backend = { type: 'workload', resourceId: 'modules.backend', definition: 'workload' }
  addResource(gateway, { ...backend, environment: 'staging' })
})
afterAll(() => gateway.close())

/** Requests for the operator or an identity provider, which are absent here. */
const needsOthers = new Set([
  'Check the credentials of an account',
  'Sign in with the identity provider: in a browser, where the installation has one',
  'The redirect URL for the identity provider',
])

test.each(requests.filter(({ title }) => !needsOthers.has(title)))(
  '$name: $title',
  async ({ operation, body, isFromAnswer }) => {
    const { status } = await gateway.send(operation, body === '' ? {} : { text: body })
    // Unknown ids of answers, and a running deployment, are not errors of the request.
    const isUnderWay = operation.startsWith('POST') && operation.includes('/pipeline-runs')
    const allowed = [200, 201, 202, 204, ...(isFromAnswer ? [404] : []), ...(isUnderWay ? [409] : [])]
    expect(allowed).toContain(status)
  },
)

const patternOf = ({ method, path }: { method: string; path: string }) =>
  new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`)

test('each operation has a request', () => {
  const without = endpoints.filter(
    (each) => !requests.some(({ operation }) => patternOf(each).test(operation)),
  )
  expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

test('each request is one of the operations, and the first file has the twelve', () => {
  const patterns = endpoints.map(patternOf)
  const unknown = requests.filter(({ operation }) => !patterns.some((pattern) => pattern.test(operation)))
  expect(unknown).toEqual([])
  expect(requests.filter(({ name }) => name.startsWith('01'))).toHaveLength(12)
})
