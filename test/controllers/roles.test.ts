import { beforeEach, expect, test } from '@jest/globals'
import { Membership } from '../../operator/api/access.ts'
import { Application } from '../../operator/api/application.ts'
import { EnvironmentType } from '../../operator/api/environment-type.ts'
import { applicationController } from '../../operator/controllers/application.ts'
import { environmentTypeController } from '../../operator/controllers/environment-type.ts'
import type { Store } from '../../operator/kube/cache/store.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../support/builders.ts'
import { silentContext } from './support/context.ts'

const cluster = createFakeCluster()
const going = { namespace: 'acme', deletionTimestamp: '2026-01-01T00:00:00Z' }
const roles: Membership['spec'] = {
  role: 'member',
  applications: [
    { applicationName: 'shop', role: 'owner' },
    { applicationName: 'blog', role: 'viewer' },
  ],
  environmentTypes: [
    { environmentTypeName: 'qa', role: 'deployer' },
    { environmentTypeName: 'production', role: 'deployer' },
  ],
}

beforeEach(() => {
  cluster.reset()
  for (const namespace of ['acme', 'other'])
    cluster.put(Membership, storedObject(Membership, { namespace, name: 'ana' }, roles))
})

const rolesIn = (organization: string) => cluster.store.get(Membership, organization, 'ana')?.spec

test('an application that is deleted takes the roles on it along, and no other', async () => {
  const application = cluster.put(Application, storedObject(Application, { ...going, name: 'shop' }, {}))
  await applicationController(cluster).finalize?.(application, silentContext())
  expect(rolesIn('acme')).toEqual({ ...roles, applications: [{ applicationName: 'blog', role: 'viewer' }] })
  expect(rolesIn('other')).toEqual(roles)
})

test('a role that the cache does not contain yet is withdrawn too', async () => {
  const application = cluster.put(Application, storedObject(Application, { ...going, name: 'shop' }, {}))
  const earlier = storedObject(Membership, { namespace: 'acme', name: 'ana' }, { role: 'member' })
  const list: Store['list'] = (kind, organization) =>
    kind.kind === 'Membership' ? [earlier as never] : cluster.store.list(kind, organization)
  const lagging = { ...cluster, store: { ...cluster.store, list } }
  await applicationController(lagging).finalize?.(application, silentContext())
  expect(rolesIn('acme')).toEqual({ ...roles, applications: [{ applicationName: 'blog', role: 'viewer' }] })
})

test('an environment type that is deleted takes the roles on it along, and no other', async () => {
  const type = cluster.put(EnvironmentType, storedObject(EnvironmentType, { ...going, name: 'qa' }, {}))
  await environmentTypeController(cluster).finalize?.(type, silentContext())
  const remaining = [{ environmentTypeName: 'production', role: 'deployer' }]
  expect(rolesIn('acme')).toEqual({ ...roles, environmentTypes: remaining })
  expect(rolesIn('other')).toEqual(roles)
})

test.each([
  ['gone', false],
  ['gone, and created again', true],
])('a role stays when the application is %s, which the cache does not know yet', async (_, isAgain) => {
  const application = storedObject(Application, { ...going, name: 'shop', uid: 'earlier' }, {})
  if (isAgain)
    cluster.put(Application, storedObject(Application, { namespace: 'acme', name: 'shop', uid: 'later' }, {}))
  await expect(applicationController(cluster).finalize?.(application, silentContext())).rejects.toMatchObject(
    { reason: 'Conflict' },
  )
  expect(rolesIn('acme')).toEqual(roles)
})
