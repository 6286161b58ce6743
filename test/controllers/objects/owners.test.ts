import { describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { createInventory } from '../../../operator/controllers/objects/inventory.ts'
import { environmentNamespace } from '../../../operator/domain/resource/identity.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, context } from '../../support/builders.ts'
import { fc } from '../../support/properties.ts'
import { createFakeObjects } from '../support/fake-objects.ts'

const namespace = environmentNamespace(context())
const kinds = ['ConfigMap', 'Secret'] as const
type Wanted = readonly [kind: string, name: string, apiVersion?: string]
const ids = ['a', 'b', 'c']

function object(kind: string, name: string, by: string, apiVersion = 'v1'): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, data: { by: btoa(by) } }
}

/** An inventory, and resources that apply objects with it. */
function open() {
  const cluster = createFakeCluster()
  const world = createFakeObjects()
  const inventory = createInventory(world.open(), {
    store: cluster.store,
    kinds: world.kinds,
    serverNow: Date.now,
    namespaces: { isOpen: () => true, onGone: () => {} },
  })
  const resources = new Map(ids.map((id) => [id, activeResource({ type: 's3', resourceId: id })]))
  for (const each of resources.values()) cluster.put(ActiveResource, each)

  /** Applies objects and records them, as a provision does; returns why not. */
  async function bring(id: string, wanted: readonly Wanted[]) {
    const resource = resources.get(id) ?? activeResource({ type: 's3', resourceId: id })
    try {
      const objects = wanted.map(([kind, name, apiVersion]) => object(kind, name, id, apiVersion))
      await inventory.unrecorded(resource, objects)
      const { applied } = await inventory.apply(resource, objects)
      const next = { ...resource, status: { ...resource.status, objects: [...applied] } }
      resources.set(id, next)
      cluster.put(ActiveResource, next)
      return undefined
    } catch (error) {
      return (error as { reason?: string }).reason ?? error
    }
  }
  const ownerOf = (kind: string, name: string) =>
    world.get(kind, name)?.metadata.annotations?.[annotations.resource]
  const keyFor = (id: string) => keyOf(resources.get(id) ?? activeResource({ type: 's3', resourceId: id }))
  /** Whom each object belongs to, as the statuses say. */
  const claims = () =>
    [...resources].flatMap(([id, { status }]) =>
      (status?.objects ?? [])
        .filter(({ kind, name, uid }) => world.get(kind, name)?.metadata.uid === uid)
        .map(({ kind, name }) => ({ kind, name, id })),
    )
  return { world, bring, ownerOf, keyFor, claims }
}

test('an object that two resources want at once in two versions belongs to one of them', async () => {
  const { bring, ownerOf, keyFor } = open()
  const wants = [bring('a', [['ConfigMap', 'settings']]), bring('b', [['ConfigMap', 'settings', 'v2']])]
  expect(await Promise.all(wants)).toEqual([undefined, 'Conflict'])
  expect(ownerOf('ConfigMap', 'settings')).toBe(keyFor('a'))
})

describe.each(kinds)('a %s', (kind) => {
  test('that two resources want at once belongs to one of them', async () => {
    const { bring, ownerOf, keyFor } = open()
    const [first, second] = await Promise.all(['a', 'b'].map((id) => bring(id, [[kind, 'settings']])))
    expect([first, second]).toEqual([undefined, 'Conflict'])
    expect(ownerOf(kind, 'settings')).toBe(keyFor('a'))
  })

  test.each([
    ['and its watch has shown it', true],
    ['and its watch is late', false],
  ])('that was deleted, and that another owner made since, does not change: %s', async (_, isSeen) => {
    const { world, bring } = open()
    expect(await bring('a', [[kind, 'settings']])).toBeUndefined()
    if (!isSeen) world.holdEvents()
    world.delete(kind, 'settings')
    const foreign = world.put(object(kind, 'settings', 'foreign'))
    expect(await bring('a', [[kind, 'settings']])).toBe('Conflict')
    expect(world.get(kind, 'settings')).toEqual(foreign)
  })

  test.each([true, false])('that was deleted is made again; its watch has shown it: %s', async (isSeen) => {
    const { world, bring, ownerOf, keyFor } = open()
    expect(
      await bring('a', [
        [kind, 'settings'],
        ['ConfigMap', 'other'],
      ]),
    ).toBeUndefined()
    if (!isSeen) world.holdEvents()
    world.delete(kind, 'settings')
    expect(
      await bring('a', [
        ['ConfigMap', 'other'],
        [kind, 'settings'],
      ]),
    ).toBeUndefined()
    expect(ownerOf(kind, 'settings')).toBe(keyFor('a'))
  })
})

test('an object that its owner makes again is not free while its watch is late', async () => {
  const { world, bring, ownerOf, keyFor } = open()
  await bring('a', [['ConfigMap', 'settings']])
  world.delete('ConfigMap', 'settings')
  world.holdEvents()
  expect(await bring('a', [['ConfigMap', 'settings']])).toBeUndefined()
  const others = [bring('c', [['ConfigMap', 'other']]), bring('b', [['ConfigMap', 'settings']])]
  expect(await Promise.all(others)).toEqual([undefined, 'Conflict'])
  expect(ownerOf('ConfigMap', 'settings')).toBe(keyFor('a'))
})

test.each([
  ['a change of the first object', 1],
  ['the deletion of the first object', 2],
])(
  'an object that its owner makes again is not free while its late watch shows only %s',
  async (_, events) => {
    const { world, bring, ownerOf, keyFor } = open()
    await bring('a', [['ConfigMap', 'settings']])
    const release = world.holdEvents()
    world.touchStatus('ConfigMap', 'settings', {})
    world.delete('ConfigMap', 'settings')
    expect(await bring('a', [['ConfigMap', 'settings']])).toBeUndefined()
    release(events)
    const others = [bring('c', [['ConfigMap', 'other']]), bring('b', [['ConfigMap', 'settings']])]
    expect(await Promise.all(others)).toEqual([undefined, 'Conflict'])
    expect(ownerOf('ConfigMap', 'settings')).toBe(keyFor('a'))
  },
)

test('no apply changes an object of another owner, in any order of what happens at the same time', async () => {
  const place = fc.tuple(fc.constantFrom(...kinds), fc.constantFrom('x', 'y', 'z'))
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        id: fc.constantFrom(...ids),
        wanted: fc.uniqueArray(place, { maxLength: 3, selector: String }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ remove: place, isReplaced: fc.boolean() }) },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      async (rounds) => {
        const { world, bring, ownerOf, keyFor, claims } = open()
        const foreign = new Map<string, unknown>()
        for (const round of rounds) {
          await Promise.all(
            round.map(async (each) => {
              if ('id' in each) {
                const failure = await bring(each.id, each.wanted)
                expect([undefined, 'Conflict']).toContain(failure)
                return
              }
              const [kind, name] = each.remove
              await Promise.resolve()
              if (!world.get(kind, name)) return
              world.delete(kind, name)
              foreign.delete(`${kind} ${name}`)
              if (each.isReplaced) foreign.set(`${kind} ${name}`, world.put(object(kind, name, 'foreign')))
            }),
          )
          for (const [key, known] of foreign) {
            const [kind = '', name = ''] = key.split(' ')
            expect(world.get(kind, name)).toEqual(known)
          }
          for (const { kind, name, id } of claims()) expect(ownerOf(kind, name)).toBe(keyFor(id))
        }
      },
    ),
    { numRuns: 300 },
  )
})
