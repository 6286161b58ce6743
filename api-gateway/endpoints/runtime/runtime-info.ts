import type { StoredObject } from '../../../operator/api/kind.ts'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { compareText, isObject } from '../../../operator/domain/base/json.ts'
import { instanceLabel } from '../../../operator/domain/module/labels.ts'
import { podStateOf } from '../../../operator/domain/rendering/pod-state.ts'
import { rolloutOf } from '../../../operator/domain/rendering/rollout.ts'
import type { Runtime } from './runtime-forms.ts'
import type { RuntimeObjects } from './runtime-objects.ts'
import { runtimePod } from './runtime-pod.ts'
import type { RuntimeController, RuntimeStatus } from './runtime-shape.ts'

/** A workload of an environment. */
export interface RuntimeWorkload {
  readonly id: string
  readonly guResId: string
  /** Why it is not ready, without secrets; empty when it is. */
  readonly message: string
}

interface Status {
  readonly readyReplicas?: number
  readonly ready?: number
  readonly succeeded?: number
  readonly updateRevision?: string
  readonly active?: readonly unknown[]
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[]
}

interface Spec {
  readonly replicas?: number
  readonly parallelism?: number
  readonly suspend?: boolean
}

const revisionAnnotation = 'deployment.kubernetes.io/revision'

/** The objects that run the pods of workloads, by workload. Objects of other workloads are left out. */
export function runtimeModules(
  workloads: readonly RuntimeWorkload[],
  objects: RuntimeObjects,
): Runtime['modules'] {
  const { deployments, statefulSets, jobs, cronJobs } = objects
  const byWorkload = Map.groupBy(
    [...deployments, ...statefulSets, ...jobs.filter((each) => !isOwned(each)), ...cronJobs],
    ({ metadata }) => metadata.labels?.[instanceLabel] ?? '',
  )
  const family = new Family(objects)
  const modules = workloads
    .filter(({ guResId }) => byWorkload.has(guResId))
    .toSorted((left, right) => compareText(left.id, right.id))
    .map(({ id, guResId, message }) => [
      id,
      Object.fromEntries(
        (byWorkload.get(guResId) ?? [])
          .map((each) => [idOf(each), controllerOf(each, message, family)] as const)
          .sort(([left], [right]) => compareText(left, right)),
      ),
    ])
  return Object.fromEntries(modules)
}

/** Which objects belong to which, by the controllers that they name as owners. */
class Family {
  readonly #pods: ReadonlyMap<string, readonly StoredObject[]>
  readonly #jobs: ReadonlyMap<string, readonly StoredObject[]>
  readonly #replicaSets: ReadonlyMap<string, StoredObject>
  readonly #replicaSetsOf: ReadonlyMap<string, readonly StoredObject[]>

  constructor({ pods, jobs, replicaSets }: RuntimeObjects) {
    const owners = new Map([...jobs, ...replicaSets].map((each) => [each.metadata.uid, ownerOf(each)]))
    this.#pods = Map.groupBy(pods, (pod) => {
      const owner = ownerOf(pod)
      return owners.get(owner) || owner
    })
    this.#jobs = Map.groupBy(jobs, ownerOf)
    this.#replicaSets = new Map(replicaSets.map((each) => [each.metadata.uid, each]))
    this.#replicaSetsOf = Map.groupBy(replicaSets, ownerOf)
  }

  podsOf({ metadata }: StoredObject): readonly StoredObject[] {
    const pods = this.#pods.get(metadata.uid) ?? []
    return pods.toSorted((left, right) => compareText(left.metadata.name, right.metadata.name))
  }

  newestJobOf({ metadata }: StoredObject): StoredObject | undefined {
    const ageOf = (each: StoredObject) => `${each.metadata.creationTimestamp} ${each.metadata.name}`
    const jobs = this.#jobs.get(metadata.uid) ?? []
    return jobs.toSorted((left, right) => compareText(ageOf(left), ageOf(right))).at(-1)
  }

  newestReplicaSetOf(object: StoredObject): StoredObject | undefined {
    const replicaSets = this.#replicaSetsOf.get(object.metadata.uid) ?? []
    return replicaSets.find((each) => numberedRevision(each) === numberedRevision(object))
  }

  /** The revision that a pod belongs to: that of a Deployment is in its ReplicaSet. */
  revisionOf(pod: StoredObject, controller: StoredObject): number {
    if (controller.kind === 'Deployment') return numberedRevision(this.#replicaSets.get(ownerOf(pod)))
    if (controller.kind !== 'StatefulSet') return 1
    const { updateRevision } = statusOf(controller)
    return pod.metadata.labels?.['controller-revision-hash'] === updateRevision ? 1 : 0
  }
}

