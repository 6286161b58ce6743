import { type ApiAccess, apiCall, apiRequest, eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { ResourceQuota } from '../../../operator/domain/base/quota.ts'

type Limits = Readonly<Record<string, number>>

/** Creates a quota, and waits until the cluster has counted its limits; returns what is used. */
export async function createQuota(
  access: ApiAccess,
  namespace: string,
  name: string,
  limits: Limits,
): Promise<Readonly<Record<string, string>>> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`
  return eventually(`the quota '${name}'`, 90_000, async () => {
    await apiRequest(access, 'POST', path, { metadata: { name }, spec: { hard: textOf(limits) } })
    const counted = await eventually('the counts', 3000, () => countsOf(access, namespace, name)).catch(
      () => undefined,
    )
    // A quota that is older than the cluster's knowledge of a kind is counted minutes later.
    if (!counted) await apiRequest(access, 'DELETE', `${path}/${name}`)
    return counted
  })
}

/** Changes limits of a quota, and waits until they are enforced. */
export async function changeQuota(
  access: ApiAccess,
  namespace: string,
  name: string,
  limits: Limits,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}`
  const body = { spec: { hard: textOf(limits) } }
  await apiCall(access, 'PATCH', path, body, 'application/merge-patch+json')
  await eventually('the limits', 30_000, async () => {
    const { status } = await apiCall<ResourceQuota>(access, 'GET', path)
    return Object.entries(limits).every(([key, limit]) => status?.hard?.[key] === String(limit)) || undefined
  })
}

async function countsOf(access: ApiAccess, namespace: string, name: string) {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}`
  const { hard = {}, used = {} } = (await apiCall<ResourceQuota>(access, 'GET', path)).status ?? {}
  const isCounted = Object.keys(hard).length > 0 && Object.keys(hard).every((key) => key in used)
  return isCounted ? used : undefined
}

function textOf(limits: Limits): Record<string, string> {
  return Object.fromEntries(Object.entries(limits).map(([key, limit]) => [key, String(limit)]))
}
