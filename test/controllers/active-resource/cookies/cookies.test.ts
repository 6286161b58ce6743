import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../../operator/api/active-resource.ts'
import type { ObjectMeta } from '../../../../operator/api/kind.ts'
import { finalizer } from '../../../../operator/api/names.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import {
  cookieSecretName,
  openCookie,
} from '../../../../operator/controllers/active-resource/instances/cookies.ts'
import { lastCookie } from '../../../../operator/controllers/active-resource/instances/provisioned-instances.ts'
import { Waiting } from '../../../../operator/domain/base/errors.ts'
import type { Cookie, Driver, ProvisionRequest } from '../../../../operator/drivers/driver.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { activeResource, driver } from '../../../support/builders.ts'
import { createWorld, type World } from '../../support/world.ts'

const metadata = { uid: 'uid-of-resource' }
const shape = { type: 'dns', resourceId: 'shared.dns' } as const
const base = activeResource(shape, {}, metadata)
const { name: guResId } = base.metadata

/** The handling of the cookie in a provision call; and the cookies of all calls. */
let act: (cookie: Cookie, request: ProvisionRequest) => Promise<void>
let reported: (string | undefined)[]
let world: World

const keeping = (name: string): Driver => ({
  descriptor: driver(name, { keepsCookie: true }),
  identify: ({ values }) => ({ zone: values.zone }),
  needsCookie: ({ values }) => values.needsNone !== true,
  async provision(request) {
    const { cookie } = request
    world.log.push(`provision ${name}`)
    reported.push(await cookie?.read())
    if (cookie) await act(cookie, request)
    return { outputs: { values: {}, secrets: {} }, objects: [] }
  },
  async deprovision({ cookie }) {
    world.log.push(`deprovision ${name}`)
    reported.push(await cookie?.read())
  },
})

beforeEach(() => {
  reported = []
  act = (cookie) => cookie.write('first words')
  world = createWorld([keeping('one'), keeping('two')])
})

/** The resource, sent by its definition to a driver and a zone, with further inputs. */
function wanted(name: string, zone: string, more: FreeForm = {}): ActiveResource {
  const definition = {
    definitionName: 'dns',
    driverType: `quartermaster/${name}`,
    driverInputs: { values: { zone, ...more } },
  }
  const latest = world.now(base) ?? base
  return world.put({ ...latest, spec: { ...latest.spec, definition } })
}

const secretFor = (name: string, zone: string) => cookieSecretName(guResId, name, { identity: { zone } })
const cookies = () => world.objects.names().filter((each) => each.includes('-cookie-'))
const open = (name: string, resource = base) =>
  openCookie(resource, name, { cluster: world.cluster, objects: world.tools.objects })

/** A Secret that is there already. */
function putSecret(name: string, more: Partial<ObjectMeta>) {
  world.objects.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'acme', ...more },
    data: { cookie: Buffer.from('of another owner').toString('base64') },
  })
}

