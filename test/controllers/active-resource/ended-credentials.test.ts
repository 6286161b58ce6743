import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { Stalled, withoutSideEffects } from '../../../operator/domain/base/errors.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { fc } from '../../support/properties.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
/** Instances at the provider. */
let instances: Set<string>
/** Called in each provision. */
let whileProvisioning: () => void

const remote: Driver = {
  descriptor: driver('remote', { remote: true }),
  identify: ({ values }) => ({ zone: values.zone }),
  async provision({ guResId, values }) {
    whileProvisioning()
    instances.add(`${guResId} ${String(values.zone)}`)
    return { outputs: { values: {}, secrets: {} }, objects: [] }
  },
  async deprovision({ guResId, identity, account }) {
    if (account?.['token'] === undefined) throw new Error('no credentials')
    instances.delete(`${guResId} ${String(identity.zone)}`)
  },
}

/** A resource that the account in the Secret `secret` provisions. */
function wanted(id: string, zone: string, accountName: string): ActiveResource {
  const definition = {
    definitionName: 'dns',
    driverType: 'quartermaster/remote',
    accountName,
    driverInputs: { values: { zone } },
  }
  const made = activeResource({ type: 'dns', resourceId: id }, { definition }, { uid: `uid-of-${id}` })
  const { status } = world.now(made) ?? {}
  return world.put({ ...made, ...(status ? { status } : {}) })
}

function putAccount(name: string): void {
  const spec = { type: 'any', credentialsSecretName: name }
  world.cluster.put(ResourceAccount, newObject(ResourceAccount, { name, namespace: 'acme' }, spec))
  const data = { token: Buffer.from('canary').toString('base64') }
  const metadata = { name, namespace: 'acme' }
  world.objects.put({ apiVersion: 'v1', kind: 'Secret', metadata, data })
}

/** Deletes an account and its Secret, as a user does, or the namespace. */
function dropAccount(name: string): void {
  world.cluster.drop(ResourceAccount, 'acme', name)
  world.objects.delete('Secret', name)
}

/** The process ends at the next call of this hook; a new one follows. */
async function endAt(hook: 'beforeEnd' | 'beforeStatus', resource: ActiveResource): Promise<void> {
  const end = () => {
    world.beforeStatus = end // a process that has ended writes nothing
    throw new Error('the process ends')
  }
  world[hook] = end
  await world.reconcile(resource).catch(() => {})
  world.beforeEnd = () => {}
  world.beforeStatus = () => {}
  world.restart()
}

beforeEach(() => {
  world = createWorld([remote])
  instances = new Set()
  whileProvisioning = () => {}
})

/** The next release of Secrets takes effect, and its answer is lost. */
function loseNextRelease(): void {
  const { secretFinalizers } = world.tools
  const remove = secretFinalizers.removeFinalizers.bind(secretFinalizers)
  secretFinalizers.removeFinalizers = async (...given) => {
    secretFinalizers.removeFinalizers = remove
    await remove(...given)
    throw new Error('the answer is lost')
  }
}

