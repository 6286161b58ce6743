import { hash } from 'node:crypto'
import { ActiveResource } from '../api/active-resource.ts'
import { EnvironmentDeployment } from '../api/environment-deployment.ts'
import type { Kind, KubeObject } from '../api/kind.ts'
import { annotations } from '../api/names.ts'
import { isFinished, stateOfDeployment } from '../domain/deployment/deployment.ts'
import type { DriverCalls } from '../drivers/driver.ts'
import type { Store } from '../kube/cache/store.ts'
import type { TraceReconcile } from '../kube/loop/controller.ts'
import type { LoopMetrics } from '../kube/loop/controller-loop.ts'
import {
  formatTraceparent,
  noTracing,
  parseTraceparent,
  type Traceparent,
  type Tracing,
  traced,
} from './tracing.ts'

/**
 * The span of a deployment, from its creation to its end. Its ids depend on the deployment alone, so that each process knows
 * them. A deployment of the gateway belongs to the trace of its request, any other one begins a trace.
 */
export function spanOfDeployment(
  { metadata }: Pick<EnvironmentDeployment, 'metadata'>,
  tracing: Pick<Tracing, 'samples'>,
): Traceparent {
  const digest = hash('sha256', metadata.uid)
  const request = parseTraceparent(metadata.annotations?.[annotations.traceparent])
  const traceId = request?.traceId ?? digest.slice(16, 48)
  return { traceId, spanId: digest.slice(0, 16), isSampled: request?.isSampled ?? tracing.samples(traceId) }
}

/** The reconciles of deployments and of their resources, as spans. */
export function traceReconciles(store: Store, tracing: Tracing): TraceReconcile | undefined {
  if (tracing === noTracing) return undefined
  return (kind, object, work) => {
    const deployment = deploymentOf(store, kind, object)
    // The queue may start it within the reconcile of an object that has one.
    if (!deployment) return tracing.outside(work)
    const parent = formatTraceparent(spanOfDeployment(deployment, tracing))
    return traced(
      tracing,
      { name: `reconcile ${kind.kind}`, parent, attributes: namesOf(kind, object) },
      work,
    )
  }
}

function deploymentOf(store: Store, kind: Kind, object: KubeObject): EnvironmentDeployment | undefined {
  if (kind === EnvironmentDeployment) return object as EnvironmentDeployment // an object of this kind
  if (kind !== ActiveResource) return undefined
  const { metadata, spec } = object as ActiveResource // an object of this kind
  return store.get(EnvironmentDeployment, metadata.namespace, spec.deploymentName)
}

/** Metrics that give the span of a reconcile its result too. */
export function traceResults<M extends Pick<LoopMetrics, 'reconciled'>>(metrics: M, tracing: Tracing): M {
  if (tracing === noTracing) return metrics
  return {
    ...metrics,
    reconciled(kind, result) {
      metrics.reconciled(kind, result)
      tracing.describe({ 'quartermaster.result': result })
    },
  }
}

/** Metrics of calls of drivers that record a span for each call too. */
export function traceCalls(calls: DriverCalls, tracing: Tracing): DriverCalls {
  if (tracing === noTracing) return calls
  return {
    ended(driver, operation, result, seconds) {
      calls.ended(driver, operation, result, seconds)
      const end = Date.now()
      tracing.record({
        name: `${operation} ${driver}`,
        attributes: { 'quartermaster.driver': driver, 'quartermaster.result': result },
        start: end - seconds * 1000,
        end,
        hasFailed: result === 'failed',
      })
    },
  }
}

/** Records the span of each deployment when its status says for the first time that it has ended. */
export function traceDeployments(store: Store, tracing: Tracing): void {
  if (tracing === noTracing) return
  store.cacheOf(EnvironmentDeployment).subscribe(({ before, after }) => {
    if (!before || !after || isFinished(before) || !isFinished(after)) return
    const { metadata, spec, status } = after
    const result = stateOfDeployment(after)
    tracing.record({
      name: 'deployment',
      ids: spanOfDeployment(after, tracing),
      parent: metadata.annotations?.[annotations.traceparent],
      attributes: {
        ...namesOf(EnvironmentDeployment, after),
        'quartermaster.environment': spec.environmentName,
        'quartermaster.result': result,
      },
      start: Date.parse(metadata.creationTimestamp),
      end: Date.parse(status?.finishTime ?? '') || Date.now(),
      hasFailed: result === 'failed',
    })
  })
}

/** Names of an object as attributes of a span. */
function namesOf({ kind }: Kind, { metadata }: KubeObject) {
  return {
    'k8s.namespace.name': metadata.namespace,
    'quartermaster.kind': kind,
    'quartermaster.name': metadata.name,
  }
}
