import { beforeEach, expect, test } from '@jest/globals'
import { Membership } from '../../operator/api/access.ts'
import { Application } from '../../operator/api/application.ts'
import { EnvironmentType } from '../../operator/api/environment-type.ts'
import { applicationController } from '../../operator/controllers/application.ts'
import { environmentTypeController } from '../../operator/controllers/environment-type.ts'
import type { Store } from '../../operator/kube/cache/store.ts'
import { ApiError, NoAnswer } from '../../operator/kube/client/api-error.ts'
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

test('applications that are deleted at once take their roles along in one write to each membership', async () => {
  const applications = ['shop', 'blog'].map((name) =>
    cluster.put(Application, storedObject(Application, { ...going, name, uid: name }, {})),
  )
  let [reads, writes] = [0, 0]
  const { finalize } = applicationController({
    ...cluster,
    readAll: (...given) => {
      reads += 1
      return cluster.readAll(...given)
    },
    patch: (...given) => {
      writes += 1
      return cluster.patch(...given)
    },
  })
  await Promise.all(applications.map(async (each) => finalize?.(each, silentContext())))
  expect(rolesIn('acme')).toEqual({ ...roles, applications: [] })
  expect({ reads, writes }).toEqual({ reads: 1, writes: 1 })
})

test('an application that is gone keeps no other from losing its roles', async () => {
  const gone = storedObject(Application, { ...going, name: 'blog', uid: 'blog' }, {})
  const application = cluster.put(
    Application,
    storedObject(Application, { ...going, name: 'shop', uid: 'shop' }, {}),
  )
  const { finalize } = applicationController(cluster)
  const ends = await Promise.allSettled(
    [gone, application].map(async (each) => finalize?.(each, silentContext())),
  )
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(rolesIn('acme')?.applications).toEqual([{ applicationName: 'blog', role: 'viewer' }])
})

test('a role stays, and the deletion waits, when the answer about the application is lost', async () => {
  const application = cluster.put(Application, storedObject(Application, { ...going, name: 'shop' }, {}))
  let failures = 1
  const { finalize } = applicationController({
    ...cluster,
    async read(...given) {
      if (failures-- > 0) throw new NoAnswer('reset')
      return cluster.read(...given)
    },
  })
  await expect(finalize?.(application, silentContext())).rejects.toThrow('reset')
  expect(rolesIn('acme')).toEqual(roles)
  await finalize?.(application, silentContext())
  expect(rolesIn('acme')?.applications).toEqual([{ applicationName: 'blog', role: 'viewer' }])
})

test('a membership that cannot be written holds up only those with a role in it', async () => {
  const names = ['shop', 'blog', 'wiki', 'docs']
  const applications = names.map((name) =>
    cluster.put(Application, storedObject(Application, { ...going, name, uid: name }, {})),
  )
  const onWiki: Membership['spec'] = {
    role: 'member',
    applications: [{ applicationName: 'wiki', role: 'owner' }],
  }
  cluster.put(Membership, storedObject(Membership, { namespace: 'acme', name: 'zoe' }, onWiki))
  let isRefused = true
  let reads = 0
  const { finalize } = applicationController({
    ...cluster,
    readAll: (...given) => {
      reads += 1
      return cluster.readAll(...given)
    },
    async patch(...given) {
      if (isRefused && given[1].metadata.name === 'ana') throw new ApiError(403, 'Forbidden', 'refused')
      return cluster.patch(...given)
    },
  })
  const end = async () => {
    const ends = await Promise.allSettled(applications.map(async (each) => finalize?.(each, silentContext())))
    return ends.map(({ status }) => status)
  }
  expect(await end()).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
  expect(reads).toBe(1)
  expect(cluster.store.get(Membership, 'acme', 'zoe')?.spec.applications).toEqual([])
  expect(rolesIn('acme')).toEqual(roles)
  isRefused = false
  expect(await end()).toEqual(names.map(() => 'fulfilled'))
  expect(rolesIn('acme')?.applications).toEqual([])
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
