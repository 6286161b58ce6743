import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations, finalizer } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { resourceAccountController } from '../../../operator/controllers/resource-account.ts'
import { createOwnedSecrets, type OwnedSecrets } from '../../../operator/controllers/shared/owned-secrets.ts'
import {
  formerSecretAnnotation,
  pendingSecretAnnotation,
} from '../../../operator/domain/secret/pending-secrets.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'
import { createFakeSecrets, type FakeSecrets } from '../../support/fake-secrets.ts'
import { silentContext } from '../support/context.ts'

const fake = createFakeCluster()
let cluster: FakeCluster
let secrets: FakeSecrets
let controller: ReturnType<typeof resourceAccountController>
let serverNow: () => number

beforeEach(() => {
  secrets = createFakeSecrets()
  serverNow = Date.now
  fake.reset()
  cluster = { ...fake, client: secrets.client }
  controller = resourceAccountController(cluster, [], () => serverNow())
})

const uid = 'account-uid'
const own = {
  ownerReferences: [{ apiVersion: 'quartermaster.dev/v1alpha1', kind: 'ResourceAccount', name: 'cf', uid }],
}
const context = silentContext()
const namedBy = ({ spec }: ResourceAccount) => [spec.credentialsSecretName ?? '']

/** The account with this Secret, after a reconcile with these results. */
function account(
  credentialsSecretName?: string,
  secretNames?: string[],
  marks: Record<string, string> = {},
): ResourceAccount {
  const spec = { type: 'cloudflare', ...(credentialsSecretName ? { credentialsSecretName } : {}) }
  const metadata = { namespace: 'acme', name: 'cf', uid, annotations: marks }
  const object = newObject(ResourceAccount, metadata, spec)
  return cluster.put(ResourceAccount, { ...object, ...(secretNames ? { status: { secretNames } } : {}) })
}

const look = (object: ResourceAccount) => controller.reconcile(object, context)

function addUser(name: string): void {
  const made = activeResource({ type: 'dns', resourceId: 'main' })
  cluster.put(ActiveResource, { ...made, status: { secretNames: [name] } })
}

describe('an account', () => {
  test('that names no Secret is ready', async () => {
    expect(await look(account())).toEqual({})
  })

  test('with an existing Secret is ready', async () => {
    secrets.put('new', own)
    expect(await look(account('new'))).toEqual({ secretNames: ['new'] })
  })

  test('whose Secret is not there waits, and keeps the old one', async () => {
    secrets.put('old', own)
    await expect(look(account('new', ['old']))).rejects.toMatchObject({
      reason: 'SecretNotFound',
      retryAfterSeconds: expect.any(Number),
    })
    expect(secrets.get('old')?.metadata.deletionTimestamp).toBeUndefined()
  })
})

describe('a Secret that the spec names no more', () => {
  test.each<[rule: string, put: () => void, isGoing: boolean, secretNames: string[]]>([
    ['and that it owns is deleted', () => secrets.put('old', own), true, ['new']],
    ['and that is not its own stays', () => secrets.put('old'), false, ['new']],
    [
      'and that is of an earlier account of that name stays',
      () => secrets.put('old', { ownerReferences: [{ ...own.ownerReferences[0], uid: 'earlier' } as never] }),
      false,
      ['new'],
    ],
    ['and that is deleted is forgotten', () => {}, true, ['new']],
    [
      'and that a resource has a finalizer on is deleted when that is removed',
      () => {
        secrets.put('old', { ...own, finalizers: [finalizer] })
        addUser('old')
      },
      true,
      ['new'],
    ],
    [
      'and that a resource will need but does not hold yet stays for now',
      () => {
        secrets.put('old', own)
        addUser('old')
      },
      false,
      ['new', 'old'],
    ],
  ])('%s', async (_, put, isGoing, secretNames) => {
    put()
    secrets.put('new', own)
    expect(await look(account('new', ['old']))).toEqual({ secretNames })
    const old = secrets.get('old')
    expect(old === undefined || old.metadata.deletionTimestamp !== undefined).toBe(isGoing)
  })

  test('is also deleted after two changes before one reconcile', async () => {
    for (const name of ['first', 'second', 'third']) secrets.put(name, own)
    account('first')
    account('second')
    expect(await look(account('third', ['first']))).toEqual({ secretNames: ['third'] })
    expect([secrets.get('first'), secrets.get('second')]).toEqual([undefined, undefined])
  })

  test('stays when the spec names it again', async () => {
    for (const name of ['first', 'second']) secrets.put(name, own)
    account('first')
    account('second')
    expect(await look(account('first'))).toEqual({ secretNames: ['first'] })
    expect(secrets.get('first')).toBeDefined()
    expect(secrets.get('second')).toBeUndefined()
  })
})

