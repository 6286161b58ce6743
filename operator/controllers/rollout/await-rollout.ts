import type { ActiveResource, AppliedObject } from '../../api/active-resource.ts'
import type { StoredObject } from '../../api/kind.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import { instanceLabel } from '../../domain/module/labels.ts'
import {
  type EarlierPod,
  isAvailable,
  jointRollout,
  type Rollout,
  reportsRefusedPods,
  rolloutKinds,
  rolloutOf,
} from '../../domain/rendering/rollout.ts'
import { simpleTypeName, workloadType } from '../../domain/resource/types.ts'
import { redact } from '../../domain/secret/redact.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { explaining } from '../../kube/client/explain-rejection.ts'
import { isOwnedBy, keyOf, pathOf, type Resource } from '../../kube/client/resource.ts'
import type { WorkContext } from '../../kube/loop/controller.ts'
import { isReady } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import { isSame, keyOfKind } from '../objects/applied-object.ts'
import type { Inventory } from '../objects/inventory.ts'
import {
  controllerUidLabel,
  revisionLabel,
  templateHashLabel,
  type WorkloadPod,
  type WorkloadPods,
} from './workload-pods.ts'

/** How rollouts are waited for. */
export interface Rollouts {
  readonly pods: WorkloadPods
  readonly policy: 'wait' | 'applied'
  /** How long a pod may wait for a node. */
  readonly schedulingSeconds: number
  /** Milliseconds since 1970 by the clock of the API server, which the times of pods are compared with. */
  readonly serverNow: () => number
}

/** What a reconcile knows of a resource whose objects are applied. */
interface Applied {
  readonly status: ResourceStatus
  /** The objects as they were applied, when this reconcile applied them. */
  readonly live?: readonly StoredObject[]
  /** What no message may contain. */
  readonly secrets: unknown
}

type ResourceStatus = Observed<typeof ActiveResource>

interface Tools {
  readonly cluster: Cluster
  readonly objects: Objects
  readonly inventory: Pick<Inventory, 'enqueueOnChange'>
  readonly rollouts: Rollouts
}

const replicaSetResource: Resource = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
}

/**
 * Returns the status of a workload whose rollout is complete, and of any other resource. Throws Waiting while the rollout
 * runs, and Stalled with the reason of its pods when it cannot end; a change of the object or of its pods enqueues the
 * resource. A repair keeps a ready workload ready while the cluster reports it available at its generation.
 */
export async function awaitRollout(
  resource: ActiveResource,
  applied: Applied,
  tools: Tools,
  context: Pick<WorkContext<typeof ActiveResource>, 'report'>,
): Promise<ResourceStatus> {
  const { status, live } = applied
  const targets = targetsOf(resource, status, tools.rollouts)
  const wasReady = isReady(resource) && resource.status?.inputsHash === status.inputsHash
  if (targets.length === 0 || (wasReady && !live)) return status
  const key = keyOf(resource)
  const objects: StoredObject[] = []
  for (const target of targets) objects.push(await currentObject(target, applied, tools))
  if (wasReady && objects.every(isAvailable)) return status
  const pods = await tools.rollouts.pods.await(key, resource.metadata.name)
  const rollouts: Rollout[] = []
  for (const object of objects) rollouts.push(await currentRollout(object, pods, tools))
  const rollout = jointRollout(rollouts)
  if (rollout.state === 'complete') {
    tools.rollouts.pods.forget(key)
    return status
  }
  await tools.inventory.enqueueOnChange(resource, { applied: status.objects ?? [], live: objects })
  // The termination message of a container may print secrets.
  const message = redact(rollout.message, applied.secrets)
  // A wait is written later, but the objects must not be applied again.
  if (live && rollout.state === 'running') await context.report(status, message)
  if (rollout.state === 'failed') throw new Stalled(rollout.reason, message, status)
  throw new Waiting(rollout.reason, message, rollout.retryAfterSeconds, status)
}

/** Throws Waiting without the object: its deletion enqueues the resource. */
async function currentObject(
  target: AppliedObject,
  { status, live }: Applied,
  { objects }: Tools,
): Promise<StoredObject> {
  const object = live?.find((each) => isSame(target, each)) ?? (await objects.read(target))
  if (object) return object
  throw new Waiting('Progressing', `waiting for the ${target.kind} '${target.name}'`, undefined, status)
}

