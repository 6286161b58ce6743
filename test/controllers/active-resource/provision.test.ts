import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { ReconcileError, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { environmentNamespace } from '../../../operator/domain/resource/identity.ts'
import type { Driver, Provisioned, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { activeResource, context, driver } from '../../support/builders.ts'
import { createWorld, isEnqueued, type World } from '../support/world.ts'

const canary = 'canary-secret'
const namespace = environmentNamespace(context())
const nothing = { values: {}, secrets: {} }

/** The answer of the driver, and its identity. */
let provision: (request: ProvisionRequest) => Partial<Provisioned>
let identify: NonNullable<Driver['identify']>
let world: World

const maker: Driver = {
  descriptor: driver('maker'),
  identify: (request) => identify(request),
  async provision(request) {
    world.log.push('provision')
    return { outputs: nothing, objects: [], ...provision(request) }
  },
  async deprovision() {
    world.log.push('deprovision')
  },
}

function object(kind: string, name = 'thing', content: object = { spec: { size: 1 } }): KubeObject {
  return { apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1', kind, metadata: { name }, ...content }
}

/** The resource as a deployment wants it. */
function wanted(values: object = {}, organizationId = 'acme'): ActiveResource {
  const made = activeResource(
    { type: 'base', resourceId: 'main' },
    {
      context: context({ organizationId }),
      definition: {
        definitionName: 'base',
        driverType: 'quartermaster/maker',
        driverInputs: { values: { ...values }, secretRefs: { token: { secret: 'inputs', key: 'token' } } },
      },
    },
    { uid: `uid-${organizationId}` },
  )
  const { status, metadata } = world.now(made) ?? made
  return world.put({ ...made, metadata, ...(status ? { status } : {}) })
}

const recorded = (resource: ActiveResource) =>
  (world.statusOf(resource).objects ?? []).map(
    ({ kind, uid }) => `${kind} ${uid === '' ? 'planned' : 'exists'}`,
  )

beforeEach(() => {
  world = createWorld([maker], { deadlineSeconds: 1 })
  provision = () => ({})
  identify = () => ({})
  for (const each of ['acme', 'globex']) {
    const data = { token: Buffer.from(canary).toString('base64') }
    world.objects.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'inputs', namespace: each },
      data,
    })
  }
})

describe('before they are applied, the status records', () => {
  test.each<[rule: string, kind: string, expected: string[]]>([
    ['a Secret', 'Secret', ['Secret planned']],
    ['no object of a kind that is watched', 'ConfigMap', []],
  ])('%s', async (_, kind, expected) => {
    const before: string[][] = []
    world.objects.before = (each) => {
      if (each.kind === kind) before.push(recorded(resource))
    }
    provision = () => ({ objects: [object(kind)] })
    const resource = wanted()
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(before).toEqual([expected])
    expect(recorded(resource)).toEqual([`${kind} exists`])
  })

  test.each(['ConfigMap', 'Deployment', 'Secret'])(
    'so that a %s is deleted with the resource after a crash',
    async (kind) => {
      provision = () => ({ objects: [object(kind), object('Service')] })
      world.objects.before = (each) => {
        if (each.kind === 'Service') throw new Error('reset')
      }
      const resource = wanted()
      await world.reconcile(resource)
      expect(world.objects.names()).toContain(`${kind} thing`)
      world.restart()
      world.remove(resource)
      await world.reconcile(resource)
      expect(world.objects.names()).not.toContain(`${kind} thing`)
      expect(world.now(resource)).toBeUndefined()
    },
  )

  test('and objects of other owners are not adopted by that', async () => {
    const foreign = world.objects.put({ ...object('Secret'), metadata: { name: 'thing', namespace } })
    provision = () => ({ objects: [object('Secret', 'thing', { data: { a: 'eA==' } })] })
    const resource = wanted()
    for (const _ of [1, 2]) expect(await world.reconcile(resource)).toMatchObject({ reason: 'Conflict' })
    expect(recorded(resource)).toEqual(['Secret planned'])
    world.remove(resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(world.objects.get('Secret', 'thing')).toEqual(foreign)
  })
})

test('what only the cluster sets in the metadata of an object is not applied', async () => {
  const ofCluster = {
    uid: 'uid-of-another',
    resourceVersion: '123',
    generation: 4,
    creationTimestamp: '2020-01-01T00:00:00Z',
    deletionTimestamp: '2020-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    managedFields: [],
    selfLink: '/api/v1/x',
  }
  const applied: string[] = []
  world.objects.before = (each) => {
    if (each.kind === 'ConfigMap') applied.push(...Object.keys(each.metadata))
  }
  const metadata = { name: 'copy', ...ofCluster, finalizers: ['example.com/kept'] }
  provision = () => ({ objects: [{ ...object('ConfigMap'), metadata }] })
  expect(await world.reconcile(wanted())).toBeUndefined()
  expect(applied).toEqual(expect.arrayContaining(['name', 'finalizers']))
  expect(applied.filter((each) => each in ofCluster)).toEqual([])
})

describe('a large answer is held until its objects are applied', () => {
  test.each<[what: string, fails: boolean]>([
    ['with success', false],
    ['or refused', true],
  ])('%s', async (_, fails) => {
    provision = ({ hold }) => {
      hold?.keep(() => world.log.push('left'))
      return { objects: [object('ConfigMap')] }
    }
    world.objects.before = () => {
      world.log.push('applying')
      if (fails) throw new Error('reset')
    }
    await world.reconcile(wanted())
    const seen = world.log.filter((each) => ['applying', 'left'].includes(each))
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.filter((each) => each === 'left')).toEqual(seen.slice(-1))
  })
})