describe('a Secret of credentials that is deleted while resources need it', () => {
  test('is there until the last one is deprovisioned, also when the process ends between the two', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    await world.reconcile(resource)
    dropAccount('main')
    world.remove(resource)
    await endAt('beforeEnd', resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([world.now(resource), world.objects.names(), [...instances]]).toEqual([undefined, [], []])
  })

  test('is not asked for again when it is deleted after its release, before the resource is gone', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    await world.reconcile(resource)
    world.remove(resource)
    await endAt('beforeEnd', resource)
    dropAccount('main')
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([world.now(resource), world.objects.names(), [...instances]]).toEqual([undefined, [], []])
  })

  test('is not asked for again when it is deleted after its release, although the new instance is not recorded yet', async () => {
    putAccount('main')
    putAccount('other')
    await world.reconcile(wanted('shared.dns', 'a', 'main'))
    const resource = wanted('shared.dns', 'b', 'other')
    loseNextRelease()
    expect(await world.reconcile(resource)).toEqual(new Error('the answer is lost'))
    dropAccount('main')
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([...instances].map((each) => each.split(' ')[1])).toEqual(['b'])
  })

  test('is used when the account names one by now that does not exist', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    await world.reconcile(resource)
    const spec = { type: 'any', credentialsSecretName: 'misspelt' }
    world.cluster.put(ResourceAccount, newObject(ResourceAccount, { name: 'main', namespace: 'acme' }, spec))
    world.objects.delete('Secret', 'main')
    world.remove(resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([world.now(resource), world.objects.names(), [...instances]]).toEqual([undefined, [], []])
  })

  test('is not asked for again when it has ended, although an update was refused before', async () => {
    putAccount('main')
    await world.reconcile(wanted('shared.dns', 'a', 'main'))
    whileProvisioning = () => {
      throw withoutSideEffects(new Stalled('Rejected', 'zone b is full'))
    }
    const resource = wanted('shared.dns', 'b', 'main')
    await world.reconcile(resource)
    dropAccount('main')
    world.remove(resource)
    loseNextRelease()
    expect(await world.reconcile(resource)).toEqual(new Error('the answer is lost'))
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([world.now(resource), world.objects.names(), [...instances]]).toEqual([undefined, [], []])
  })

  test('is needed by none that it came too late for: the driver is not called, and a deletion ends', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    const { secretFinalizers } = world.tools
    const add = secretFinalizers.addFinalizers.bind(secretFinalizers)
    secretFinalizers.addFinalizers = (...given) => {
      dropAccount('main')
      return add(...given)
    }
    expect(await world.reconcile(resource)).toMatchObject({ reason: 'SecretNotFound' })
    expect([[...instances], world.now(resource)?.status?.provisioned]).toEqual([[], undefined])
    world.remove(resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([world.now(resource), world.objects.names()]).toEqual([undefined, []])
  })

  test('ends with any order of deletions and ends of the process', async () => {
    const ids = ['one', 'two', 'three']
    const step = fc.record({
      id: fc.constantFrom(...ids),
      end: fc.constantFrom<('beforeEnd' | 'beforeStatus' | undefined)[]>(
        'beforeEnd',
        'beforeStatus',
        undefined,
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, isMoved) => {
        world = createWorld([remote])
        instances = new Set()
        for (const name of ['main', 'other']) putAccount(name)
        const all = ids.map((id) => wanted(`shared.${id}`, 'a', 'main'))
        for (const each of all) await world.reconcile(each)
        // Each gets another instance with other credentials, and the first one is left to be deprovisioned.
        if (isMoved) for (const id of ids) wanted(`shared.${id}`, 'b', 'other')
        dropAccount('main')
        if (!isMoved) for (const each of all) world.remove(each)
        const visit = async (id: string, end?: 'beforeEnd' | 'beforeStatus') => {
          const resource = all[ids.indexOf(id)]
          if (!resource || (!isMoved && !world.now(resource))) return
          if (end) await endAt(end, resource)
          else await world.reconcile(resource)
        }
        for (const { id, end } of steps) await visit(id, end)
        for (const id of ids) await visit(id)
        const states = all.map(
          (each) => world.now(each) && conditionOf(world.now(each) ?? each, 'Ready')?.status,
        )
        expect(states).toEqual(all.map(() => (isMoved ? 'True' : undefined)))
        const zones = [...instances].map((each) => each.split(' ')[1])
        expect(zones).toEqual(isMoved ? ['b', 'b', 'b'] : [])
        expect(world.objects.get('Secret', 'main')).toBeUndefined()
      }),
    )
  })
})

describe('after a crash, the status names each Secret that may have the finalizer:', () => {
  const namesIn = (resource: ActiveResource) => world.now(resource)?.status?.secretNames

  test('the former credentials of an account until they are released', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    await world.reconcile(resource)
    const metadata = { name: 'newer', namespace: 'acme' }
    world.objects.put({ apiVersion: 'v1', kind: 'Secret', metadata, data: { token: 'bmV3' } })
    const spec = { type: 'any', credentialsSecretName: 'newer' }
    world.cluster.put(ResourceAccount, newObject(ResourceAccount, { name: 'main', namespace: 'acme' }, spec))
    world.objects.delete('Secret', 'main')
    whileProvisioning = () => expect(namesIn(resource)).toEqual(['main', 'newer'])
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([namesIn(resource), world.objects.names()]).toEqual([['newer'], ['Secret newer']])
  })

  test('new credentials before they get it', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    const named: (readonly string[] | undefined)[] = []
    beforeFinalizer(() => named.push(namesIn(resource)))
    await world.reconcile(resource)
    expect(named).toEqual([['main']])
  })

  test('that of a resource in the cluster before it gets it, also while its provision fails', async () => {
    let isRefused = true
    const local: Driver = {
      descriptor: driver('local'),
      async provision() {
        if (isRefused) throw new Error('refused')
        return { outputs: { values: {}, secrets: {} }, objects: [] }
      },
      deprovision: async () => {},
    }
    world = createWorld([local])
    putAccount('main')
    const driverInputs = { secretRefs: { password: { secret: 'main', key: 'token' } } }
    const definition = { definitionName: 'x', driverType: 'quartermaster/local', driverInputs }
    const resource = world.put(activeResource({ type: 's3', resourceId: 'shared.a' }, { definition }))
    const named: (readonly string[] | undefined)[] = []
    beforeFinalizer(() => named.push(namesIn(resource)))
    expect(await world.reconcile(resource)).toBeDefined()
    isRefused = false
    expect([named, namesIn(resource)]).toEqual([[['main']], ['main']])
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(namesIn(resource)).toEqual(['main'])
  })
})

