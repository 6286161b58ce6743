import type { StoredObject } from '../../api/kind.ts'
import { annotations, labels, manager } from '../../api/names.ts'
import { sameJson } from '../../domain/base/json.ts'
import { instanceLabel } from '../../domain/module/labels.ts'
import { type PodState, podStateOf } from '../../domain/rendering/pod-state.ts'
import { type Cache, createCache } from '../../kube/cache/cache.ts'
import { startReflector } from '../../kube/cache/reflector.ts'
import type { Reflector } from '../../kube/cache/reflector-options.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { explainRejection } from '../../kube/client/explain-rejection.ts'
import type { Resource } from '../../kube/client/resource.ts'
import { keptMetadata } from '../../kube/objects/kept-metadata.ts'
import type { Log } from '../../log.ts'

/** A pod of a workload: its labels, the resource that it belongs to, and what a rollout needs of its status. */
export interface WorkloadPod extends StoredObject {
  readonly state: PodState
}

/** The label of the pods of a Job. */
export const controllerUidLabel = 'batch.kubernetes.io/controller-uid'
/** The label of the pods of a StatefulSet. */
export const revisionLabel = 'controller-revision-hash'
/** The label of the pods of a ReplicaSet. */
export const templateHashLabel = 'pod-template-hash'

const podResource: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }
const byInstance = 'instance'

/** Watches the pods of workloads from the first rollout on. Keeps their state alone. */
export class WorkloadPods {
  readonly #client: KubeClient
  readonly #log: Log
  readonly #cache: Cache
  /** Keys of the resources whose rollouts are waited for. */
  readonly #awaited = new Set<string>()
  readonly #handlers: ((key: string) => void)[] = []
  #reflector: Reflector | undefined

  constructor(client: KubeClient, log: Log) {
    this.#client = client
    this.#log = log
    this.#cache = createCache(
      { [byInstance]: ({ metadata }) => [metadata.labels?.[instanceLabel] ?? ''] },
      (error) => log.error('a change handler failed', { error }),
    )
    this.#cache.subscribe(({ before, after }) => {
      const key = (after ?? before)?.metadata.annotations?.[annotations.resource] ?? ''
      if (!this.#awaited.has(key) || sameJson(before?.state ?? {}, after?.state ?? {})) return
      for (const handler of this.#handlers) handler(key)
    })
  }

  /** The pods of a resource that are not terminating. From now on, a change of their state enqueues the resource. */
  async await(key: string, guResId: string): Promise<readonly WorkloadPod[]> {
    this.#awaited.add(key)
    const reflector = this.#reflector ?? this.#start()
    try {
      await reflector.synced.catch((error: unknown) => {
        // Its first list was refused, so it has ended. A later refusal does not end it.
        if (this.#reflector === reflector) this.#reflector = undefined
        throw error
      })
      await reflector.ensureAllowed()
    } catch (error) {
      throw explainRejection(error, 'watch', { kind: podResource.kind })
    }
    const pods = this.#cache.byIndex(byInstance, guResId) as readonly WorkloadPod[] // `keep` made them
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  }

  /** Ends `await`. */
  forget(key: string): void {
    this.#awaited.delete(key)
  }

  onEnqueue(handler: (key: string) => void): void {
    this.#handlers.push(handler)
  }

  stop(): void {
    this.#reflector?.stop()
  }

  #start(): Reflector {
    this.#reflector = startReflector(this.#client, podResource, this.#cache, this.#log, {
      labelSelector: `${labels.managedBy}=${manager},${instanceLabel}`,
      keep: podOf,
      failIfForbidden: true,
    })
    return this.#reflector
  }
}

/** What a rollout reads. */
const marks = {
  labels: [instanceLabel, controllerUidLabel, revisionLabel, templateHashLabel],
  annotations: [annotations.resource],
}

function podOf({ apiVersion, kind, metadata, status, state }: StoredObject): WorkloadPod {
  return {
    apiVersion,
    kind,
    metadata: keptMetadata(metadata, marks),
    state: (state as PodState | undefined) ?? podStateOf(status), // a list is read twice
  }
}