function controllerOf(object: StoredObject, message: string, family: Family): RuntimeController {
  const pods = family.podsOf(object)
  const revision = object.kind === 'Deployment' ? numberedRevision(object) : 1
  const isNewest = (pod: StoredObject) => family.revisionOf(pod, object) === revision
  const isEarlier = (pod: StoredObject) => !isNewest(pod) && pod.metadata.deletionTimestamp === undefined
  const byAge = { newest: pods.filter(isNewest), earlier: pods.filter(isEarlier) }
  const { status, why = '' } = progressOf(object, byAge, family)
  return {
    kind: object.kind,
    replicas: replicasOf(object),
    status,
    message: message || why,
    revision,
    pods: pods.map((pod) => runtimePod(pod, family.revisionOf(pod, object))),
  }
}

function replicasOf(object: StoredObject): number {
  const { replicas = 1, parallelism = 1, suspend = false } = specOf(object)
  if (object.kind === 'CronJob') return statusOf(object).active?.length ?? 0
  if (object.kind !== 'Job') return replicas
  return suspend ? 0 : parallelism
}

/** The status of an object that runs pods, and why it failed, without secrets. */
interface Progress {
  readonly status: RuntimeStatus
  readonly why?: string
}

function progressOf(
  object: StoredObject,
  pods: { readonly newest: readonly StoredObject[]; readonly earlier: readonly StoredObject[] },
  family: Family,
): Progress {
  if (object.kind === 'CronJob') return progressOfCronJob(object, family.newestJobOf(object))
  const isJob = object.kind === 'Job'
  if (replicasOf(object) === 0)
    return { status: isJob && isTrue(object, 'Complete') ? 'Succeeded' : 'Stopped' }
  // A pod that waits for a node starts: only the operator knows how long it may wait.
  const rollout = rolloutOf({
    object,
    replicaSet: family.newestReplicaSetOf(object),
    pods: pods.newest.map(({ status }) => podStateOf(status)),
    earlierPods: pods.earlier.map(({ metadata, status }) => ({
      name: metadata.name,
      state: podStateOf(status),
    })),
    now: 0,
    schedulingSeconds: Infinity,
  })
  if (rollout.state === 'complete') return { status: isJob ? 'Succeeded' : 'Running' }
  const { succeeded = 0, ready = 0, readyReplicas = 0 } = statusOf(object)
  if (rollout.state === 'running') return { status: ready > 0 ? 'Running' : 'Starting' }
  return {
    status: succeeded + readyReplicas > 0 ? 'Partially Succeeded' : 'Failed',
    why: failureText(rollout),
  }
}

/** Reasons whose message is by the cluster alone. In others, a container or its command may have a part: they can contain secrets. */
const clusterReasons: ReadonlySet<Reason> = new Set(['ImagePullBackOff', 'PodQuotaExceeded', 'Unschedulable'])

function failureText({ reason, message }: { readonly reason: Reason; readonly message: string }): string {
  return clusterReasons.has(reason) ? `${reason}: ${message}` : `${reason}: see the status of the pods`
}

function progressOfCronJob(object: StoredObject, newestJob: StoredObject | undefined): Progress {
  if (specOf(object).suspend) return { status: 'Stopped' }
  if (!newestJob || !isTrue(newestJob, 'Failed')) return { status: 'Running' }
  return { status: 'Failed', why: failureText({ reason: 'JobFailed', message: '' }) }
}

/** How kubectl names the object, such as `deployment/orders`. */
function idOf({ kind, metadata }: StoredObject): string {
  return `${kind.toLowerCase()}/${metadata.name}`
}

function numberedRevision(object: StoredObject | undefined): number {
  return Number(object?.metadata.annotations?.[revisionAnnotation] ?? 0)
}

function isOwned(object: StoredObject): boolean {
  return ownerOf(object) !== ''
}

/** UID of the controller that an object names as its owner; empty without one. */
function ownerOf({ metadata }: StoredObject): string {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? ''
}

function isTrue(object: StoredObject, type: string): boolean {
  const { conditions = [] } = statusOf(object)
  return conditions.some((each) => each.type === type && each.status === 'True')
}

function statusOf({ status }: StoredObject): Status {
  return isObject(status) ? status : {}
}

function specOf({ spec }: StoredObject): Spec {
  return isObject(spec) ? spec : {}
}