async function currentRollout(
  object: StoredObject,
  all: readonly WorkloadPod[],
  tools: Tools,
): Promise<Rollout> {
  // The users of other namespaces can give their pods the same labels.
  const pods = all.filter(({ metadata }) => metadata.namespace === object.metadata.namespace)
  const replicaSet = await newestReplicaSet(object, pods, tools)
  return rolloutOf({
    object,
    replicaSet,
    pods: ofNewestRevision(object, pods, replicaSet).map(({ state }) => state),
    earlierPods: ofEarlierRevisions(object, pods),
    now: tools.rollouts.serverNow(),
    schedulingSeconds: tools.rollouts.schedulingSeconds,
  })
}

/** The objects whose rollout is waited for: no CronJob, and none where applied objects are enough. */
function targetsOf(resource: ActiveResource, { objects = [] }: ResourceStatus, rollouts: Rollouts) {
  if (!isAwaited(resource, rollouts)) return []
  return objects.filter((each) => rolloutKinds.has(keyOfKind(each)))
}

/** Whether the resource is a workload that is ready when its pods run, not when its objects are applied. */
function isAwaited({ spec }: ActiveResource, { policy }: Pick<Rollouts, 'policy'>): boolean {
  if (simpleTypeName(spec.type) !== workloadType) return false
  const deploy = isObject(spec.params?.deploy) ? spec.params.deploy : {}
  return deploy.success === undefined ? policy !== 'applied' : deploy.success !== 'deploy'
}

/** Whether the status says of objects that are about to change that their rollout is complete. */
export function claimsRollout(resource: ActiveResource, rollouts: Pick<Rollouts, 'policy'>): boolean {
  return isReady(resource) && isAwaited(resource, rollouts)
}

/** The pods that the current spec of the object made. */
function ofNewestRevision(
  object: StoredObject,
  pods: readonly WorkloadPod[],
  replicaSet: StoredObject | undefined,
): readonly WorkloadPod[] {
  const withLabel = (label: string, value: unknown) =>
    pods.filter(({ metadata }) => metadata.labels?.[label] === value)
  if (object.kind === 'Job') return withLabel(controllerUidLabel, object.metadata.uid)
  if (object.kind === 'StatefulSet') return withLabel(revisionLabel, updateRevisionOf(object))
  const hash = replicaSet?.metadata.labels?.[templateHashLabel]
  return hash === undefined ? [] : withLabel(templateHashLabel, hash)
}

/**
 * The pods of a StatefulSet that its update replaces. Pods of a Deployment that it replaces have no revision, and those of
 * another StatefulSet have other names.
 */
function ofEarlierRevisions(object: StoredObject, pods: readonly WorkloadPod[]): EarlierPod[] {
  if (object.kind !== 'StatefulSet') return []
  const newest = updateRevisionOf(object)
  return pods.flatMap(({ metadata: { name, labels }, state }) => {
    const revision = labels?.[revisionLabel]
    const isOwn = name.slice(0, name.lastIndexOf('-')) === object.metadata.name
    return !isOwn || revision === undefined || revision === newest ? [] : [{ name, state }]
  })
}

function updateRevisionOf({ status }: StoredObject): string | undefined {
  return ((status ?? {}) as { updateRevision?: string }).updateRevision // of a StatefulSet
}

/** The newest ReplicaSet of a Deployment with a problem; undefined until there is one for its current spec. */
async function newestReplicaSet(
  object: StoredObject,
  pods: readonly WorkloadPod[],
  { cluster }: Tools,
): Promise<StoredObject | undefined> {
  const { kind, metadata } = object
  const hasProblem = pods.some(({ state }) => state.problem !== undefined || state.failure !== undefined)
  // Only problems need the read.
  if (kind !== 'Deployment' || !(hasProblem || reportsRefusedPods(object))) return undefined
  const revision = 'deployment.kubernetes.io/revision'
  const query = { labelSelector: `${instanceLabel}=${metadata.labels?.[instanceLabel] ?? ''}` }
  return explaining('list', { kind: replicaSetResource.kind }, async () => {
    const path = pathOf(replicaSetResource, metadata.namespace)
    const answer = await cluster.client.request('GET', path, { query })
    const { items } = answer as { items?: readonly StoredObject[] | null } // a list
    return (items ?? []).find(
      (each) =>
        isOwnedBy(each, { metadata }) &&
        each.metadata.annotations?.[revision] === metadata.annotations?.[revision],
    )
  })
}
