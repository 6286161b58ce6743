import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource, type AppliedObject } from '../../../operator/api/active-resource.ts'
import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { annotations, labels } from '../../../operator/api/names.ts'
import { createInventory, type Inventory } from '../../../operator/controllers/objects/inventory.ts'
import { ReconcileError, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { environmentNamespace, namespaceDescriptor } from '../../../operator/domain/resource/identity.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import type { Objects } from '../../../operator/kube/objects/objects.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, context, storedMeta } from '../../support/builders.ts'
import { createFakeObjects, type FakeObjects } from '../support/fake-objects.ts'

const namespace = environmentNamespace(context())
const base = activeResource({ type: 'base', resourceId: 'main' })

let cluster: FakeCluster
let world: FakeObjects
let door: Objects
let inventory: Inventory
let resource: ActiveResource
let enqueued: string[]
/** Whether the watch shows the namespace of the environment. */
let isOpen: boolean
/** How far the clock of the API server is ahead. */
let aheadMs: number
/** Reports the end of a namespace, as the watch of them does. */
let endNamespace: (namespace: StoredObject) => void

beforeEach(() => {
  world = createFakeObjects()
  cluster = createFakeCluster()
  know(base)
  isOpen = false
  aheadMs = 0
  start()
})

/** A new process, which knows only the state in the cluster. */
function start(unlistedMs?: number) {
  door = world.open()
  inventory = createInventory(door, {
    store: cluster.store,
    kinds: world.kinds,
    backoffMs: { first: 1, most: 5 },
    unlistedMs,
    serverNow: () => Date.now() + aheadMs,
    namespaces: {
      isOpen: () => isOpen,
      onGone(handler) {
        endNamespace = handler
      },
    },
  })
  enqueued = []
  inventory.onEnqueue((key) => enqueued.push(key))
  inventory.watchKinds()
}

function object(kind: string, content: object = { spec: { size: 1 } }, name = 'thing'): KubeObject {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1'
  return { apiVersion, kind, metadata: { name, namespace }, ...content }
}

/** The metadata of the namespace of the environment, with one annotation. */
function own(annotation: string, value: string): StoredObject['metadata'] {
  return storedMeta({ name: namespace, annotations: { [annotation]: value } })
}

/** Applies the objects as a provision does, and records them in the status. */
async function bring(...wanted: KubeObject[]) {
  await inventory.unrecorded(resource, wanted)
  const applied = await inventory.apply(resource, wanted)
  record(applied.applied)
  return applied
}

function record(existing: readonly AppliedObject[]) {
  know({ ...resource, status: { objects: [...existing] } })
}

function know(current: ActiveResource) {
  resource = current
  cluster.put(ActiveResource, current)
}

/** Whether the resource counts as touched, and was enqueued for it. */
function isTouched(): boolean {
  const isEnqueued = enqueued.splice(0).length > 0
  expect(inventory.consumeDrift(resource)).toBe(isEnqueued)
  return isEnqueued
}

/** A change by hand. */
function edit(kind: string) {
  const live = world.get(kind, 'thing')
  if (live) world.put({ ...live, spec: { size: 2 } })
}

const kinds = ['ConfigMap', 'Service', 'Deployment']

