import type { StoredObject } from '../../../operator/api/kind.ts'
import { labels, manager } from '../../../operator/api/names.ts'
import { instanceLabel } from '../../../operator/domain/module/labels.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { pathOf, type Resource } from '../../../operator/kube/client/resource.ts'

const resources = {
  pods: { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
  replicaSets: { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true },
  statefulSets: { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true },
  jobs: { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', namespaced: true },
  cronJobs: { apiVersion: 'batch/v1', kind: 'CronJob', plural: 'cronjobs', namespaced: true },
} as const satisfies Record<string, Resource>

type ListName = keyof typeof resources

/** The objects of workloads in a namespace, by kind. */
export type RuntimeObjects = Readonly<Record<ListName, readonly StoredObject[]>>

/** The lists that the pods of an object are found by, by its kind. */
const listsFor: Readonly<Record<string, readonly ListName[]>> = {
  Deployment: ['deployments', 'replicaSets', 'pods'],
  StatefulSet: ['statefulSets', 'pods'],
  Job: ['jobs', 'pods'],
  CronJob: ['cronJobs', 'jobs', 'pods'],
}

/** Lists the objects of workloads in a namespace, with one request for each kind that `kinds` need; none without kinds. */
export async function readRuntimeObjects(
  client: Pick<KubeClient, 'request'>,
  namespace: string,
  kinds: ReadonlySet<string>,
): Promise<RuntimeObjects> {
  const needed = new Set([...kinds].flatMap((kind) => listsFor[kind] ?? []))
  const query = { labelSelector: `${labels.managedBy}=${manager},${instanceLabel}` }
  const read = async (name: ListName): Promise<readonly StoredObject[]> => {
    if (!needed.has(name)) return []
    const { apiVersion, kind } = resources[name]
    const answer = await client.request('GET', pathOf(resources[name], namespace), { query })
    const { items } = answer as { items?: readonly StoredObject[] | null } // a list
    // The API server leaves both out of the items of a list.
    return (items ?? []).map((each) => ({ ...each, apiVersion, kind }))
  }
  const [pods, deployments, replicaSets, statefulSets, jobs, cronJobs] = await Promise.all([
    read('pods'),
    read('deployments'),
    read('replicaSets'),
    read('statefulSets'),
    read('jobs'),
    read('cronJobs'),
  ])
  return { pods, deployments, replicaSets, statefulSets, jobs, cronJobs }
}
