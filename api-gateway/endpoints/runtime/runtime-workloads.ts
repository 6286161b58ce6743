import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { compareText } from '../../../operator/domain/base/json.ts'
import { didYouMean } from '../../../operator/domain/base/nearest.ts'
import {
  contextOf,
  environmentNamespace,
  guResId,
  namespaceDescriptor,
  namespaceFor,
  workloadOf,
} from '../../../operator/domain/resource/identity.ts'
import { simpleTypeName, workloadType } from '../../../operator/domain/resource/types.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { resourcesOf } from '../common/find.ts'
import type { Runtime } from './runtime-forms.ts'
import { type RuntimeWorkload, runtimeModules } from './runtime-info.ts'
import { readRuntimeObjects } from './runtime-objects.ts'

/** A workload of an environment, and the kinds of the objects that run its pods. */
interface DeployedWorkload extends RuntimeWorkload {
  readonly kinds: readonly string[]
}

/** The workloads that are deployed to an environment, by id. */
export function workloadsOf(store: Store, environment: Environment): DeployedWorkload[] {
  return resourcesOf(store, environment)
    .filter(({ spec }) => simpleTypeName(spec.type) === workloadType && !spec.unusedSince)
    .map((each) => ({
      id: workloadOf(each.spec.resourceId) ?? '',
      guResId: each.metadata.name,
      message: messageOf(each),
      kinds: (each.status?.objects ?? []).map(({ kind }) => kind),
    }))
    .sort((left, right) => compareText(left.id, right.id))
}

/** The pods of an environment and the objects that run them, as they are in the cluster. */
export async function runtimeOf(
  { store, client }: Pick<Cluster, 'store' | 'client'>,
  environment: Environment,
): Promise<Runtime> {
  const namespace = namespaceOf(store, environment)
  const workloads = workloadsOf(store, environment)
  const kinds = new Set(workloads.flatMap((each) => each.kinds))
  const objects = await readRuntimeObjects(client, namespace, kinds)
  return { namespace, modules: runtimeModules(workloads, objects) }
}

/** Throws Invalid when a workload is not deployed to the environment, or runs Jobs; `limit` is what Jobs do not support. */
export function refuseUnfit(
  workloads: readonly DeployedWorkload[],
  ids: readonly string[],
  limit: 'have no replicas' | 'cannot be restarted',
): void {
  for (const id of ids) {
    const found = workloads.find((each) => each.id === id)
    if (!found) {
      const hint = didYouMean(
        id,
        workloads.map((each) => each.id),
      )
      throw new Problem('Invalid', `workload '${id}' is not deployed to the environment${hint}`)
    }
    if (!hasReplicas(found)) throw new Problem('Invalid', `workload '${id}' runs Jobs, which ${limit}`)
  }
}

/** Whether the pods of a workload run all the time. One whose objects are not there yet may. */
export function hasReplicas({ kinds }: DeployedWorkload): boolean {
  return !kinds.includes('Job') && !kinds.includes('CronJob')
}

function namespaceOf(store: Store, environment: Environment): string {
  const context = contextOf(environment)
  const resource = store.get(ActiveResource, context.organizationId, guResId(context, namespaceDescriptor))
  return namespaceFor(context, resource) ?? environmentNamespace(context)
}

/** The operator has removed secrets from the message. */
function messageOf(resource: ActiveResource): string {
  if (isReady(resource)) return ''
  return resource.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? ''
}
