import { type ApiAccess, apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'

/** The persons of the ready-made roles of the chart. */
export const persons = ['platform-engineer', 'developer', 'auditor'] as const
export type Person = (typeof persons)[number]

/** The API server as a person sees it who has the ready-made role in this namespace, and no other rights. */
export async function accessOf(access: ApiAccess, person: Person, namespace: string): Promise<ApiAccess> {
  const inside = `/api/v1/namespaces/${namespace}/serviceaccounts`
  await apiCall(access, 'POST', inside, { metadata: { name: person } })
  await apiCall(access, 'POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: person },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: `quartermaster-${person}`,
    },
    subjects: [{ kind: 'ServiceAccount', name: person, namespace }],
  })
  const { status } = await apiCall<{ status: { token: string } }>(
    access,
    'POST',
    `${inside}/${person}/token`,
    { spec: { expirationSeconds: 3600 } },
  )
  const as = { ...access, adminToken: status.token }
  // The API server applies a new binding a moment later.
  await eventually(`the rights of the ${person}`, 30_000, async () =>
    (await isAllowed(as, namespace, 'list', 'applications')) ? true : undefined,
  )
  return as
}

/** Whether the user of this access may do that in the namespace; `resource` of our group, or of the core group as `core/x`. */
export async function isAllowed(
  as: ApiAccess,
  namespace: string,
  verb: string,
  resource: string,
): Promise<boolean> {
  const isCore = resource.startsWith('core/')
  const [plural, subresource] = (isCore ? resource.slice('core/'.length) : resource).split('/')
  const review = await apiCall<{ status: { allowed: boolean } }>(
    as,
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      spec: {
        resourceAttributes: {
          namespace,
          verb,
          group: isCore ? '' : 'quartermaster.dev',
          resource: plural,
          subresource,
        },
      },
    },
  )
  return review.status.allowed
}
