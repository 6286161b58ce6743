import type { ResourceQuota } from '../../domain/base/quota.ts'
import type { ListPage } from '../client/list-page.ts'
import { pathOf, quotaResource } from '../client/resource.ts'
import type { Cluster } from './cluster.ts'

/** Reads the quotas of a namespace from the API server into the store, whose watch may be behind. */
export async function refreshQuotas(
  { client, store }: Pick<Cluster, 'client' | 'store'>,
  namespace: string,
): Promise<void> {
  const path = pathOf(quotaResource, namespace)
  const { items } = (await client.request('GET', path)) as ListPage<ResourceQuota>
  for (const quota of items ?? []) store.quotas.set(quota)
}
