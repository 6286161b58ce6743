import { describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { Membership } from '../../../operator/api/access.ts'
import { makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()

async function administrators(organization: Organization): Promise<string[]> {
  const memberships = await organization.list<Membership>('memberships')
  return memberships.filter(({ spec }) => spec.role === 'administrator').map(({ metadata }) => metadata.name)
}

describe('an organization keeps an administrator', () => {
  test.each([
    ['lowered', 'PATCH', { role: 'member' }],
    ['removed', 'DELETE', undefined],
  ])('with any write in between when members are %s', async (_, method, body) => {
    const organization = await makeTestOrganization(cluster, 'last')
    const appoint = (name: string, role: string) =>
      organization.apply('memberships', 'Membership', name, { role })
    await appoint('admin', 'administrator')
    for (let round = 0; round < 8; round++) {
      const { id } = await eventually('the role of the administrator', 30_000, async () => {
        const answer = await organization.rest('POST', '/users', { name: `u${round}`, role: 'manager' })
        return answer.status === 200 ? answer.body : undefined
      })
      const answers = await Promise.all([
        organization.rest(method, `/users/${id}`, body),
        organization.rest('PATCH', `/users/${id}`, { role: 'administrator' }),
        organization.rest(method, `/users/${id}`, body),
        organization.rest('PATCH', '/users/admin', { role: 'member' }),
      ])
      for (const { status } of answers) expect([200, 204, 403, 404, 409]).toContain(status)
      expect(await administrators(organization)).not.toEqual([])
      await appoint('admin', 'administrator')
    }
  })
})
