import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { environmentNamespace } from '../../../operator/domain/resource/identity.ts'
import type { Driver, Provisioned } from '../../../operator/drivers/driver.ts'
import { activeResource, context, driver } from '../../support/builders.ts'
import { createWorld, isEnqueued, type World } from '../support/world.ts'

const namespace = environmentNamespace(context())
const nothing = { values: {}, secrets: {} }
let answer: Partial<Provisioned>
let world: World

const maker: Driver = {
  descriptor: driver('maker'),
  provision: async () => ({ outputs: nothing, objects: [], ...answer }),
  async deprovision() {},
}

function object(kind: string, name = 'thing'): KubeObject {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1'
  return { apiVersion, kind, metadata: { name }, spec: { size: 1 } }
}

const base = activeResource(
  { type: 'base', resourceId: 'main' },
  { definition: { definitionName: 'base', driverType: 'quartermaster/maker' } },
)

/** Outputs that only a Deployment with replicas has. */
const replicas: Provisioned['outputsFrom'] = async ([live]) => {
  const status = live?.status as { replicas?: number } | undefined // as a test sets it
  if (!status?.replicas) throw new Waiting('OutputsNotReady', 'waiting for replicas')
  return { values: { replicas: status.replicas }, secrets: {} }
}

/** Changes the inputs of the resource. */
function change(of: ActiveResource) {
  const current = world.now(of) ?? of
  const { spec } = current
  const definition = { ...spec.definition, driverInputs: { values: { new: 1 } } }
  world.put({ ...current, spec: { ...spec, definition } })
}

let resource: ActiveResource

beforeEach(() => {
  world = createWorld([maker])
  answer = {}
  resource = world.put(base)
})

describe('outputs that are read from objects', () => {
  test('are asked after all were applied, with the live objects in order', async () => {
    const seen: string[] = []
    answer = {
      objects: [object('Deployment'), object('ConfigMap'), object('Secret')],
      outputsFrom: async (live) => {
        world.log.push('outputs')
        seen.push(...live.map(({ kind, metadata }) => `${kind} ${metadata.uid ? 'with uid' : ''}`))
        return { values: { at: 1 }, secrets: {} }
      },
    }
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(seen).toEqual(['Deployment with uid', 'ConfigMap with uid', 'Secret with uid'])
    expect(world.log.indexOf('outputs')).toBeGreaterThan(world.log.indexOf('apply Secret thing'))
    expect(world.statusOf(resource).outputs).toEqual({ at: 1 })
  })

  test('take the place of those that were there before', async () => {
    answer = {
      outputs: { values: { at: 0 }, secrets: {} },
      outputsFrom: async () => ({ values: { at: 1 }, secrets: {} }),
    }
    await world.reconcile(resource)
    expect(world.statusOf(resource).outputs).toEqual({ at: 1 })
  })

  test('can be read from objects of other owners, in the namespace of the environment alone', async () => {
    const put = (name: string, where: string) =>
      world.objects.put({ ...object('ConfigMap', name), metadata: { name, namespace: where } })
    put('inside', namespace)
    put('outside', 'kube-system')
    const reference = { apiVersion: 'v1', kind: 'ConfigMap' }
    const seen: Record<string, unknown> = {}
    const elsewhere = { ...reference, name: 'outside', namespace: 'kube-system' }
    answer = {
      observed: {
        in: { ...reference, name: 'inside' },
        out: elsewhere,
        none: { ...reference, name: 'none' },
      },
      outputsFrom: async (_, observed) => {
        for (const [name, each] of Object.entries(observed)) seen[name] = each?.metadata.name
        return nothing
      },
    }
    await world.reconcile(resource)
    expect(seen).toEqual({ in: 'inside', out: undefined, none: undefined })
  })

  test('cannot be read from a namespace outside of the environment', async () => {
    const id = { type: 'k8s-namespace', resourceId: 'k8s-namespace' }
    const given = activeResource(id, { definition: { definitionName: 'given', driverType: 'none/none' } })
    const ready = {
      type: 'Ready',
      status: 'True' as const,
      reason: 'Reconciled' as const,
      message: '',
      lastTransitionTime: '',
    }
    const status = { outputs: { namespace: 'kube-system' }, conditions: [ready], observedGeneration: 1 }
    world.put({ ...given, status })
    world.objects.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } })
    let isAsked = false
    answer = {
      observed: { secret: { apiVersion: 'v1', kind: 'Secret', name: 'login' } },
      outputsFrom: async () => {
        isAsked = true
        return nothing
      },
    }
    expect(await world.reconcile(resource)).toMatchObject({ reason: 'NamespaceNotOpen' })
    expect(isAsked).toBe(false)
  })
})

