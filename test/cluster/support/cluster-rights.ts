import { type ApiAccess, apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'

const group = '/apis/rbac.authorization.k8s.io/v1'
/** Verbs that the operator uses on the objects of resources. */
export const everyVerb = ['get', 'list', 'watch', 'create', 'patch', 'delete']

/** Lets the operator apply objects of more kinds, as a cluster administrator does; `name` is of the caller's own. */
export async function allowOperator(
  access: ApiAccess,
  name: string,
  kinds: readonly {
    readonly group: string
    readonly resources: readonly string[]
    readonly verbs?: readonly string[]
  }[],
): Promise<void> {
  const rules = kinds.map((each) => ({
    apiGroups: [each.group],
    resources: each.resources,
    verbs: each.verbs ?? everyVerb,
  }))
  await apiCall(access, 'POST', `${group}/clusterroles`, { metadata: { name }, rules })
  await apiCall(access, 'POST', `${group}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: 'quartermaster-operator', namespace: 'quartermaster-system' }],
  })
  // The API server applies its own roles a moment later.
  for (const { group: inGroup, resources, verbs: [verb = ''] = everyVerb } of kinds)
    for (const resource of resources)
      await eventually(`the right to '${resource}'`, 30_000, async () =>
        (await mayOperator(access, { group: inGroup, resource, verb })) ? true : undefined,
      )
}

/** Whether the API server lets the operator do that in any namespace. */
async function mayOperator(access: ApiAccess, resourceAttributes: object): Promise<boolean> {
  const user = 'system:serviceaccount:quartermaster-system:quartermaster-operator'
  const review = { spec: { user, resourceAttributes: { ...resourceAttributes, namespace: 'any' } } }
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  return (await apiCall<{ status: { allowed: boolean } }>(access, 'POST', path, review)).status.allowed
}

/** Revokes the rights of `allowOperator`. */
export async function disallowOperator(access: ApiAccess, name: string): Promise<void> {
  await apiCall(access, 'DELETE', `${group}/clusterrolebindings/${name}`)
  await apiCall(access, 'DELETE', `${group}/clusterroles/${name}`)
}