test.each([
  ['a moment', 0, 0, 1],
  ['a minute', 60, 0, 6],
  ['a day', 86_400, 0, 30],
  ['a moment that is still to come', -60, 0, 1],
  ['a moment, with a clock that is behind the API server,', 0, 3600, 1],
  ['a minute, with a clock that is ahead of the API server,', 60, -3600, 6],
])(
  'an object that a finalizer keeps since %s is looked at with a fitting pause',
  async (_, seconds, ahead, pause) => {
    aheadMs = ahead * 1000
    const [live] = (await bring(object('ConfigMap'))).live
    const finalizers = ['example.test/own']
    const deletionTimestamp = new Date(Date.now() + aheadMs - seconds * 1000).toISOString()
    const metadata = { ...live?.metadata, name: 'thing', finalizers, deletionTimestamp }
    world.replaceMetadata('ConfigMap', 'thing', metadata)
    // Its resource may have waited for others before it deleted the object.
    const terminating = {
      ...resource,
      metadata: { ...resource.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }
    await expect(inventory.removeAll(terminating)).rejects.toMatchObject({
      reason: 'ObjectsRemain',
      message: "waiting for 'ConfigMap' 'thing' (kept by the finalizer 'example.test/own') to be deleted",
      retryAfterSeconds: pause,
    })
  },
)

describe.each(kinds)('an object of the kind %s', (kind) => {
  test('that we applied is not written again, with its events before or after the answer', async () => {
    await bring(object(kind))
    await bring(object(kind, { spec: { size: 3 } }))
    const release = world.holdEvents()
    await bring(object(kind, { spec: { size: 4 } }))
    release()
    expect(isTouched()).toBe(false)
  })

  test('that is edited by hand is touched, once', async () => {
    await bring(object(kind))
    edit(kind)
    expect(isTouched()).toBe(true)
    expect(inventory.consumeDrift(resource)).toBe(false)
  })

  test('that is edited again and again enqueues nothing until its next repair', async () => {
    await bring(object(kind))
    for (let i = 0; i < 10; i += 1) {
      edit(kind)
      expect(isTouched()).toBe(true)
      await bring(object(kind))
    }
    edit(kind)
    expect(enqueued.splice(0)).toHaveLength(1)
    expect(inventory.consumeDrift(resource)).toBe(false)
    // An unfinished provision applies the objects without a drift.
    await bring(object(kind))
    edit(kind)
    expect(enqueued).toEqual([])
    expect(inventory.contested(resource)).toMatchObject({ kind, name: 'thing' })
  })

  test('to which another client adds what is its own again and again is in no contest', async () => {
    await bring(object(kind))
    for (let i = 0; i < 12; i += 1) {
      const live = world.get(kind, 'thing')
      const annotations = { ...live?.metadata.annotations, 'example.com/seen': `${i}` }
      if (live) world.put({ ...live, metadata: { ...live.metadata, annotations } })
      if (inventory.consumeDrift(resource)) await bring(object(kind))
    }
    expect(inventory.contested(resource)).toBeUndefined()
  })

  test('that is applied after an edit needs no repair for that edit', async () => {
    await bring(object(kind))
    edit(kind)
    await bring(object(kind))
    expect(inventory.consumeDrift(resource)).toBe(false)
  })

  test('that is deleted by hand is touched', async () => {
    await bring(object(kind))
    world.delete(kind, 'thing')
    expect(isTouched()).toBe(true)
  })

  test('that is being deleted is waited for, and created again', async () => {
    const [live] = (await bring(object(kind))).live
    const terminating = { ...live?.metadata, name: 'thing', deletionTimestamp: '2026-02-01T00:00:00Z' }
    world.replaceMetadata(kind, 'thing', { ...terminating, finalizers: ['example.test/own'] })
    await expect(bring(object(kind))).rejects.toMatchObject({ reason: 'ObjectsRemain' })
    world.replaceMetadata(kind, 'thing', terminating)
    expect(isTouched()).toBe(true)
    await bring(object(kind))
    expect(world.get(kind, 'thing')?.metadata.uid).not.toBe(live?.metadata.uid)
  })

  test('that we applied again after an edit is as it should be', async () => {
    await bring(object(kind))
    edit(kind)
    isTouched()
    await bring(object(kind))
    expect(world.get(kind, 'thing')).toMatchObject({ spec: { size: 1 } })
    expect(isTouched()).toBe(false)
  })

  test.each<[rule: string, isKnown: boolean, harm: () => void]>([
    ['edited', false, () => edit(kind)],
    ['deleted', false, () => world.delete(kind, 'thing')],
    ['edited, after it was made again,', true, () => edit(kind)],
    ['deleted, after it was made again,', true, () => world.delete(kind, 'thing')],
  ])('that is %s before the status records it is touched', async (_, isKnown, harm) => {
    if (isKnown) await bring(object(kind))
    world.delete(kind, 'thing')
    isTouched()
    await inventory.unrecorded(resource, [object(kind)])
    const { applied } = await inventory.apply(resource, [object(kind)])
    harm()
    record(applied)
    expect(isTouched()).toBe(true)
  })

  test.each<[rule: string, between: () => void, touched: boolean]>([
    ['was not edited in between is not touched', () => {}, false],
    ['was edited in between is touched', () => edit(kind), true],
    ['was deleted in between is touched', () => world.delete(kind, 'thing'), true],
  ])('that is listed for the first time after a restart, and %s', async (_, between, touched) => {
    await bring(object(kind))
    between()
    start()
    await new Promise(setImmediate)
    expect(isTouched()).toBe(touched)
  })

  test.each<[rule: string, harm: () => void]>([
    ['edited', () => edit(kind)],
    ['deleted', () => world.delete(kind, 'thing')],
  ])('that is %s while no process can watch its kind is touched as soon as one can', async (_, harm) => {
    await bring(object(kind))
    let refusals = 3
    world.beforeWatch = () => {
      if (refusals > 0) throw new Stalled('NotServed', `refused, ${refusals--} to come`)
    }
    harm()
    start()
    expect(isTouched()).toBe(false)
    await eventually('a kind that is watched', 5000, async () => enqueued[0])
    expect(refusals).toBe(0)
    expect(isTouched()).toBe(true)
  })
})

test('a status that changes is no edit where generations are counted', async () => {
  await bring(object('Deployment'))
  world.touchStatus('Deployment', 'thing', { replicas: 1 })
  expect(isTouched()).toBe(false)
})

describe('an object with our labels that no status records, in a namespace', () => {
  const elsewhere = 'globex'
  const forge = (owner: Partial<StoredObject['metadata']> | undefined) => {
    if (owner) world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere, ...owner } })
    return world.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'forged',
        namespace: elsewhere,
        labels: { [labels.resource]: resource.metadata.name },
        annotations: { [annotations.resource]: keyOf(resource) },
      },
    })
  }
  test.each<[whose: string, owner: Partial<StoredObject['metadata']> | undefined, isOurs: boolean]>([
    ['that is itself another organization', { labels: { [labels.organization]: elsewhere } }, false],
    [
      'of an environment of another one',
      { annotations: { [annotations.environment]: 'acmes/shop.live' } },
      false,
    ],
    ['that a resource of another one made', { annotations: { [annotations.resource]: 'globex/0a' } }, false],
    ['that accepts another one', { labels: { [labels.accepts]: elsewhere } }, false],
    ['of no organization', {}, false],
    ['that is gone', undefined, false],
    ['of one of our environments', { annotations: { [annotations.environment]: 'acme/shop.live' } }, true],
    ['that one of our resources made', { annotations: { [annotations.resource]: 'acme/0a' } }, true],
    ['that accepts us', { labels: { [labels.accepts]: 'acme' } }, true],
  ])('%s', async (_, owner, isOurs) => {
    await bring(object('ConfigMap'))
    forge(owner)
    const names = (await inventory.objectsOf(resource)).map(({ name }) => name)
    expect(names).toEqual(isOurs ? ['thing', 'forged'] : ['thing'])
    await bring(object('ConfigMap'))
    expect(world.get('ConfigMap', 'forged') === undefined).toBe(isOurs)
  })
})

