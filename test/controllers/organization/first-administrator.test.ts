import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { Membership } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { startOrganizations } from '../../../operator/controllers/organization/first-administrator.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'

const cluster = createFakeCluster()

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization('acme')
})

describe('an organization has an administrator', () => {
  type Role = Membership['spec']['role']
  function put(name: string, role: Role) {
    const known = cluster.store.get(Membership, 'acme', name)
    const object = newObject(Membership, { ...known?.metadata, namespace: 'acme', name }, { role })
    cluster.put(Membership, object)
  }
  const remove = () => cluster.drop(Membership, 'acme', 'ana')
  const administrators = () =>
    cluster.store
      .list(Membership, 'acme')
      .filter(({ spec }) => spec.role === 'administrator')
      .map(({ metadata }) => metadata.name)

  test.each<[change: string, admin: Role | undefined, act: () => void, expected: string[]]>([
    ['its last administrator is deleted', undefined, remove, ['admin']],
    ['its last administrator is deleted and `admin` is a member', 'member', remove, ['admin']],
    ['its last administrator is demoted', undefined, () => put('ana', 'member'), ['admin']],
    [
      'its last administrator is demoted for a moment only',
      undefined,
      () => {
        put('ana', 'member')
        put('ana', 'administrator')
      },
      ['ana'],
    ],
  ])('after %s', async (_, admin, act, expected) => {
    put('ana', 'administrator')
    if (admin) put('admin', admin)
    const organizations = startOrganizations(cluster, { log: silentLog, isActive: () => true, pauseMs: 10 })
    await sleep(30)
    expect(administrators()).toEqual(['ana'])
    act()
    await sleep(60)
    await organizations.stop()
    expect(administrators()).toEqual(expected)
  })
})
