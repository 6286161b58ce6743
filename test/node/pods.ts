import { type ApiAccess, apiCall } from '../../dev/control-plane/kubernetes.ts'

const namespace = 'quartermaster-system'
export const podsPath = `/api/v1/namespaces/${namespace}/pods`
const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/quartermaster-operator`

/** What the tests look at in a pod. */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly containers: readonly { readonly image: string }[] }
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly containerStatuses?: readonly {
      readonly containerID?: string
      readonly restartCount: number
    }[]
  }
}

/** The pods of the operator and the gateway that are not being deleted. */
export async function podsOf(access: ApiAccess): Promise<Pod[]> {
  const { items } = await apiCall<{ items: Pod[] }>(access, 'GET', podsPath)
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
}

/** The IDs of the containers of a pod, which change at a restart. */
export function containersOf({ status }: Pod): string[] {
  return (status.containerStatuses ?? []).map(({ containerID = '' }) => containerID)
}

/** How many ready pods each process has. */
export function readyPods(pods: readonly Pod[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { metadata } of pods.filter(isReady)) {
    const component = metadata.labels['app.kubernetes.io/component'] ?? ''
    counts[component] = (counts[component] ?? 0) + 1
  }
  return counts
}

/** The name of the pod that leads, or nothing while none does. */
export async function leadingPod(access: ApiAccess): Promise<string> {
  const { spec } = await apiCall<{ spec: { holderIdentity?: string } }>(access, 'GET', leasePath)
  return spec.holderIdentity ?? ''
}
