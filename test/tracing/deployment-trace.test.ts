import { expect, test } from '@jest/globals'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { ResourceType } from '../../operator/api/resource-type.ts'
import {
  spanOfDeployment,
  traceDeployments,
  traceReconciles,
} from '../../operator/tracing/deployment-trace.ts'
import {
  noTracing,
  type PastSpan,
  parseTraceparent,
  type SpanStart,
  type Tracing,
} from '../../operator/tracing/tracing.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { fc } from '../support/properties.ts'

const samplesAll = { samples: () => true }
const annotation = 'quartermaster.dev/traceparent'
const request = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

/** Keeps what is started and recorded. */
function recorder() {
  const started: SpanStart[] = []
  const recorded: PastSpan[] = []
  const tracing: Tracing = {
    ...noTracing,
    ...samplesAll,
    start(span) {
      started.push(span)
      return noTracing.start(span)
    },
    record: (span) => recorded.push(span),
  }
  return { tracing, started, recorded }
}

function withDeployment(annotations: Record<string, string> = {}) {
  const cluster = createFakeCluster()
  cluster.addOrganization('acme')
  cluster.put(EnvironmentDeployment, {
    metadata: { namespace: 'acme', name: 'one', annotations },
    spec: { environmentName: 'shop.staging', setName: 'set' },
  } as never)
  const deployment = cluster.store.get(EnvironmentDeployment, 'acme', 'one') as EnvironmentDeployment // just added
  return { cluster, deployment }
}

test('the span of a deployment depends on its uid and its request alone', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.boolean(), (uid, other, isOverRest) => {
      const annotations = isOverRest ? { [annotation]: request } : {}
      const spanOf = (each: string) =>
        spanOfDeployment({ metadata: { uid: each, annotations } } as never, samplesAll)
      const span = spanOf(uid)
      expect(spanOf(uid)).toEqual(span)
      expect(span.traceId === 'a'.repeat(32)).toBe(isOverRest)
      if (uid !== other) expect(spanOf(other).spanId).not.toBe(span.spanId)
    }),
  )
})

test.each([
  ['of a request', { [annotation]: request }, request],
  ['that begins a trace', {}, undefined],
])('a deployment %s is recorded once, when it has ended', (_, annotations, parent) => {
  const { tracing, recorded } = recorder()
  const { cluster, deployment } = withDeployment(annotations)
  traceDeployments(cluster.store, tracing)
  const { traceId, spanId } = spanOfDeployment(deployment, tracing)
  const ready = (status: string) => ({
    observedGeneration: 1,
    finishTime: '2030-01-01T00:00:00Z',
    conditions: [
      { type: 'Ready', status, reason: 'Any', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
    ],
  })
  for (const status of ['Unknown', 'True', 'True'])
    cluster.setStatus(EnvironmentDeployment, 'acme', 'one', ready(status))
  expect(recorded).toMatchObject([
    { name: 'deployment', parent, hasFailed: false, end: Date.parse('2030-01-01T00:00:00Z') },
  ])
  expect(recorded[0]?.ids).toMatchObject({ traceId, spanId })
  expect(recorded[0]?.ids?.traceId === parseTraceparent(request)?.traceId).toBe(parent !== undefined)
})

test('reconciles of a deployment and of its resources are parts of its span, and others have none', async () => {
  const { tracing, started } = recorder()
  const { cluster, deployment } = withDeployment()
  let outside = 0
  const trace = traceReconciles(cluster.store, {
    ...tracing,
    outside(work) {
      outside += 1
      return work()
    },
  })
  let runs = 0
  const work = async () => {
    runs += 1
  }
  const resource = (deploymentName: string) => ({
    apiVersion: '',
    kind: '',
    metadata: { namespace: 'acme', name: 'r' },
    spec: { deploymentName },
  })
  await trace?.(EnvironmentDeployment, deployment, work)
  await trace?.(ActiveResource, resource('one'), work)
  await trace?.(ActiveResource, resource('deleted'), work)
  await trace?.(ResourceType, resource('one'), work)
  expect([runs, outside]).toEqual([4, 2])
  const { spanId } = spanOfDeployment(deployment, tracing)
  expect(started.map(({ name, parent }) => [name, parseTraceparent(parent)?.spanId])).toEqual([
    ['reconcile EnvironmentDeployment', spanId],
    ['reconcile ActiveResource', spanId],
  ])
})

test('without tracing, the loops do nothing more', () => {
  expect(traceReconciles(createFakeCluster().store, noTracing)).toBeUndefined()
})