describe('the cookie of a driver', () => {
  test('is a Secret that is named after the resource, carries our finalizer, and is deleted with its owner', async () => {
    await world.reconcile(wanted('one', 'x'))
    const name = secretFor('one', 'x')
    expect(name).toMatch(new RegExp(`^${guResId}-cookie-[0-9a-f]{8}$`))
    const { metadata: kept } = world.objects.get('Secret', name) ?? {}
    expect(kept).toMatchObject({ namespace: 'acme', finalizers: [finalizer] })
    expect(kept?.ownerReferences).toEqual([expect.objectContaining({ name: guResId, uid: metadata.uid })])
  })

  test('is another Secret for another driver or identity, and the same for the same', () => {
    const names = [secretFor('one', 'x'), secretFor('one', 'y'), secretFor('two', 'x'), secretFor('two', 'y')]
    expect(new Set(names).size).toBe(4)
    expect(cookieSecretName(guResId, 'one', {})).toBe(cookieSecretName(guResId, 'one', { identity: {} }))
  })

  test('is sent with the next call', async () => {
    const cookie = open('a')
    expect(await cookie.read()).toBeUndefined()
    await cookie.write('words with äöü and\nlines')
    expect(await open('a').read()).toBe('words with äöü and\nlines')
    await cookie.write('other words')
    expect(await cookie.read()).toBe('other words')
  })

  test('that was written before the driver had to wait is sent with the next try', async () => {
    act = async (cookie) => {
      await cookie.write('accepted as 17')
      throw new Waiting('DriverBusy', 'working on it', 1)
    }
    const resource = wanted('one', 'x')
    expect(await world.reconcile(resource)).toBeInstanceOf(Waiting)
    world.restart()
    await world.reconcile(resource)
    expect(reported).toEqual([undefined, 'accepted as 17'])
  })

  test.each<[rule: string, existing: Partial<ObjectMeta>]>([
    ['is there', {}],
    ['is there and held', { finalizers: [finalizer] }],
    ['is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] }],
    [
      'is being deleted, and another client has a finalizer too',
      { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer, 'example.com/other'] },
    ],
  ])('is forgotten when its Secret %s', async (_, existing) => {
    const owner = { apiVersion: '', kind: 'ActiveResource', name: guResId, ...metadata }
    putSecret('a', { ownerReferences: [owner], ...existing })
    await open('a').write(undefined)
    expect(world.objects.get('Secret', 'a')?.metadata.finalizers ?? []).not.toContain(finalizer)
    const stays = existing.finalizers?.includes('example.com/other') ?? false
    expect(world.objects.get('Secret', 'a') !== undefined).toBe(stays)
    await open('a').write(undefined)
  })

  test('never overwrites an object of another owner with that name', async () => {
    putSecret('a', {})
    const before = world.objects.get('Secret', 'a')
    expect(await open('a').read()).toBeUndefined()
    await expect(open('a').write('words')).rejects.toMatchObject({ reason: 'Conflict' })
    await open('a').write(undefined)
    expect(world.objects.get('Secret', 'a')).toEqual(before)
  })

  describe.each<[rule: string, earlier: string | undefined]>([
    ['that is new', undefined],
    ['that has an earlier text', 'first words'],
  ])('in a Secret %s,', (_, earlier) => {
    const owner = { apiVersion: '', kind: 'ActiveResource', name: guResId, ...metadata }
    /** Writes an older text while another process writes a newer one; `atRepeat` is called before the second request. */
    async function writeLate(atRepeat: () => void) {
      if (earlier !== undefined) await open('a').write(earlier)
      let requests = 0
      world.objects.before = () => {
        requests += 1
        if (requests > 1) return atRepeat()
        putSecret('a', { ownerReferences: [owner], finalizers: [finalizer] })
      }
      await open('a')
        .write('late words')
        .catch(() => {})
      world.objects.before = () => {}
      return open('a').read()
    }

    test('is not replaced by a request that arrives after its process ended', async () => {
      const ended = () => {
        throw new Error('the process has ended')
      }
      expect(await writeLate(ended)).toBe('of another owner')
    })

    test('is what a process that lives wrote last', async () => {
      expect(await writeLate(() => {})).toBe('late words')
    })
  })

  test('that a late request creates has no finalizer, which nothing would remove when its owner is gone', async () => {
    const { client } = world.objects
    const request = client.request.bind(client)
    client.request = async (method, ...rest) => {
      if (method === 'PATCH') throw new Error('the process has ended')
      return request(method, ...rest)
    }
    await expect(open('a').write('words')).rejects.toThrow('ended')
    expect(world.objects.get('Secret', 'a')?.metadata.finalizers).toEqual([])
    await open('a').write('other words')
    expect(world.objects.get('Secret', 'a')?.metadata.finalizers).toEqual([finalizer])
  })

  test('waits until that of an earlier resource of the same name is deleted', async () => {
    await open('a', activeResource(shape, {}, { uid: 'earlier' })).write('old words')
    expect(await open('a').read()).toBeUndefined()
    await expect(open('a').write('words')).rejects.toBeInstanceOf(Waiting)
  })
})

