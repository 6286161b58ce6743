import { type ApiAccess, apiCall, eventually } from '../../dev/control-plane/kubernetes.ts'

const group = '/apis/rbac.authorization.k8s.io/v1'
const everything = ['get', 'list', 'watch', 'create', 'patch', 'delete']

/** Lets the operator apply objects of more kinds, as a cluster administrator does; `name` is of the caller's own. */
export async function allowOperator(
  access: ApiAccess,
  name: string,
  kinds: readonly { readonly group: string; readonly resources: readonly string[] }[],
): Promise<void> {
  const rules = kinds.map((each) => ({
    apiGroups: [each.group],
    resources: each.resources,
    verbs: everything,
  }))
  await apiCall(access, 'POST', `${group}/clusterroles`, { metadata: { name }, rules })
  await apiCall(access, 'POST', `${group}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: 'quartermaster-operator', namespace: 'quartermaster-system' }],
  })
  // The API server hears of its own roles a moment later.
  const user = 'system:serviceaccount:quartermaster-system:quartermaster-operator'
  for (const each of kinds)
    for (const resource of each.resources)
      await eventually(`the right to '${resource}'`, 30_000, async () => {
        const resourceAttributes = { group: each.group, resource, verb: 'create', namespace: 'any' }
        const review = { spec: { user, resourceAttributes } }
        const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
        const { status } = await apiCall<{ status: { allowed: boolean } }>(access, 'POST', path, review)
        return status.allowed || undefined
      })
}

/** Takes back what `allowOperator` gave. */
export async function disallowOperator(access: ApiAccess, name: string): Promise<void> {
  await apiCall(access, 'DELETE', `${group}/clusterrolebindings/${name}`)
  await apiCall(access, 'DELETE', `${group}/clusterroles/${name}`)
}