describe('a crash after the apply, before the status records an object', () => {
  const closed = 'lent'
  const accepting = { name: closed, labels: { [labels.accepts]: 'acme' } }

  test('in a namespace that is closed then: a deletion finds it', async () => {
    world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: accepting })
    const wanted = { ...object('ConfigMap'), metadata: { name: 'thing', namespace: closed } }
    record(await inventory.unrecorded(resource, [wanted]))
    await inventory.apply(resource, [wanted])
    world.replaceMetadata('Namespace', closed, { name: closed })
    start()
    await inventory.removeAll(resource)
    expect(world.get('ConfigMap', 'thing')).toBeUndefined()
  })

  test('in the namespace that the resource of the environment makes: no write comes before it', async () => {
    const objects = [{ apiVersion: 'v1', kind: 'Namespace', name: closed, uid: 'own' }]
    cluster.put(ActiveResource, { ...activeResource(namespaceDescriptor), status: { objects } })
    const wanted = { ...object('ConfigMap'), metadata: { name: 'thing', namespace: closed } }
    expect(await inventory.unrecorded(resource, [wanted])).toEqual([])
  })
})

test('what was applied a moment ago costs no read of its namespace', async () => {
  const asked: string[] = []
  const { read } = door
  door.read = (reference) => {
    asked.push(reference.kind)
    return read(reference)
  }
  isOpen = true
  const wanted = [object('ConfigMap'), object('Deployment')]
  await inventory.unrecorded(resource, wanted)
  const { applied } = await inventory.apply(resource, wanted, { keepsOthers: true })
  await inventory.removeOthers(resource, applied)
  record(applied)
  await inventory.objectsOf(resource)
  expect(asked).not.toContain('Namespace')
})

describe('marks of ours that another client removes', () => {
  const elsewhere = { ...base.metadata, namespace: 'aaa' }

  /** Two organizations may have resources of the same GUResID; the other one is listed first. */
  beforeEach(() => {
    cluster.addOrganization(elsewhere.namespace)
    cluster.addOrganization(base.metadata.namespace)
    cluster.put(ActiveResource, { ...resource, metadata: elsewhere })
  })

  /** Changes the metadata of an object, as its watch and a read show it. */
  function mark(change: (live: StoredObject['metadata']) => Partial<StoredObject['metadata']>) {
    const live = world.get('Deployment', 'thing')?.metadata as StoredObject['metadata']
    world.replaceMetadata('Deployment', 'thing', { ...live, ...change(live) })
  }
  const without = (all: Readonly<Record<string, string>> = {}, name: string) =>
    Object.fromEntries(Object.entries(all).filter(([each]) => each !== name))

  test.each<[what: string, change: Parameters<typeof mark>[0]]>([
    ['the descriptor', (live) => ({ annotations: without(live.annotations, annotations.descriptor) })],
    ['the resource', (live) => ({ annotations: without(live.annotations, annotations.resource) })],
    ['all annotations', () => ({ annotations: {} })],
    ['the manager', (live) => ({ labels: without(live.labels, labels.managedBy) })],
    ['the label, for another one', (live) => ({ labels: { ...live.labels, [labels.resource]: 'other' } })],
    [
      'the resource, for that of another organization',
      (live) => ({
        annotations: { ...live.annotations, [annotations.resource]: `aaa/${resource.metadata.name}` },
      }),
    ],
    [
      'the resource, for another one',
      (live) => ({ annotations: { ...live.annotations, [annotations.resource]: 'acme/other' } }),
    ],
  ])('are an edit, and set again: %s', async (_, change) => {
    const { metadata } = (await bring(object('Deployment'))).live[0] as StoredObject
    mark(change)
    expect(isTouched()).toBe(true)
    await bring(object('Deployment'))
    const { annotations: given, labels: labelled } = world.get('Deployment', 'thing')?.metadata ?? {}
    expect([given, labelled]).toEqual([metadata.annotations, metadata.labels])
  })

  test('leave the object that the status records with the resource', async () => {
    await bring(object('Deployment'))
    mark(() => ({ labels: {}, annotations: {} }))
    await bring(object('Deployment'))
    expect(world.get('Deployment', 'thing')?.metadata.annotations).toMatchObject({
      [annotations.resource]: keyOf(resource),
    })
  })

  test('leave no other object of the name with it', async () => {
    await bring(object('Deployment'))
    mark(() => ({ labels: {}, annotations: {}, uid: 'of another' }))
    await expect(bring(object('Deployment'))).rejects.toMatchObject({ reason: 'Conflict' })
  })
})