describe('while outputs are waited for', () => {
  beforeEach(() => {
    answer = {
      objects: [object('Deployment'), object('Secret')],
      reservedHosts: ['shop.test'],
      outputsFrom: replicas,
    }
  })

  test.each<[why: string, error: () => Error]>([
    ['they are not there yet', () => new Waiting('OutputsNotReady', 'not yet')],
    ['a person must act', () => new Stalled('InvalidTemplate', 'no')],
  ])('the objects and the reserved hosts are in the status: %s', async (_, error) => {
    answer = {
      ...answer,
      outputsFrom: async () => {
        throw error()
      },
    }
    await world.reconcile(resource)
    const { objects = [], reservedHosts, provisioned, inputsHash } = world.statusOf(resource)
    expect(objects.map(({ kind, uid }) => [kind, uid !== ''])).toEqual([
      ['Deployment', true],
      ['Secret', true],
    ])
    expect(reservedHosts).toEqual(['shop.test'])
    expect(provisioned?.driverType).toBe('quartermaster/maker')
    expect(inputsHash).toBeUndefined()
  })

  test.each<[why: string, outputsFrom: Provisioned['outputsFrom']]>([
    ['they are not there yet', replicas],
    [
      'they are invalid',
      async () => {
        throw new Stalled('InvalidOutputs', 'no')
      },
    ],
  ])('a driver can keep the objects of before: %s', async (_, outputsFrom) => {
    answer = { objects: [object('Deployment', 'old'), object('Secret', 'old')] }
    await world.reconcile(resource)
    answer = { objects: [object('Deployment')], outputsFrom, keepsEarlier: true }
    change(resource)
    expect(await world.reconcile(resource)).toBeInstanceOf(Error)
    const old = ['Deployment old', 'Secret old']
    expect(world.objects.names()).toEqual(expect.arrayContaining([...old, 'Deployment thing']))
    answer = { ...answer, outputsFrom: async () => nothing }
    world.restart()
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(world.objects.names()).toEqual([`Namespace ${namespace}`, 'Deployment thing'])
    expect(world.statusOf(resource).objects?.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'Deployment thing',
    ])
  })

  test('the outputs of before stay', async () => {
    answer = { outputs: { values: { replicas: 7 }, secrets: {} } }
    await world.reconcile(resource)
    answer = { objects: [object('Deployment')], outputsFrom: replicas }
    change(resource)
    expect(await world.reconcile(resource)).toBeInstanceOf(Waiting)
    expect(world.statusOf(resource).outputs).toEqual({ replicas: 7 })
  })

  test('a change of an object enqueues the resource, and no longer does afterwards', async () => {
    expect(await world.reconcile(resource)).toBeInstanceOf(Waiting)
    expect(isEnqueued(world, resource)).toBe(false)
    world.objects.touchStatus('Deployment', 'thing', { replicas: 2 })
    expect(isEnqueued(world, resource)).toBe(true)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(world.statusOf(resource).outputs).toEqual({ replicas: 2 })
    world.enqueued.length = 0
    world.objects.touchStatus('Deployment', 'thing', { replicas: 3 })
    expect(world.enqueued).toEqual([])
  })

  test('a change between the answers of the cluster and of the driver is not missed', async () => {
    answer = {
      ...answer,
      outputsFrom: async () => {
        world.objects.touchStatus('Deployment', 'thing', { replicas: 2 })
        throw new Waiting('OutputsNotReady', 'not yet')
      },
    }
    await world.reconcile(resource)
    expect(isEnqueued(world, resource)).toBe(true)
  })

  test('a deletion takes the objects away', async () => {
    await world.reconcile(resource)
    world.remove(resource)
    await world.reconcile(resource)
    expect(world.now(resource)).toBeUndefined()
    expect(world.objects.names()).toEqual([`Namespace ${namespace}`])
  })
})
