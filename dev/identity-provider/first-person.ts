import type { ApiAccess } from '../control-plane/kubernetes.ts'
import { apiCall } from '../control-plane/kubernetes.ts'

const api = '/apis/quartermaster.dev/v1alpha1/namespaces'
const name = 'ada'

/** Makes the human whom the identity provider knows as `ada`, and makes her administrator of organizations that have one. */
export async function makeAda(access: ApiAccess, organizations: readonly string[]): Promise<void> {
  const apply = (kind: string, path: string, spec: object) =>
    apiCall(
      access,
      'PATCH',
      `${api}/${path}/${name}?fieldManager=development&force=true`,
      { apiVersion: 'quartermaster.dev/v1alpha1', kind, metadata: { name }, spec },
      'application/apply-patch+yaml',
    )
  const user = { type: 'human', displayName: 'Ada', email: 'ada@example.test' }
  await Promise.all([
    apply('User', 'quartermaster-system/users', user),
    ...organizations.map((organization) =>
      apply('Membership', `${organization}/memberships`, { role: 'administrator' }),
    ),
  ])
}