describe('Secrets', () => {
  test('are applied and removed, and never watched', async () => {
    await bring(object('Secret'), object('ConfigMap'))
    edit('Secret')
    expect(isTouched()).toBe(false)
    await bring(object('ConfigMap'))
    await inventory.removeAll(resource).catch(() => {})
    expect(world.log).not.toContain('watch Secret')
    expect(world.get('Secret', 'thing')).toBeUndefined()
  })

  test.each<[rule: string, metadata: StoredObject['metadata'], isGone: boolean]>([
    ['of the environment', own(annotations.environment, 'acme/shop.dev'), true],
    ['that a resource of the environment made', own(annotations.resource, keyOf(base)), true],
    ['of another environment', own(annotations.environment, 'acme/shop.other'), false],
    ['of another name', { ...own(annotations.environment, 'acme/shop.dev'), name: 'other' }, false],
  ])('that ended with the namespace %s are touched: no watch reports them', async (_, metadata, isGone) => {
    await bring(object('Secret'), object('ConfigMap'))
    endNamespace({ apiVersion: 'v1', kind: 'Namespace', metadata })
    expect(isTouched()).toBe(isGone)
  })

  test('have their version in the status, as other kinds without generations', async () => {
    const { applied } = await bring(object('Secret'), object('ConfigMap'))
    expect(applied.map(({ kind, resourceVersion }) => [kind, resourceVersion !== undefined])).toEqual([
      ['Secret', true],
      ['ConfigMap', true],
    ])
  })
})

describe('the status records before the apply', () => {
  test.each<[rule: string, kind: string, recorded: boolean, isNamed: boolean]>([
    ['a Secret: no watch finds it', 'Secret', false, true],
    ['no object of a kind that can be watched: the kind is remembered', 'ConfigMap', false, false],
    ['no object that the status names already', 'Secret', true, false],
  ])('%s', async (_, kind, recorded, isNamed) => {
    if (recorded) record([{ apiVersion: 'v1', kind, name: 'thing', namespace, uid: 'known' }])
    const unrecorded = await inventory.unrecorded(resource, [object(kind)])
    expect(unrecorded).toEqual(isNamed ? [{ apiVersion: 'v1', kind, name: 'thing', namespace, uid: '' }] : [])
    expect([...world.kinds.all()].map((each) => each.kind)).toEqual(kind === 'Secret' ? [] : [kind])
  })

  test('nothing when a kind may not be watched: the operator could not delete its objects', async () => {
    door.watch = async () => {
      throw new Stalled('NotAllowed', 'no right')
    }
    const recording = inventory.unrecorded(resource, [object('Secret'), object('ConfigMap')])
    await expect(recording).rejects.toThrow(Stalled)
  })
})

test.each<[rule: string, known: AppliedObject[]]>([
  ['it is not in the status', []],
  [
    'it is in the status as one that is about to be applied',
    [{ apiVersion: 'v1', kind: 'Secret', name: 'thing', namespace, uid: '' }],
  ],
])('an object of another owner does not change when %s', async (_, known) => {
  const foreign = world.put(object('Secret', { data: { own: 'eA==' } }))
  record(known)
  await expect(bring(object('Secret'))).rejects.toMatchObject({ reason: 'Conflict' })
  expect(world.get('Secret', 'thing')).toEqual(foreign)
  await inventory.removeAll(resource)
  expect(world.get('Secret', 'thing')).toEqual(foreign)
})

test('no object is applied when one of them belongs to another owner', async () => {
  world.put(object('Secret', { data: { own: 'eA==' } }))
  await expect(bring(object('ConfigMap'), object('Secret'))).rejects.toMatchObject({ reason: 'Conflict' })
  expect(world.get('ConfigMap', 'thing')).toBeUndefined()
})