describe('reserved hosts', () => {
  test('are reserved before any apply, and are in the status afterwards', async () => {
    provision = () => ({ objects: [object('Deployment')], reservedHosts: ['shop.test'] })
    const [first, second] = [wanted(), wanted({}, 'globex')]
    expect(await world.reconcile(first)).toBeUndefined()
    expect(world.statusOf(first).reservedHosts).toEqual(['shop.test'])
    const applies = world.log.filter((each) => each.startsWith('apply')).length
    expect(await world.reconcile(second)).toMatchObject({ reason: 'Conflict' })
    expect(world.log.filter((each) => each.startsWith('apply'))).toHaveLength(applies)
    world.remove(first)
    await world.reconcile(first)
    expect(isEnqueued(world, second)).toBe(true)
    expect(await world.reconcile(second)).toBeUndefined()
  })

  test('that are given up leave the status', async () => {
    provision = () => ({ reservedHosts: ['shop.test'] })
    await world.reconcile(wanted())
    provision = () => ({})
    const resource = wanted({ changed: true })
    await world.reconcile(resource)
    expect(world.statusOf(resource)).not.toHaveProperty('reservedHosts')
  })
})

describe('an error of a driver keeps its reason, and contains no secret', () => {
  const refuse = (make: (message: string) => Error) => () => {
    throw make(`answered 403 to '${canary}'`)
  }
  const places: [place: string, arrange: (act: () => never) => void][] = [
    ['provision', (act) => (provision = act)],
    ['identify', (act) => (identify = act)],
    ['a promise of identify', (act) => (identify = async () => act())],
    ['outputsFrom', (act) => (provision = () => ({ outputsFrom: async () => act() }))],
  ]
  const errors: [name: string, reason: Reason, make: (message: string) => Error][] = [
    ['a failure without a reason', 'ProvisionFailed', (message) => new Error(message)],
    ['a failure', 'DriverUnreachable', (message) => new ReconcileError('DriverUnreachable', message)],
    ['Waiting', 'RateLimited', (message) => new Waiting('RateLimited', message)],
    ['Stalled', 'NotAllowed', (message) => new Stalled('NotAllowed', message)],
  ]
  const rows = places.flatMap(([place, arrange]) =>
    errors.map(([name, reason, make]) => [name, place, arrange, reason, make] as const),
  )

  test.each(rows)('%s in %s', async (_, __, arrange, reason, make) => {
    arrange(refuse(make))
    const resource = wanted()
    const error = await world.reconcile(resource)
    expect(error).toMatchObject({ reason, message: expect.stringContaining('answered 403') })
    expect(JSON.stringify([error, (error as Error).message, world.now(resource)])).not.toContain(canary) // an error
  })

  test('nor does an error of the cluster about its objects', async () => {
    provision = () => ({ objects: [object('Deployment')] })
    world.objects.before = ({ kind }) => {
      if (kind === 'Deployment') throw new Stalled('Rejected', `invalid value '${canary}'`)
    }
    expect(String(await world.reconcile(wanted()))).not.toContain(canary)
  })
})

