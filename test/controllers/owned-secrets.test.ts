import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { newObject } from '../../operator/api/kind.ts'
import { finalizer } from '../../operator/api/names.ts'
import { ResourceAccount } from '../../operator/api/resource-account.ts'
import { resourceAccountController } from '../../operator/controllers/resource-account.ts'
import { createFakeCluster, type FakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../support/builders.ts'
import { createFakeSecrets, type FakeSecrets } from '../support/fake-secrets.ts'
import { silentTurn } from './support/turn.ts'

const fake = createFakeCluster()
let cluster: FakeCluster
let secrets: FakeSecrets
let controller: ReturnType<typeof resourceAccountController>

beforeEach(() => {
  secrets = createFakeSecrets()
  fake.reset()
  cluster = { ...fake, client: secrets.client }
  controller = resourceAccountController(cluster, [])
})

const uid = 'account-uid'
const own = {
  ownerReferences: [{ apiVersion: 'quartermaster.dev/v1alpha1', kind: 'ResourceAccount', name: 'cf', uid }],
}
const turn = silentTurn()

/** The account with this Secret, after a look that came to these. */
function account(credentialsSecretName?: string, secretNames?: string[]): ResourceAccount {
  const spec = { type: 'cloudflare', ...(credentialsSecretName ? { credentialsSecretName } : {}) }
  const object = newObject(ResourceAccount, { namespace: 'acme', name: 'cf', uid }, spec)
  return cluster.put(ResourceAccount, { ...object, ...(secretNames ? { status: { secretNames } } : {}) })
}

const look = (object: ResourceAccount) => controller.reconcile(object, turn)

function addUser(name: string): void {
  const made = activeResource({ type: 'dns', resourceId: 'main' })
  cluster.put(ActiveResource, { ...made, status: { secretNames: [name] } })
}

describe('an account', () => {
  test('that names no Secret is ready', async () => {
    expect(await look(account())).toEqual({})
  })

  test('whose Secret is there is ready', async () => {
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
    ['and that is its own goes', () => secrets.put('old', own), true, ['new']],
    ['and that is not its own stays', () => secrets.put('old'), false, ['new']],
    [
      'and that is of an earlier account of that name stays',
      () => secrets.put('old', { ownerReferences: [{ ...own.ownerReferences[0], uid: 'earlier' } as never] }),
      false,
      ['new'],
    ],
    ['and that is gone is forgotten', () => {}, true, ['new']],
    [
      'and that a resource holds goes when that lets go',
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

  test('goes too when two changes came faster than one look', async () => {
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