describe('a Service that changes whether it is headless is made again, as the cluster cannot change it', () => {
  const service = (clusterIP?: string, more: object = {}) =>
    object('Service', { spec: { type: 'ClusterIP', clusterIP, ...more } })
  const addressOf = () =>
    (world.get('Service', 'thing')?.spec as { clusterIP?: string } | undefined)?.clusterIP // a Service

  /** What the API server says about the address, and about a type that has an address. */
  const refused = (name: string, what: string, spec: unknown) => {
    const all = [`spec.clusterIPs[0]: Invalid value: ${what}`]
    if ((spec as { type: string }).type === 'LoadBalancer')
      all.push(`spec.clusterIPs[0]: Invalid value: "None"`)
    const text = all.length > 1 ? `[${all.join(', ')}]` : all[0]
    return new Stalled('Rejected', `the cluster refuses: Service "${name}" is invalid: ${text}`)
  }

  /** Applies as the API server does: a headless Service stays headless, and another one cannot become it. */
  beforeEach(() => {
    const apply = door.apply.bind(door)
    door.apply = async (each) => {
      if (each.kind !== 'Service') return apply(each)
      const live = world.get('Service', 'thing')?.spec as { clusterIP: string } | undefined // a Service
      const { clusterIP = live?.clusterIP ?? '10.0.0.1', ...rest } = each.spec as { clusterIP?: string }
      if (live && live.clusterIP !== clusterIP)
        throw refused(each.metadata.name, `["${clusterIP}"]: may not change once set`, each.spec)
      return apply({ ...each, spec: { ...rest, clusterIP } })
    }
  })

  test.each<[from: string | undefined, to: string | undefined, address: string]>([
    ['None', undefined, '10.0.0.1'],
    [undefined, 'None', 'None'],
  ])('from %s to %s', async (from, to, address) => {
    await bring(object('ConfigMap'), service(from))
    const { uid } = world.get('Service', 'thing')?.metadata ?? {}
    const { applied } = await bring(object('ConfigMap'), service(to))
    expect(addressOf()).toBe(address)
    expect(applied.find(({ kind }) => kind === 'Service')?.uid).not.toBe(uid)
    expect(world.get('Service', 'thing')?.metadata.uid).toBe(applied[1]?.uid)
    expect(isTouched()).toBe(false)
  })

  test('but is left alone by any other change', async () => {
    await bring(service('None'))
    const { uid } = world.get('Service', 'thing')?.metadata ?? {}
    await bring(service('None', { sessionAffinity: 'ClientIP' }))
    expect(world.get('Service', 'thing')?.metadata.uid).toBe(uid)
    await bring(service('None'))
    expect(world.log.filter((each) => each.startsWith('remove'))).toEqual([])
  })

  test('but is left alone when the cluster refuses another address', async () => {
    await bring(service())
    await expect(bring(service('10.0.0.2'))).rejects.toMatchObject({ reason: 'Rejected' })
    expect(addressOf()).toBe('10.0.0.1')
  })

  test('but is left alone when the cluster would refuse the new one too', async () => {
    const type = 'LoadBalancer'
    await bring(service(undefined, { type }))
    await expect(bring(service('None', { type }))).rejects.toMatchObject({ reason: 'Rejected' })
    expect(addressOf()).toBe('10.0.0.1')
  })

  test.each<[from: string | undefined, to: string | undefined, address: string]>([
    ['None', undefined, '10.0.0.1'],
    [undefined, 'None', 'None'],
  ])('from %s to %s, once a finalizer lets it go', async (from, to, address) => {
    await bring(service(from))
    const { metadata } = world.get('Service', 'thing') ?? {}
    if (metadata)
      world.replaceMetadata('Service', 'thing', { ...metadata, finalizers: ['example.test/address'] })
    for (const _ of ['the first attempt', 'the next one'])
      await expect(bring(service(to))).rejects.toMatchObject({ reason: 'ObjectsRemain' })
    const ending = world.get('Service', 'thing')?.metadata
    if (ending) world.replaceMetadata('Service', 'thing', { ...ending, finalizers: [] })
    await bring(service(to))
    expect(addressOf()).toBe(address)
  })
})

test('an object that is no longer wanted is deleted', async () => {
  await bring(object('ConfigMap'), object('Deployment'))
  await bring(object('Deployment'))
  expect(world.get('ConfigMap', 'thing')).toBeUndefined()
  expect(isTouched()).toBe(false)
})