/** Calls `act` before a request that adds or removes a finalizer of a Secret. */
function beforeFinalizer(act: () => void): void {
  const { client } = world.objects
  const request = client.request.bind(client)
  client.request = (method, ...rest) => {
    if (method === 'PATCH') act()
    return request(method, ...rest)
  }
}

describe('credentials that have no finalizer yet', () => {
  const isRecorded = (resource: ActiveResource) => world.statusOf(resource).provisioned !== undefined

  test('get it before the status records an instance, which a deletion would deprovision with them', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    const recorded: boolean[] = []
    beforeFinalizer(() => recorded.push(isRecorded(resource)))
    whileProvisioning = () => recorded.push(isRecorded(resource))
    await world.reconcile(resource)
    expect(recorded).toEqual([false, true])
  })

  test('hold up no deletion when the process ends before they get it, and they are deleted', async () => {
    putAccount('main')
    const resource = wanted('shared.dns', 'a', 'main')
    beforeFinalizer(() => {
      world.beforeStatus = () => {
        throw new Error('a process that has ended writes nothing')
      }
      throw new Error('the process ends')
    })
    await world.reconcile(resource).catch(() => {})
    world.beforeStatus = () => {}
    world.restart()
    dropAccount('main')
    world.remove(resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect([world.now(resource), world.objects.names(), [...instances]]).toEqual([undefined, [], []])
  })

  test('cost one more status once: resources that use them later write none before the record', async () => {
    putAccount('main')
    const statusesOf = async (resource: ActiveResource) => {
      world.log.length = 0
      await world.reconcile(resource)
      return world.log.filter((each) => each === 'status').length
    }
    expect(await statusesOf(wanted('shared.one', 'a', 'main'))).toBe(3)
    expect(await statusesOf(wanted('shared.two', 'a', 'main'))).toBe(2)
    world.restart()
    expect(await statusesOf(wanted('shared.three', 'a', 'main'))).toBe(2)
  })
})

test.each<[which: string, driverInputs: object, accountName: string | undefined]>([
  ['that its spec names', { secretRefs: { password: { secret: 'main', key: 'token' } } }, undefined],
  ['of its account', {}, 'main'],
])(
  'a resource is gone only after it released the Secret %s, also when no status names the Secret',
  async (_, driverInputs, accountName) => {
    const local: Driver = {
      descriptor: driver('local'),
      provision: async () => {
        throw new Error('refused')
      },
      deprovision: async () => {},
    }
    world = createWorld([local])
    putAccount('main')
    const definition = { definitionName: 'x', driverType: 'quartermaster/local', driverInputs, accountName }
    const resource = world.put(activeResource({ type: 's3', resourceId: 'shared.a' }, { definition }))
    // Another resource, which has ended since, needed it too.
    const secret = world.objects.get('Secret', 'main')
    world.objects.replaceMetadata('Secret', 'main', {
      ...secret?.metadata,
      name: 'main',
      finalizers: [finalizer],
    })
    world.beforeStatus = () => {
      throw new Error('the process ends')
    }
    await world.reconcile(resource).catch(() => {})
    world.beforeStatus = () => {}
    world.restart()
    const finalizers = () => world.objects.get('Secret', 'main')?.metadata.finalizers ?? []
    expect(finalizers()).toHaveLength(1)
    world.remove(resource)
    let atEnd: readonly string[] | undefined
    world.beforeEnd = () => {
      atEnd = finalizers()
    }
    await world.reconcile(resource)
    expect(atEnd).toEqual([])
  },
)
