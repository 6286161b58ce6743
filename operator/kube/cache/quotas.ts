import type { ResourceQuota } from '../../domain/base/quota.ts'
import { pathOf, quotaResource } from '../client/resource.ts'
import type { Cluster } from './cluster.ts'

/** Reads the quotas of a namespace from the API server into the store, whose watch may be behind. */
export async function refreshQuotas(
  { client, store }: Pick<Cluster, 'client' | 'store'>,
  namespace: string,
): Promise<void> {
  const { items } = (await client.request('GET', pathOf(quotaResource, namespace))) as {
    readonly items: readonly ResourceQuota[] | null
  } // the shape of a list
  for (const quota of items ?? []) store.quotas.set(quota)
}