describe('an object that the cluster serves in several versions of an API', () => {
  const scaler = (apiVersion: string, maxReplicas = 2): KubeObject => ({
    ...object('HorizontalPodAutoscaler', { spec: { maxReplicas } }),
    apiVersion,
  })
  const uid = () => world.get('HorizontalPodAutoscaler', 'thing')?.metadata.uid

  test.each<[when: string, act: () => Promise<unknown>]>([
    ['its manifest names another version', () => bring(scaler('autoscaling/v2'))],
    ['its manifest names another group that serves it', () => bring(scaler('scaling.example.com/v1'))],
    [
      'another resource uses another version',
      async () => {
        await world.kinds.remember({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' })
        await bring(scaler('autoscaling/v1', 3))
      },
    ],
  ])('stays when %s', async (_, act) => {
    await bring(scaler('autoscaling/v1'))
    const known = uid()
    await act()
    expect(known).toBeDefined()
    expect(uid()).toBe(known)
  })

  test('is one object of the resource', async () => {
    await bring(scaler('autoscaling/v1'))
    await world.kinds.remember({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' })
    record([])
    expect(await inventory.objectsOf(resource)).toHaveLength(1)
  })

  test('is touched when it is deleted by hand after another version of it was applied', async () => {
    await bring(scaler('autoscaling/v1'))
    await bring(scaler('autoscaling/v2'))
    world.delete('HorizontalPodAutoscaler', 'thing')
    expect(isTouched()).toBe(true)
  })
})

test('a clear waits for objects that are being deleted', async () => {
  await bring(object('ConfigMap', {}, 'slow'))
  world.replaceMetadata('ConfigMap', 'slow', {
    ...(world.get('ConfigMap', 'slow')?.metadata ?? { name: 'slow' }),
    finalizers: ['example.com/other'],
  })
  await expect(inventory.removeAll(resource)).rejects.toBeInstanceOf(Waiting)
})

describe('an object that is awaited', () => {
  test.each<[rule: string, act: () => void, isEnqueued: boolean]>([
    ['enqueues the resource when its status changes', () => touch(1), true],
    ['enqueues it when it is edited', () => edit('Deployment'), true],
    ['enqueues it when it is deleted', () => world.delete('Deployment', 'thing'), true],
    ['is silent while nothing happens', () => {}, false],
  ])('%s, though no status names it yet', async (_, act, isEnqueued) => {
    const applied = await inventory.apply(resource, [object('Deployment')])
    await inventory.enqueueOnChange(resource, applied)
    act()
    expect(enqueued.length > 0).toBe(isEnqueued)
  })

  test('enqueues it once', async () => {
    await inventory.enqueueOnChange(resource, await bring(object('Deployment')))
    touch(1)
    touch(2)
    expect(enqueued).toEqual([keyOf(resource)])
  })

  test('enqueues it for changes before the wait began', async () => {
    const applied = await bring(object('Deployment'))
    touch(1)
    expect(enqueued).toEqual([])
    await inventory.enqueueOnChange(resource, applied)
    expect(enqueued).toEqual([keyOf(resource)])
  })

  test('does not enqueue it for our own apply, whose event is late', async () => {
    const release = world.holdEvents()
    await inventory.enqueueOnChange(resource, await bring(object('Deployment')))
    release()
    expect(enqueued).toEqual([])
  })

  test.each<[rule: string, end: () => Promise<unknown>]>([
    ['it is applied again', () => bring(object('Deployment'))],
    ['it is cleared', () => inventory.removeAll(resource).catch(() => {})],
  ])('is awaited no more when %s', async (_, end) => {
    await inventory.enqueueOnChange(resource, await bring(object('Deployment')))
    await end()
    enqueued = []
    touch(1)
    expect(enqueued).toEqual([])
  })
})

function touch(replicas: number) {
  world.touchStatus('Deployment', 'thing', { replicas })
}

describe('requests', () => {
  /** Reads of the API server during the work. */
  async function readsDuring(work: () => Promise<unknown>): Promise<string[]> {
    const reads: string[] = []
    const { read } = door
    door.read = (reference) => {
      reads.push(`${reference.kind} ${reference.name}`)
      return read(reference)
    }
    await work()
    door.read = read
    return reads
  }

  test('a new object is read once, and not the namespace that the watch shows', async () => {
    isOpen = true
    await inventory.unrecorded(resource, [object('ConfigMap')])
    expect(await readsDuring(() => bring(object('ConfigMap')))).toEqual(['ConfigMap thing'])
  })

  test('resources that need a new namespace at once share one request', async () => {
    const twenty = Array.from({ length: 20 }, (_, index) => object('ConfigMap', {}, `thing-${index}`))
    const reads = await readsDuring(() =>
      Promise.all(twenty.map((each) => inventory.apply(resource, [each]))),
    )
    expect(reads.filter((each) => each.startsWith('Namespace'))).toHaveLength(1)
    expect(world.log.filter((each) => each.startsWith('apply Namespace'))).toHaveLength(1)
  })

  test('an object that did not change is applied again without a read', async () => {
    isOpen = true
    await bring(object('ConfigMap'))
    expect(await readsDuring(() => bring(object('ConfigMap')))).toEqual([])
  })

  test('an object that the watch shows is deleted without a read', async () => {
    await inventory.unrecorded(resource, [object('ConfigMap')])
    await bring(object('ConfigMap'))
    expect(await readsDuring(() => inventory.removeAll(resource))).toEqual([])
    expect(world.get('ConfigMap', 'thing')).toBeUndefined()
  })
})

test.each<[rule: string, isLost: boolean]>([
  ['was applied', false],
  ['was applied although the answer got lost', true],
])('an object that %s a moment ago is deleted, before any watch shows it', async (_, isLost) => {
  await inventory.unrecorded(resource, [object('ConfigMap')])
  const release = world.holdEvents()
  const { apply } = door
  door.apply = async (wanted) => {
    const answer = await apply(wanted)
    if (isLost && wanted.kind === 'ConfigMap') throw new Error('reset')
    return answer
  }
  await inventory.apply(resource, [object('ConfigMap')]).catch(() => {})
  expect(world.get('ConfigMap', 'thing')).toBeDefined()
  await inventory.removeAll(resource)
  expect(world.get('ConfigMap', 'thing')).toBeUndefined()
  release()
})

const route = (version: string): KubeObject => ({
  ...object('HTTPRoute'),
  apiVersion: `example.com/${version}`,
})
const onlyV1: FakeObjects['served'] = ({ kind }) =>
  kind === 'HTTPRoute' ? { apiVersion: 'example.com/v1', kind } : { apiVersion: 'v1', kind }
const noRoutes: FakeObjects['served'] = (kind) => (kind.kind === 'HTTPRoute' ? undefined : kind)

test.each<[rule: string, served: FakeObjects['served'], isGone: boolean]>([
  ['is deleted in another version', onlyV1, true],
  ['does not stop the deletion without another version', noRoutes, false],
])('an object of a version that ended before any watch showed it %s', async (_, served, isGone) => {
  await inventory.unrecorded(resource, [route('v1beta1')])
  world.holdEvents()
  await inventory.apply(resource, [route('v1beta1')])
  world.served = served
  await inventory.removeAll(resource)
  expect(world.get('HTTPRoute', 'thing') === undefined).toBe(isGone)
})

describe('after a restart', () => {
  const end = (served: FakeObjects['served']) => {
    world.served = served
    start()
  }
  test('an object of a version that is no longer served gets another version', async () => {
    const [known] = (await bring(route('v1beta1'))).applied
    end(onlyV1)
    const { applied } = await bring(route('v1'))
    expect(applied).toMatchObject([{ apiVersion: 'example.com/v1', uid: known?.uid }])
    expect(world.get('HTTPRoute', 'thing')).toBeDefined()
  })

  test.each<[rule: string, isRecorded: boolean, served: FakeObjects['served'], isGone: boolean]>([
    ['a version that is no longer served is deleted in another one', true, onlyV1, true],
    ['such a version is deleted when no status names it', false, onlyV1, true],
    ['a kind that is no longer served does not stop the deletion', true, noRoutes, false],
  ])('an object of %s', async (_, isRecorded, served, isGone) => {
    await bring(route('v1beta1'), object('ConfigMap'))
    if (!isRecorded) record([])
    end(served)
    await inventory.removeAll(resource)
    expect(world.get('ConfigMap', 'thing')).toBeUndefined()
    expect(world.get('HTTPRoute', 'thing') === undefined).toBe(isGone)
  })

  test('many provisions ask once for a kind that is no longer served', async () => {
    await world.kinds.remember(route('v1beta1'))
    let asked = 0
    world.served = noRoutes
    const { served } = door
    door.served = (kind) => {
      if (kind.kind === 'HTTPRoute') asked += 1
      return served(kind)
    }
    for (let time = 0; time < 3; time++) await bring(object('ConfigMap', { data: { time } }))
    expect(asked).toBe(1)
  })

  test('a kind that is no longer served is not watched', async () => {
    await world.kinds.remember(route('v1beta1'))
    world.served = noRoutes
    const watched: string[] = []
    const { watch } = door
    door.watch = (kind) => {
      watched.push(kind.kind)
      return watch(kind)
    }
    await bring(object('ConfigMap'))
    await inventory.removeAll(resource)
    expect(watched).not.toContain('HTTPRoute')
  })

  test('an object of a version that is no longer served is touched when it was deleted in between', async () => {
    await bring(route('v1beta1'))
    world.delete('HTTPRoute', 'thing')
    isTouched()
    end(onlyV1)
    await eventually('a kind that is watched', 5000, async () => enqueued[0])
    expect(isTouched()).toBe(true)
  })

  test.each([
    ['no resource', undefined],
    ['an earlier status', []],
  ])(
    'an object that was deleted in between is touched when the watch, which showed %s at first, shows what records it',
    async (_, earlier) => {
      const { applied } = await bring(object('ConfigMap'))
      world.delete('ConfigMap', 'thing')
      const { metadata } = resource
      if (earlier) record(earlier)
      else cluster.drop(ActiveResource, metadata.namespace, metadata.name)
      world.log.length = 0
      start()
      const isWatched = async () => world.log.includes('watch ConfigMap') || undefined
      await eventually('the look at all resources', 5000, isWatched)
      await sleep(20)
      expect(isTouched()).toBe(false)
      record(applied)
      expect(isTouched()).toBe(true)
    },
  )
})

describe('after a crash', () => {
  test.each(['ConfigMap', 'Deployment', 'Service'])(
    'a %s that no status names is found by its kind',
    async (kind) => {
      await inventory.unrecorded(resource, [object(kind)])
      await inventory.apply(resource, [object(kind)])
      start()
      await inventory.removeAll(resource)
      expect(world.get(kind, 'thing')).toBeUndefined()
    },
  )

  test.each<[rule: string, recorded: boolean]>([
    ['stops a resource that records such an object', true],
    ['stops no other resource', false],
  ])('a remembered kind that the operator cannot watch %s', async (_, recorded) => {
    await world.kinds.remember({ apiVersion: 'v1', kind: 'Lost' })
    if (recorded) record([{ apiVersion: 'v1', kind: 'Lost', name: 'thing', namespace, uid: 'known' }])
    door.watch = async () => {
      throw new Stalled('NotAllowed', 'no right')
    }
    const removal = inventory.removeAll(resource)
    if (recorded) await expect(removal).rejects.toMatchObject({ reason: 'NotAllowed' })
    else await removal
  })

  test('a remembered kind that the operator cannot watch is asked for once by many provisions, and again by a deletion', async () => {
    await world.kinds.remember({ apiVersion: 'v1', kind: 'Lost' })
    const { watch } = door
    let asked = 0
    door.watch = async (kind) => {
      if (kind.kind !== 'Lost') return watch(kind)
      asked++
      throw new Stalled('NotAllowed', 'no right')
    }
    for (let time = 0; time < 3; time++) await bring(object('ConfigMap', { data: { time } }))
    expect(asked).toBe(1)
    await inventory.removeAll(resource)
    expect(asked).toBe(2)
  })

  describe('a remembered kind that could not be watched long ago', () => {
    const unlistedMs = 100

    /** A new process, whose first provision fails to watch the kind, and which works for no resource after that. */
    async function startAfter(failure: Error) {
      await bring(object('Lost'))
      record([])
      failWith(failure)
      start(unlistedMs)
      await bring(object('ConfigMap'))
      await sleep(unlistedMs + 20)
    }

    const refused = new Stalled('NotServed', 'no CRD')
    const notListed = new ReconcileError('NotListed', 'conversion failed')

    function failWith(failure?: Error) {
      world.beforeWatch = (kind) => {
        if (kind === 'Lost' && failure) throw failure
      }
    }

    test.each([
      ['was refused', refused],
      ['was not listed', notListed],
    ])('because it %s is asked for by each of two deletions at once', async (_, failure) => {
      await startAfter(failure)
      failWith(undefined)
      const found = await Promise.all([inventory.objectsOf(resource), inventory.objectsOf(resource)])
      for (const each of found) expect(each.map(({ kind }) => kind)).toContain('Lost')
    })

    test('because it was refused stops a deletion when it is not listed now', async () => {
      await startAfter(refused)
      failWith(notListed)
      await expect(inventory.removeAll(resource)).rejects.toMatchObject({ reason: 'NotListed' })
    })
  })

  describe('a remembered kind that the cluster does not list', () => {
    let asked: number

    /** A new process; it cannot watch the kind. */
    async function startWithout(unlistedMs?: number) {
      await world.kinds.remember({ apiVersion: 'v1', kind: 'Lost' })
      start(unlistedMs)
      await new Promise(setImmediate)
      asked = 0
      const { watch } = door
      door.watch = async (kind) => {
        if (kind.kind !== 'Lost') return watch(kind)
        asked++
        throw new ReconcileError('NotListed', 'conversion failed')
      }
    }

    test('stops the provision of no resource that does not record such an object', async () => {
      await startWithout()
      for (let time = 0; time < 3; time++) await bring(object('ConfigMap', { data: { time } }))
      expect(asked).toBe(1)
    })

    test.each<[rule: string, work: () => Promise<unknown>]>([
      ['provision', () => bring(object('ConfigMap'))],
      ['deletion', () => inventory.removeAll(resource)],
    ])('stops the %s of a resource that records such an object, at any time', async (_, work) => {
      await startWithout(0)
      record([{ apiVersion: 'v1', kind: 'Lost', name: 'thing', namespace, uid: 'known' }])
      await expect(work()).rejects.toMatchObject({ reason: 'NotListed' })
    })

    test.each<[rule: string, unlistedMs: number, expected: object]>([
      ['stops the end of a namespace at first', 60_000, { reason: 'NotListed' }],
      ['stops the end of a namespace no more after some time', 0, ["ConfigMap 'theirs'"]],
    ])('%s: what others made there cannot be named', async (_, unlistedMs, expected) => {
      await startWithout(unlistedMs)
      await world.kinds.remember({ apiVersion: 'v1', kind: 'ConfigMap' })
      world.put(object('ConfigMap', {}, 'theirs'))
      const { readForeign } = door
      door.readForeign = async (kind, where) => {
        if (kind.kind === 'Lost') throw new ReconcileError('NotListed', 'conversion failed')
        return readForeign(kind, where)
      }
      expect(await inventory.foreignIn(namespace).catch((error: unknown) => error)).toMatchObject(expected)
    })

    test.each<[rule: string, unlistedMs: number, isStopped: boolean]>([
      ['stops a deletion at first: the resource may have such an object', 60_000, true],
      ['stops a deletion no more after some time', 0, false],
    ])('%s', async (_, unlistedMs, isStopped) => {
      await bring(object('ConfigMap'))
      await startWithout(unlistedMs)
      const removal = inventory.removeAll(resource)
      if (isStopped) await expect(removal).rejects.toMatchObject({ reason: 'NotListed' })
      else await removal
      expect(world.get('ConfigMap', 'thing') !== undefined).toBe(isStopped)
    })
  })
})
