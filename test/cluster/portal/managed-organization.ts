import { createHash, randomBytes } from 'node:crypto'
import type { Membership } from '../../../operator/api/access.ts'
import { eventually, makeTestOrganization, moduleWith, type Organization } from '../support/client.ts'
import type { SharedCluster } from '../support/shared-cluster.ts'

/** An organization with an environment whose workload has a bucket of the static definition `any-bucket`. */
export async function makeManagedOrganization(cluster: SharedCluster, prefix: string): Promise<Organization> {
  const organization = await makeTestOrganization(cluster, prefix)
  await organization.application('shop')
  await organization.environment('shop', 'staging')
  await organization.define('any-bucket', {
    driverType: 'quartermaster/echo',
    type: 's3',
    driverInputs: { values: { bucket: 'plain', region: 'eu' } },
    criteria: [{}],
  })
  await organization.deploy('shop.staging', { modules: { web: moduleWith({ files: { type: 's3' } }) } })
  await organization.untilRest('/apps/shop/envs/staging/resources', (list) => list.length >= 1)
  return organization
}

const system = '/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-system'

/** Creates a human with roles in the organization, and returns an API token. */
export async function tokenOf(
  cluster: SharedCluster,
  organization: Organization,
  roles: Membership['spec'],
): Promise<string> {
  const id = `${organization.id}-${randomBytes(4).toString('hex')}`
  const token = `qm_${id}_${randomBytes(32).toString('hex')}`
  const sha256 = createHash('sha256').update(token).digest('hex')
  const create = (plural: string, kind: string, spec: object) =>
    organization.kube('POST', `${system}/${plural}`, {
      apiVersion: 'quartermaster.dev/v1alpha1',
      kind,
      metadata: { name: id },
      spec,
    })
  await create('users', 'User', { type: 'human' })
  await organization.apply('memberships', 'Membership', id, roles)
  await create('accesstokens', 'AccessToken', { userName: id, sha256 })
  await eventually('the token', 30_000, async () => {
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await fetch(`${cluster.gatewayUrl}/orgs/${organization.id}`, { headers })
    return status === 200 || undefined
  })
  return token
}
