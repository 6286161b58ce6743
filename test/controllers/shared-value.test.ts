import { beforeEach, describe, expect, test } from '@jest/globals'
import { Application } from '../../operator/api/application.ts'
import { Environment } from '../../operator/api/environment.ts'
import { newObject } from '../../operator/api/kind.ts'
import { SharedValue } from '../../operator/api/shared-value.ts'
import { applicationController } from '../../operator/controllers/application.ts'
import { OngoingStarts } from '../../operator/controllers/shared/ongoing-starts.ts'
import { sharedValueController } from '../../operator/controllers/shared-value.ts'
import { createFakeCluster, type FakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../support/builders.ts'
import { createFakeSecrets, type FakeSecrets } from '../support/fake-secrets.ts'
import { silentContext } from './support/context.ts'
import { environment } from './support/webhooks.ts'

const fake = createFakeCluster()
let cluster: FakeCluster
let secrets: FakeSecrets
let controller: ReturnType<typeof sharedValueController>

beforeEach(() => {
  secrets = createFakeSecrets()
  fake.reset()
  cluster = { ...fake, client: secrets.client }
  controller = sharedValueController(cluster, new OngoingStarts())
  for (const name of ['shop', 'blog'])
    cluster.put(Application, storedObject(Application, { namespace: 'acme', name }, {}))
})

const context = silentContext()
const look = (value: SharedValue) => controller.reconcile(value, context)

function put(name: string, spec: Partial<SharedValue['spec']> = {}, secretNames?: string[]): SharedValue {
  const plain = spec.secret ? {} : { value: 'info' }
  const object = newObject(
    SharedValue,
    { namespace: 'acme', name, uid: name },
    { applicationName: 'shop', key: 'LOG_LEVEL', ...plain, ...spec },
  )
  return cluster.put(SharedValue, { ...object, ...(secretNames ? { status: { secretNames } } : {}) })
}

const secretOf = (secret: string, key = 'token') => ({ secret: { secret, key } })
const own = {
  ownerReferences: [{ apiVersion: 'quartermaster.dev/v1alpha1', kind: 'SharedValue', name: 'a', uid: 'a' }],
}

describe('a shared value', () => {
  test('that is plain is ready', async () => {
    expect(await look(put('a'))).toEqual({})
  })

  test('with an existing Secret is ready, and the earlier one is deleted', async () => {
    secrets.put('old', own)
    secrets.put('new', own)
    expect(await look(put('a', secretOf('new'), ['old']))).toEqual({ secretNames: ['new'] })
    expect(secrets.get('old')).toBeUndefined()
  })

  test.each([
    ['whose Secret is not there waits', 'gone', 'token', 'SecretNotFound'],
    ['whose Secret has no such key does not fit it', 'new', 'other', 'SecretKeyNotFound'],
  ])('%s, and keeps the one before it', async (_, secret, key, reason) => {
    secrets.put('old', own)
    secrets.put('new', own)
    await expect(look(put('a', secretOf(secret, key), ['old']))).rejects.toMatchObject({ reason })
    expect(secrets.get('old')?.metadata.deletionTimestamp).toBeUndefined()
  })

  test('for a key that an older one holds stalls and names it; the older one is ready', async () => {
    const older = put('b')
    const younger = put('a')
    expect(await look(older)).toEqual({})
    await expect(look(younger)).rejects.toMatchObject({
      reason: 'DuplicateValue',
      message: expect.stringContaining("'b'"),
    })
    cluster.drop(SharedValue, 'acme', 'b')
    expect(await look(younger)).toEqual({})
  })

  test('for the key in another place is no duplicate', async () => {
    cluster.put(Environment, environment({ name: 'shop.dev' }))
    put('b')
    put('c', { environmentId: 'live' })
    put('d', { applicationName: 'blog', environmentId: 'dev' })
    expect(await look(put('a', { environmentId: 'dev' }))).toEqual({})
  })
})

test('the start and the end of an environment enqueue its values alone', () => {
  put('a')
  put('b', { environmentId: 'dev' })
  put('c', { environmentId: 'live' })
  put('d', { applicationName: 'blog', environmentId: 'dev' })
  const keys: string[] = []
  for (const each of controller.watches ?? []) each.subscribe((some) => keys.push(...some))
  cluster.put(Environment, environment({ name: 'shop.dev' }))
  cluster.drop(Environment, 'acme', 'shop.dev')
  expect(keys).toEqual(['acme/b', 'acme/b'])
})

test('the values of an application go with it; those of others stay', async () => {
  put('a')
  put('b', { environmentId: 'dev' })
  put('c', { applicationName: 'blog' })
  const metadata = { namespace: 'acme', name: 'shop', deletionTimestamp: new Date().toISOString() }
  await applicationController(cluster).finalize?.(storedObject(Application, metadata, {}), silentContext())
  expect(cluster.store.list(SharedValue, 'acme').map(({ metadata: { name } }) => name)).toEqual(['c'])
})