describe('a resource whose driver keeps a cookie', () => {
  test('names its Secret in the status before the driver is called the first time', async () => {
    await world.reconcile(wanted('one', 'x'))
    const secret = secretFor('one', 'x')
    expect(world.log).toEqual(['status', 'provision one', `create Secret ${secret}`, 'status'])
    expect(world.statusOf(base).secretNames).toEqual([secret])
  })

  test('gives it to the driver together with its inputs', async () => {
    let given: FreeForm | undefined
    act = async (_, { values }) => {
      given = values
    }
    await world.reconcile(wanted('one', 'x', { size: 3 }))
    expect(given).toEqual({ zone: 'x', size: 3 })
  })

  test('has none for inputs that need none, but keeps one that is there for the deprovision', async () => {
    const withoutNeed = () => wanted('one', 'x', { needsNone: true })
    await world.reconcile(withoutNeed())
    expect(world.statusOf(base).secretNames).toBeUndefined()
    await world.reconcile(wanted('one', 'x'))
    await world.reconcile(withoutNeed())
    expect(world.statusOf(base).secretNames).toEqual([secretFor('one', 'x')])
    expect(reported).toEqual([undefined, undefined, 'first words'])
  })

  test('keeps a Secret that the status names when another client deletes it', async () => {
    const resource = wanted('one', 'x')
    await world.reconcile(resource)
    world.objects.delete('Secret', secretFor('one', 'x'))
    await world.reconcile(wanted('one', 'x'))
    world.remove(resource)
    await world.reconcile(resource)
    expect(reported).toEqual([undefined, 'first words'])
  })

  test.each<[change: string, name: string, zone: string]>([
    ['driver', 'two', 'x'],
    ['identity', 'one', 'y'],
  ])('that gets another %s keeps the old cookie until the old instance is deleted', async (_, name, zone) => {
    await world.reconcile(wanted('one', 'x'))
    const old = secretFor('one', 'x')
    const during: unknown[] = []
    act = async (cookie) => {
      await cookie.write('second words')
      const { finalizers } = world.objects.get('Secret', old)?.metadata ?? {}
      during.push(world.statusOf(base).secretNames, finalizers)
    }
    expect(await world.reconcile(wanted(name, zone))).toBeUndefined()
    expect(during).toEqual([[old, secretFor(name, zone)].toSorted(), [finalizer]])
    expect(reported).toEqual([undefined, undefined, 'first words'])
    expect(cookies()).toEqual([`Secret ${secretFor(name, zone)}`])
    expect(world.statusOf(base).secretNames).toEqual([secretFor(name, zone)])
  })

  test('leaves no cookie behind when it is deprovisioned', async () => {
    const resource = wanted('one', 'x')
    await world.reconcile(resource)
    world.remove(resource)
    world.restart()
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(reported).toEqual([undefined, 'first words'])
    expect(cookies()).toEqual([])
  })

  test('has it still when the deprovision has to wait', async () => {
    const resource = wanted('one', 'x')
    await world.reconcile(resource)
    world.remove(resource)
    const [first] = world.tools.drivers.builtIn
    const { deprovision } = first as Driver // the driver `one`
    Object.assign(first as Driver, {
      deprovision: async () => {
        throw new Waiting('ConfirmingAbsence', 'not sure yet', 1)
      },
    })
    expect(await world.reconcile(resource)).toBeInstanceOf(Waiting)
    Object.assign(first as Driver, { deprovision })
    await world.reconcile(resource)
    expect(reported).toEqual([undefined, 'first words'])
    expect(cookies()).toEqual([])
  })
})

test('a call that continues after its deadline writes no cookie', async () => {
  world = createWorld([keeping('one')], { deadlineSeconds: 0.01 })
  const late = Promise.withResolvers<unknown>()
  act = async (cookie, { signal }) => {
    while (!signal.aborted) await setTimeout(1)
    await cookie.write('too late').then(late.resolve, late.resolve)
  }
  expect(await world.reconcile(wanted('one', 'a'))).toMatchObject({ reason: 'ProvisionFailed' })
  await late.promise
  expect(cookies()).toEqual([])
})

test('the cookie of an earlier resource of the name gives way, although it has our finalizer', async () => {
  const name = secretFor('one', 'a')
  const ownerReferences = [
    { apiVersion: 'quartermaster.dev/v1alpha1', kind: 'ActiveResource', name: guResId, uid: 'earlier' },
  ]
  world.objects.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'acme', ownerReferences, finalizers: [finalizer] },
  })
  const resource = wanted('one', 'a')
  expect(await world.reconcile(resource)).toMatchObject({ reason: 'SecretRemains' })
  expect(await world.reconcile(resource)).toBeUndefined()
  expect(cookies()).toHaveLength(1)
})

test.each<[rule: string, text: string | undefined, isThrown: boolean]>([
  ['is given up for a cookie that has no Secret', undefined, false],
  ['fails for a cookie in a Secret, to which the rights are gone', 'known', true],
])('a write in a terminating namespace, during a deprovision, %s', async (_, text, isThrown) => {
  const gone = new ApiError(
    403,
    'Forbidden',
    "the rights in namespace 'acme' are gone: it is being terminated",
  )
  const own: Cookie = {
    read: async () => text,
    write: () => Promise.reject(gone),
  }
  const cookie = lastCookie(base, { driverType: 'quartermaster/one' }, own, world.tools)
  await cookie.read()
  const error: unknown = await cookie.write('newer').catch((error: unknown) => error)
  expect(error).toBe(isThrown ? gone : undefined)
})