describe('a Secret that is announced and not named', () => {
  const minuteMs = 60_000
  const announced = (minutesAgo: number) =>
    pendingSecretAnnotation('fresh-00000001', Date.now() - minutesAgo * minuteMs)
  let nowMs = 0
  let ownedSecrets: OwnedSecrets<typeof ResourceAccount>

  function start(): void {
    ownedSecrets = createOwnedSecrets(cluster, ResourceAccount, namedBy, { now: () => nowMs })
  }

  beforeEach(() => {
    secrets.put('used', own)
    secrets.put('fresh-00000001', own)
    start()
  })

  test.each([0, 60, -60])(
    'stays while the change may be in progress, with a clock that is %s minutes behind',
    async (minutesAgo) => {
      const owner = account('used', undefined, announced(minutesAgo))
      expect(await ownedSecrets.removeUnused(owner, context)).toEqual({
        secretNames: ['fresh-00000001', 'used'],
      })
      nowMs += 9 * minuteMs
      expect(await ownedSecrets.removeUnused(owner, context)).toEqual({
        secretNames: ['fresh-00000001', 'used'],
      })
      expect(secrets.get('fresh-00000001')).toBeDefined()
    },
  )

  test('is deleted when the change must be over, whose time begins again with the process', async () => {
    const owner = account('used', undefined, announced(0))
    await ownedSecrets.removeUnused(owner, context)
    nowMs += 9 * minuteMs
    start()
    await ownedSecrets.removeUnused(owner, context)
    nowMs += 9 * minuteMs
    await ownedSecrets.removeUnused(owner, context)
    expect(secrets.get('fresh-00000001')).toBeDefined()
    nowMs += 2 * minuteMs
    expect(await ownedSecrets.removeUnused(owner, context)).toEqual({ secretNames: ['used'] })
    expect(secrets.get('fresh-00000001')).toBeUndefined()
  })

  test('has its time again when a later change announces it', async () => {
    await ownedSecrets.removeUnused(account('used', undefined, announced(10)), context)
    nowMs += 11 * minuteMs
    const later = account('used', undefined, announced(0))
    expect(await ownedSecrets.removeUnused(later, context)).toEqual({
      secretNames: ['fresh-00000001', 'used'],
    })
  })

  test('is deleted at once when it is marked as former, which one that is named may be', async () => {
    const marks = { ...formerSecretAnnotation('used'), ...formerSecretAnnotation('fresh-00000001') }
    expect(await look(account('used', undefined, marks))).toEqual({ secretNames: ['used'] })
    expect([secrets.get('used') !== undefined, secrets.get('fresh-00000001')]).toEqual([true, undefined])
  })

  test('is deleted at once when the announcement is withdrawn', async () => {
    account('used', undefined, announced(1))
    expect(await look(account('used'))).toEqual({ secretNames: ['used'] })
    expect(secrets.get('fresh-00000001')).toBeUndefined()
  })

  test('stays when the change names it', async () => {
    account('used', undefined, announced(1))
    expect(await look(account('fresh-00000001'))).toEqual({ secretNames: ['fresh-00000001'] })
    expect(secrets.get('used')).toBeUndefined()
  })

  test('of another owner stays in spite of an announcement', async () => {
    secrets.put('fresh-00000001')
    await look(account('used', undefined, announced(60)))
    expect(secrets.get('fresh-00000001')).toBeDefined()
  })
})

describe('an account that is there to be tried', () => {
  const until = (ms: number) => ({ [annotations.trialUntil]: new Date(Date.now() + ms).toISOString() })
  const current = () => cluster.store.get(ResourceAccount, 'acme', 'cf')

  test.each<[rule: string, marks: Record<string, string>, isThere: boolean]>([
    ['is deleted when its time is over', until(-1), false],
    ['stays until then', until(60_000), true],
    ['stays when its time is no time', { [annotations.trialUntil]: 'later' }, true],
  ])('%s', async (_, marks, isThere) => {
    await look(account(undefined, undefined, marks))
    expect(current() !== undefined).toBe(isThere)
  })

  test.each([
    [-60, -1000, false],
    [-60, 60_000, true],
    [60, -1000, false],
    [60, 60_000, true],
  ])(
    'with a clock that is %s minutes ahead and %s milliseconds left, stays: %s',
    async (minutes, leftMs, isThere) => {
      serverNow = () => Date.now() - minutes * 60_000
      await look(account(undefined, undefined, until(leftMs - minutes * 60_000)))
      expect(current() !== undefined).toBe(isThere)
    },
  )

  test('is reconciled again when its time is over', async () => {
    const now = Date.now()
    serverNow = () => now
    const enqueued = new Promise((resolve) => {
      for (const each of controller.watches ?? []) each.subscribe(resolve)
    })
    await look(account(undefined, undefined, until(20)))
    const keepAlive = setTimeout(() => {}, 5000)
    expect(await enqueued).toEqual(['acme/cf'])
    clearTimeout(keepAlive)
  })
})
