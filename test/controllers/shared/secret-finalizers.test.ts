import { beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import {
  createSecretFinalizers,
  type SecretFinalizers,
} from '../../../operator/controllers/shared/secret-finalizers.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'
import { createFakeSecrets, type FakeSecrets } from '../../support/fake-secrets.ts'
import { readsOf } from '../support/reads.ts'

const fake = createFakeCluster()
/** The cache is never behind. */
const awaitResources = async () => {}
let cluster: FakeCluster
let secrets: FakeSecrets
let holds: SecretFinalizers

beforeEach(() => {
  secrets = createFakeSecrets()
  fake.reset()
  cluster = { ...fake, client: secrets.client }
  holds = createSecretFinalizers(cluster, { awaitResources, retryMs: 1 })
})

/** A resource that needs these by its spec, and these by its status. */
function resource(id: string, named: readonly string[] = [], known: readonly string[] = []): ActiveResource {
  const secretRefs = { list: named.map((secret) => ({ deep: { secret, key: 'x' } })) }
  const made = activeResource(
    { type: 's3', resourceId: id },
    {
      definition: {
        definitionName: 's3',
        driverType: 'x/y',
        accountName: 'main',
        driverInputs: { secretRefs },
      },
    },
  )
  return cluster.put(ActiveResource, { ...made, status: { secretNames: [...known] } })
}

/** A resource that needs this one for a shared value. */
function withSecretValue(id: string, secret: string): ActiveResource {
  const { spec, ...rest } = resource(id)
  return cluster.put(ActiveResource, {
    ...rest,
    spec: { ...spec, values: { KEY: { secret: { secret, key: 'x' } } } },
  })
}

function writeStatus({ metadata: { name } }: ActiveResource, known: readonly string[]): void {
  cluster.setStatus(ActiveResource, 'acme', name, { secretNames: [...known] })
}

function drop({ metadata: { name } }: ActiveResource): void {
  cluster.drop(ActiveResource, 'acme', name)
}

describe('a Secret of a resource of a former leader, which the cache learns late', () => {
  /** The next leader, whose cache shows what happened when it has waited for it. */
  const lead = (happened: () => void) => {
    let waits = 0
    holds = createSecretFinalizers(cluster, {
      retryMs: 1,
      awaitResources: async () => {
        waits += 1
        if (waits === 1) throw new ApiError(503, 'ServiceUnavailable', 'not now')
        happened()
      },
    })
    return () => waits
  }

  test('is released if that resource has ended', async () => {
    secrets.put('a', { finalizers: [finalizer] })
    const [one, two] = [resource('one', [], ['a']), resource('two', [], ['a'])]
    const waits = lead(() => drop(two))
    await expect(holds.removeFinalizers(one, ['a'])).rejects.toThrow('not now')
    await holds.removeFinalizers(one, ['a'])
    expect([secrets.isHeld('a'), waits()]).toEqual([false, 2])
  })

  test('is kept if that resource is new, and it waits for the cache once', async () => {
    secrets.put('a', { finalizers: [finalizer] })
    const [one, other] = [resource('one', [], ['a']), resource('other', [], ['a'])]
    const waits = lead(() => void resource('two', [], ['a']))
    await expect(holds.removeFinalizers(one, ['a'])).rejects.toThrow('not now')
    await holds.removeFinalizers(one, ['a'])
    await holds.removeFinalizers(other, ['a'])
    expect([secrets.isHeld('a'), waits()]).toEqual([true, 2])
  })
})

describe('a Secret that is held', () => {
  test('gets one finalizer, for any number of users and calls', async () => {
    secrets.put('a')
    const [one, two] = [resource('one'), resource('two')]
    await Promise.all([holds.addFinalizers(one, ['a']), holds.addFinalizers(two, ['a'])])
    await holds.addFinalizers(one, ['a'])
    expect(secrets.isHeld('a')).toBe(true)
    expect(secrets.requests).toEqual(['GET a', 'PATCH a'])
  })

  test('is announced once before the first change, and not when all have the finalizer', async () => {
    for (const name of ['a', 'b']) secrets.put(name)
    const announced: string[][] = []
    const announce = async () => {
      announced.push(secrets.requests.filter((each) => each.startsWith('PATCH')))
    }
    await holds.addFinalizers(resource('one'), ['a', 'b', 'missing'], announce)
    await createSecretFinalizers(cluster, { awaitResources }).addFinalizers(
      resource('two'),
      ['a', 'b'],
      announce,
    )
    expect(announced).toEqual([[]])
  })

  test('keeps the finalizers of others', async () => {
    secrets.put('a', { finalizers: ['example.com/other'] })
    const one = resource('one')
    await holds.addFinalizers(one, ['a'])
    expect(secrets.get('a')?.metadata.finalizers).toHaveLength(2)
    await holds.removeFinalizers(one, ['a'])
    expect(secrets.get('a')?.metadata.finalizers).toEqual(['example.com/other'])
  })

  test('stays readable when it is deleted, and is removed when its finalizer is', async () => {
    secrets.put('a')
    const one = resource('one')
    await holds.addFinalizers(one, ['a'])
    secrets.delete('a')
    expect(secrets.get('a')).toBeDefined()
    await holds.removeFinalizers(one, ['a'])
    expect(secrets.get('a')).toBeUndefined()
  })

  test('that was created again after its release gets the finalizer again', async () => {
    secrets.put('a')
    const one = resource('one')
    await holds.addFinalizers(one, ['a'])
    secrets.delete('a')
    await holds.removeFinalizers(one, ['a'])
    secrets.put('a')
    await holds.addFinalizers(one, ['a'])
    expect(secrets.isHeld('a')).toBe(true)
  })

  test('is checked again after a while: a finalizer that another client removed is restored', async () => {
    holds = createSecretFinalizers(cluster, { awaitResources, trustMs: 0 })
    secrets.put('a')
    const one = resource('one')
    await holds.addFinalizers(one, ['a'])
    secrets.put('a')
    await holds.addFinalizers(one, ['a'])
    expect(secrets.isHeld('a')).toBe(true)
  })

  test('and that another client changes at the same moment gets the finalizer nevertheless', async () => {
    secrets.put('a')
    let races = 3
    secrets.before = (request) => {
      if (request.startsWith('PATCH') && races-- > 0) secrets.put('a')
    }
    expect(await holds.addFinalizers(resource('one'), ['a'])).toEqual([])
    expect(secrets.isHeld('a')).toBe(true)
  })

  test('is named when another client deletes it at the same moment', async () => {
    secrets.put('a')
    secrets.before = (request) => {
      if (request.startsWith('PATCH')) secrets.delete('a')
    }
    expect(await holds.addFinalizers(resource('one'), ['a'])).toEqual(['a'])
  })
})

test.each<[rule: string, put: () => void]>([
  ['a missing Secret', () => {}],
  [
    'one that is being deleted',
    () => {
      secrets.put('a', { finalizers: ['example.com/other'] })
      secrets.delete('a')
    },
  ],
])('%s is nothing to hold, and nothing to release', async (_, put) => {
  put()
  const one = resource('one')
  expect(await holds.addFinalizers(one, ['a', '', '../b'])).toEqual(['a', '', '../b'])
  await holds.removeFinalizers(one, ['a', '', '../b'])
  expect(secrets.requests).toEqual(['GET a', 'GET a'])
})

test('a policy that refuses the finalizer is named without its words, which may quote the Secret', async () => {
  secrets.put('a')
  const { client } = secrets
  const request: typeof client.request = async (method, ...rest) => {
    if (method !== 'PATCH') return client.request(method, ...rest)
    const words =
      "ValidatingAdmissionPolicy 'owners' with binding 'owners' denied request: 'canary' has no owner"
    throw new ApiError(422, 'Invalid', words)
  }
  holds = createSecretFinalizers({ ...cluster, client: { ...client, request } }, { awaitResources })
  await expect(holds.addFinalizers(resource('one'), ['a'])).rejects.toMatchObject({
    reason: 'Rejected',
    message: "the cluster refuses to change 'Secret' 'acme/a': ValidatingAdmissionPolicy 'owners' denies it",
  })
})

describe('the last user of a Secret removes the finalizer', () => {
  beforeEach(async () => {
    secrets.put('a')
    await holds.addFinalizers(resource('one', [], ['a']), ['a'])
  })

  test.each<[rule: string, other: () => unknown, stays: boolean]>([
    ['no other user', () => {}, false],
    ['one whose spec names it', () => resource('two', ['a']), true],
    ['one whose status names it', () => resource('two', [], ['a']), true],
    ['one whose shared values name it', () => withSecretValue('two', 'a'), true],
    [
      'one that holds it and has said so nowhere yet',
      () => holds.addFinalizers(resource('two'), ['a']),
      true,
    ],
    ['one that needs another', () => resource('two', ['b'], ['c']), false],
  ])('%s', async (_, other, stays) => {
    await other()
    await holds.removeFinalizers(resource('one', [], ['a']), ['a'])
    expect(secrets.isHeld('a')).toBe(stays)
  })

  test('two that release at the same moment do not leave it to each other', async () => {
    const [one, two] = [resource('one', ['a'], ['a']), resource('two', ['a'], ['a'])]
    await Promise.all([holds.removeFinalizers(one, ['a']), holds.removeFinalizers(two, ['a'])])
    expect(secrets.isHeld('a')).toBe(false)
  })

  test('a user that arrives during the removal gets the finalizer restored', async () => {
    const [one, two] = [resource('one', [], ['a']), resource('two')]
    await Promise.all([holds.removeFinalizers(one, ['a']), holds.addFinalizers(two, ['a'])])
    expect(secrets.isHeld('a')).toBe(true)
  })

  test('a release that fails is done when it is repeated', async () => {
    const one = resource('one', ['a'], ['a'])
    secrets.before = () => {
      throw new Error('reset')
    }
    await expect(holds.removeFinalizers(one, ['a'])).rejects.toThrow('reset')
    secrets.before = () => {}
    await holds.removeFinalizers(one, ['a'])
    expect(secrets.isHeld('a')).toBe(false)
  })
})

describe('an unused Secret loses the finalizer without a release', () => {
  test.each<[rule: string, named: string[], known: string[], act: (one: ActiveResource) => unknown]>([
    ['the resource is deleted, its spec named it', ['a'], [], drop],
    ['the resource is deleted, its status named it', [], ['a'], drop],
    ['the resource is deleted, it had not named it yet', [], [], drop],
    ['its status names it no more', [], ['a'], (one) => writeStatus(one, ['b'])],
    ['its spec names another', ['a'], [], () => resource('one', ['b'])],
    ['it holds another instead', [], [], (one) => holds.addFinalizers(one, ['b'])],
  ])('%s', async (_, named, known, act) => {
    secrets.put('a')
    secrets.put('b')
    const one = resource('one', named, known)
    await holds.addFinalizers(one, ['a'])
    await act(one)
    await eventually('the removal of the finalizer', 30_000, async () => !secrets.isHeld('a') || undefined)
  })

  test('an account has a Secret that an earlier process held', async () => {
    secrets.put('a')
    const spec = { type: 'local', credentialsSecretName: 'a' }
    cluster.put(ResourceAccount, newObject(ResourceAccount, { namespace: 'acme', name: 'main' }, spec))
    const one = resource('one')
    await createSecretFinalizers(cluster, { awaitResources }).addFinalizers(one, ['a'])
    drop(one)
    await eventually('the removal of the finalizer', 30_000, async () => !secrets.isHeld('a') || undefined)
  })

  test('the API server does not answer at first', async () => {
    secrets.put('a')
    const one = resource('one', ['a'])
    await holds.addFinalizers(one, ['a'])
    let failures = 3
    secrets.before = () => {
      if (failures-- > 0) throw new Error('reset')
    }
    drop(one)
    await eventually('the removal of the finalizer', 30_000, async () => !secrets.isHeld('a') || undefined)
  })
})

test('a Secret that a resource released and needs again gets the finalizer again', async () => {
  secrets.put('a')
  const one = resource('one', [], ['a'])
  await holds.addFinalizers(one, ['a'])
  await holds.removeFinalizers(one, ['a'])
  writeStatus(one, [])
  await holds.addFinalizers(one, ['a'])
  writeStatus(one, ['a'])
  await holds.removeFinalizers(resource('two', [], ['a']), ['a'])
  expect(secrets.isHeld('a')).toBe(true)
})

test('the release of a Secret looks at no other of its users', async () => {
  secrets.put('a')
  const users = Array.from({ length: 200 }, (_, i) => resource(`user-${i}`, ['a'], ['a']))
  const reads = await readsOf(cluster.store, async () => {
    for (const each of users) {
      await holds.removeFinalizers(each, ['a'])
      drop(each)
    }
  })
  expect(secrets.isHeld('a')).toBe(false)
  expect(reads).toBe(0)
})
