import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { AccessToken, Membership, User } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import {
  ensureAdmin,
  startOrganizations,
} from '../../../operator/controllers/organization/first-administrator.ts'
import { openInstallation } from '../../../operator/controllers/shared/installation-key.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
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

describe('the first administrator', () => {
  /** Whether the key of the installation exists. */
  let isInstalled: boolean

  beforeEach(() => {
    isInstalled = false
  })

  /** The fake cluster with a client that reads the two Secrets, and creates that of the key. */
  const withSecrets = {
    ...cluster,
    client: {
      async request(method: string, path: string) {
        if (method === 'POST') return void (isInstalled = true)
        if (path.endsWith('/quartermaster-installation') && isInstalled) return { data: { key: 'a2V5' } }
        const secret = cluster.secrets.find(({ metadata }) => path.endsWith(`/${metadata.name}`))
        if (!secret) throw new ApiError(404, 'NotFound', 'not found')
        const texts = secret['stringData'] as Record<string, string> // a Secret
        const encode = (text: string) => Buffer.from(text).toString('base64')
        const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encode(text)]))
        return { ...secret, data }
      },
    },
  } as unknown as Cluster // nothing else of the client is used
  const start = () => openInstallation(withSecrets.client, (first) => ensureAdmin(withSecrets, first))
  const users = () => cluster.store.list(User, systemNamespace).map(({ metadata }) => metadata.name)
  const tokens = () => cluster.store.list(AccessToken, systemNamespace)
  const addHuman = (name: string) =>
    cluster.put(User, newObject(User, { namespace: systemNamespace, name }, { type: 'human' }))

  function expectComplete(): void {
    const [secret] = cluster.secrets
    const { token = '', user } = (secret?.['stringData'] ?? {}) as Record<string, string> // a Secret
    expect([cluster.secrets.length, user, users()]).toEqual([1, 'admin', ['admin']])
    expect(tokens()).toMatchObject([{ spec: { userName: 'admin', sha256: hash('sha256', token) } }])
    expect(token).toMatch(new RegExp(`^qm_${tokens()[0]?.metadata.name}_`))
  }

  test('is created by the first start, and not changed by the next', async () => {
    await start()
    expectComplete()
    const { writes } = cluster
    const known = [...writes]
    await start()
    expect(writes).toEqual(known)
  })

  test.each(['create Secret', 'create AccessToken', 'create User'])(
    'is completed by the next start after one that ends before: %s',
    async (write) => {
      cluster.failNext(write, new Error('reset'))
      await expect(start()).rejects.toThrow('reset')
      await start()
      expectComplete()
    },
  )

  test.each<[what: string, remove: () => void, remaining: string[]]>([
    [
      'with its token and Secret, once there is another human user',
      () => {
        addHuman('ana')
        cluster.drop(User, systemNamespace, 'admin')
        cluster.secrets.length = 0
      },
      ['ana'],
    ],
    [
      'without its Secret, once there is another human user',
      () => {
        addHuman('ana')
        cluster.drop(User, systemNamespace, 'admin')
      },
      ['ana'],
    ],
    ['apart from its user', () => void (cluster.secrets.length = 0), ['admin']],
    ['apart from its user and Secret', () => {}, ['admin']],
  ])('does not return after it is deleted %s', async (_, remove, remaining) => {
    await start()
    for (const { metadata } of tokens()) cluster.drop(AccessToken, systemNamespace, metadata.name)
    remove()
    await start()
    expect([users(), tokens()]).toEqual([remaining, []])
  })

  test.each(['create Secret', 'create AccessToken', 'create User'])(
    'is completed by the next start beside users of manifests, after one that ends before: %s',
    async (write) => {
      addHuman('ana')
      cluster.failNext(write, new Error('reset'))
      await expect(start()).rejects.toThrow('reset')
      await start()
      expect([users().toSorted(), tokens().length, cluster.secrets.length]).toEqual([['admin', 'ana'], 1, 1])
    },
  )

  test('is created by the first start beside users of manifests, and not again later', async () => {
    addHuman('ana')
    await start()
    expect([users().toSorted(), tokens().length, cluster.secrets.length]).toEqual([['admin', 'ana'], 1, 1])
    cluster.drop(User, systemNamespace, 'admin')
    await start()
    expect(users()).toEqual(['ana'])
  })

  test('is not created later where a human user exists, but where only service users do', async () => {
    isInstalled = true
    const robot = { type: 'service', organizationName: 'acme' } as const
    cluster.put(User, newObject(User, { namespace: systemNamespace, name: 'robot' }, robot))
    await start()
    expect(users().toSorted()).toEqual(['admin', 'robot'])
    cluster.reset()
    addHuman('ana')
    await start()
    expect([users(), tokens(), cluster.secrets]).toEqual([['ana'], [], []])
  })
})
