import { kinds } from '../../api/kinds.ts'
import { fieldManager, group, labels, manager } from '../../api/names.ts'
import type { ResourceQuota } from '../../domain/base/quota.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import type { Store } from '../../kube/cache/store.ts'
import { isAlreadyExists, isNamespaceTerminating } from '../../kube/client/api-error.ts'
import { pathOf, quotaResource } from '../../kube/client/resource.ts'
import type { Log } from '../../log.ts'
import { createOrganizationQueue, isTerminating } from './organization-queue.ts'

/** Limits by resource of a quota, such as `count/webhooks.quartermaster.dev`. */
export type QuotaLimits = Readonly<Record<string, number>>

interface Options {
  readonly limits: QuotaLimits
  readonly log: Log
  readonly isActive: () => boolean
  /** How long an organization is left without a quota, so that people can create theirs. */
  readonly graceMs?: number
  /** The same after a start: the cluster counts objects of kinds that are new to it after 30 seconds. */
  readonly startMs?: number
}

/** Name of the default quota in each organization. */
const quotaName = 'quartermaster'
const retryMs = 60_000

/** Creates the default quota in each organization without limits. It belongs to people from then on. */
export function startOrganizationQuotas(cluster: Cluster, options: Options): { stop(): Promise<void> } {
  const { limits, log, isActive, graceMs = 10_000, startMs = 60_000 } = options
  if (Object.keys(limits).length === 0) return { stop: async () => {} }
  const { store } = cluster
  const readyAt = performance.now() + startMs
  const failure = 'could not create the quota of an organization'
  const queue = createOrganizationQueue({ log, isActive, failure, retryMs }, async (name) => {
    const hard = defaultLimits(store, name, limits)
    if (!hard) return
    try {
      await createQuota(cluster, name, hard)
    } catch (error) {
      if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error
    }
  })
  const enqueue = (name: string) => queue.addAfter(name, Math.max(graceMs, readyAt - performance.now()))
  store.namespaces.subscribe(({ after }) => {
    if (after) enqueue(after.metadata.name)
  })
  store.quotas.subscribe(({ before, after }) => {
    if (before && !after) enqueue(before.metadata.namespace)
  })
  for (const { id } of store.organizations()) enqueue(id)
  return { stop: () => queue.stop() }
}

/** The limits for an organization; undefined when it has limits, or none is wanted. */
function defaultLimits(store: Store, organization: string, limits: QuotaLimits): QuotaLimits | undefined {
  if (!store.isOrganization(organization) || isTerminating(store, organization)) return undefined
  const quotas = store.quotas.inNamespace(organization)
  if (quotas.some((each) => each.metadata.name === quotaName || hasLimitOf(each, limits))) return undefined
  const wanted = Object.entries(limits).filter(
    // An organization that is larger already must be able to grow.
    ([resource, limit]) => countOf(store, organization, resource) <= limit,
  )
  return wanted.length > 0 ? Object.fromEntries(wanted) : undefined
}

function hasLimitOf({ spec }: ResourceQuota, limits: QuotaLimits): boolean {
  return Object.keys(spec?.hard ?? {}).some((resource) => resource in limits)
}

/** The objects of one of our kinds; 0 for other kinds, which no cache holds. */
function countOf(store: Store, organization: string, resource: string): number {
  const kind = kinds.find(({ plural }) => resource === `count/${plural}.${group}`)
  return kind ? store.list(kind, organization).length : 0
}

async function createQuota({ client, store }: Cluster, namespace: string, limits: QuotaLimits) {
  const hard = Object.fromEntries(Object.entries(limits).map(([key, limit]) => [key, String(limit)]))
  const { apiVersion, kind } = quotaResource
  const metadata = { name: quotaName, namespace, labels: { [labels.managedBy]: manager } }
  const body = { apiVersion, kind, metadata, spec: { hard } }
  const answer = await client.request('POST', pathOf(quotaResource, namespace), {
    body,
    query: { fieldManager },
  })
  store.quotas.set(answer as ResourceQuota) // the created object
}
