import { EnvironmentDeployment } from '../api/environment-deployment.ts'
import type { Kind } from '../api/kind.ts'
import { isFinished, stateOfDeployment } from '../domain/deployment/deployment.ts'
import { isRepetition } from '../domain/deployment/deployment-history.ts'
import { createCounter } from '../kube/cache/counter.ts'
import type { Store } from '../kube/cache/store.ts'
import { type ObjectState, stateOf } from '../kube/loop/outcome.ts'

/** Counts the objects of a kind in each state, with constant work per change. */
export function countObjects(store: Store, kind: Kind): () => Readonly<Record<ObjectState, number>> {
  // The place of an object must depend on it alone: the counter asks again for the object before a change.
  const counter = createCounter(store.cacheOf(kind), ['ready', 'waiting', 'stalled'], (object) => ({
    group: '',
    bucket: stateOf(object),
  }))
  return () => counter.of('')
}

/** Receives the result of a deployment, its seconds from creation to end, and the reasons of its problems. */
export type DeploymentEnded = (
  result: 'succeeded' | 'failed',
  seconds: number,
  reasons: readonly string[],
) => void

/**
 * Reports each deployment once, when its status says for the first time that it has ended; one that ran before it was created
 * again was reported then. `serverNow` is the clock of the API server, which sets the times of creation.
 */
export function reportDeployments(store: Store, ended: DeploymentEnded, serverNow: () => number): void {
  store.cacheOf(EnvironmentDeployment).subscribe(({ before, after }) => {
    if (!before || !after || isFinished(before) || !isFinished(after) || isRepetition(after)) return
    const result = stateOfDeployment(after) === 'succeeded' ? 'succeeded' : 'failed'
    const seconds = (serverNow() - Date.parse(after.metadata.creationTimestamp)) / 1000
    ended(result, Math.max(0, seconds), after.status?.problems?.map(({ reason }) => reason) ?? [])
  })
}