describe('a driver can return its identity in a later answer', () => {
  test('identify may return a promise', async () => {
    identify = async () => ({ zone: 'z1' })
    const resource = wanted()
    await world.reconcile(resource)
    expect(world.statusOf(resource).provisioned?.identity).toEqual({ zone: 'z1' })
  })

  test.each<[call: string, hang: () => void]>([
    ['identify', () => (identify = () => new Promise(() => {}))],
    ['outputsFrom', () => (provision = () => ({ outputsFrom: () => new Promise(() => {}) }))],
  ])('%s has a deadline', async (_, hang) => {
    hang()
    expect(await world.reconcile(wanted())).toMatchObject({ message: expect.stringContaining('in time') })
  })
})

test('an unfinished provision is repeated, even when the old inputs return', async () => {
  const made: unknown[] = []
  provision = ({ values }) => {
    made.push(values)
    if (values.size === 2) throw new Error('half of it was done')
    return {}
  }
  await world.reconcile(wanted({ size: 1 }))
  await world.reconcile(wanted({ size: 2 }))
  await world.reconcile(wanted({ size: 1 }))
  await world.reconcile(wanted({ size: 1 }))
  expect(made).toEqual([{ size: 1 }, { size: 2 }, { size: 1 }])
})

test('an edit by hand is repaired, even if the first try of it fails', async () => {
  provision = () => ({ objects: [object('Deployment')] })
  const resource = wanted()
  await world.reconcile(resource)
  const live = world.objects.get('Deployment', 'thing')
  if (live) world.objects.put({ ...live, spec: { size: 9 } })
  world.objects.before = () => {
    throw new Error('reset')
  }
  expect(isEnqueued(world, resource)).toBe(true)
  await world.reconcile(resource)
  world.objects.before = () => {}
  expect(await world.reconcile(resource)).toBeUndefined()
  expect(world.objects.get('Deployment', 'thing')).toMatchObject({ spec: { size: 1 } })
})

test.each([
  ['rival', "the last one is 'rival'"],
  ['quartermaster', 'its fields name no other one: an admission policy may change it'],
])(
  'an object that %s changes again and again is repaired with pauses, and the status says who',
  async (rival, who) => {
    provision = () => ({ objects: [object('Deployment')] })
    const resource = wanted()
    await world.reconcile(resource)
    const edit = () => {
      const live = world.objects.get('Deployment', 'thing')
      const managedFields = [
        { manager: 'quartermaster', time: '2026-02-01T00:00:03Z' },
        { manager: rival === 'rival' ? 'kubectl' : rival, time: '2026-02-01T00:00:01Z' },
        { manager: rival, time: '2026-02-01T00:00:02Z' },
        { manager: 'kube-controller-manager', subresource: 'status', time: '2026-02-01T00:00:04Z' },
      ]
      if (live)
        world.objects.put({ ...live, spec: { size: 9 }, metadata: { ...live.metadata, managedFields } })
    }
    for (let i = 0; i < 10; i += 1) {
      edit()
      expect(await world.reconcile(resource)).toBeUndefined()
      expect(world.statusOf(resource).conditions).not.toContainEqual(
        expect.objectContaining({ type: 'Warning' }),
      )
    }
    expect(world.objects.get('Deployment', 'thing')).toMatchObject({ spec: { size: 1 } })
    edit()
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(world.objects.get('Deployment', 'thing')).toMatchObject({ spec: { size: 9 } })
    const message = `another client changes the Deployment '${namespace}/thing' again and again (${who}); it is repaired every 30 seconds`
    expect(world.statusOf(resource).conditions).toContainEqual(
      expect.objectContaining({ type: 'Warning', status: 'True', reason: 'ChangedByOthers', message }),
    )
    // What a deployment changes does not wait.
    await world.reconcile(wanted({ size: 2 }))
    expect(world.objects.get('Deployment', 'thing')).toMatchObject({ spec: { size: 1 } })
  },
)
