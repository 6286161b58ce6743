import { afterEach, expect, test } from '@jest/globals'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { noTracing, type SpanStart, type Tracing } from '../../../../operator/tracing/tracing.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { addEnvironment } from '../../support/objects.ts'

const annotation = 'quartermaster.dev/traceparent'
const current = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const set = { modules: { backend: { profile: 'p', spec: {}, externals: {} } }, shared: {} }

let gateway: TestGateway
afterEach(() => gateway.close())

/** Deploys over REST, with the given header. */
async function deploy(tracing: Tracing, traceparent?: string) {
  gateway = await startGateway({ tracing })
  addEnvironment(gateway, 'staging', 'development')
  const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent }
  const delta = await gateway.send('POST /orgs/acme/apps/shop/deltas', {
    body: { modules: { add: set.modules, remove: [], update: {} }, shared: [] },
  })
  const { id } = delta.body as { id: string }
  const answer = await gateway.send('POST /orgs/acme/apps/shop/envs/staging/deploys', {
    body: { delta_id: id },
    headers,
  })
  expect(answer.status).toBe(201)
  return gateway.cluster.store.get(EnvironmentDeployment, 'acme', 'shop.staging.1')
}

test('a deployment continues the trace of its request, and the request that of its client', async () => {
  const started: SpanStart[] = []
  const ended: unknown[] = []
  const tracing: Tracing = {
    ...noTracing,
    current: () => current,
    start(span) {
      started.push(span)
      return { within: (work) => work(), end: (...result) => ended.push(result) }
    },
  }
  const client = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`
  const deployment = await deploy(tracing, client)
  expect(deployment?.metadata.annotations).toMatchObject({ [annotation]: current })
  const name = 'POST /orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys'
  expect(started.find((span) => span.name === name)).toMatchObject({
    isServer: true,
    parent: client,
    attributes: { 'http.request.method': 'POST', 'quartermaster.request_id': expect.any(String) },
  })
  expect(ended).toContainEqual([false, { 'http.response.status_code': 201 }])
})

test('without tracing, a deployment has no trace', async () => {
  const deployment = await deploy(noTracing, current)
  expect(deployment?.metadata.annotations).not.toHaveProperty(annotation)
})
