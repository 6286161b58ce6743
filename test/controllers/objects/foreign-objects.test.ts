import { beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { KubeObject, ObjectMeta } from '../../../operator/api/kind.ts'
import { marked, referenceTo } from '../../../operator/controllers/objects/applied-object.ts'
import { ForeignObjects } from '../../../operator/controllers/objects/foreign-objects.ts'
import { UnseenObjects } from '../../../operator/controllers/objects/unseen-objects.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import type { ObjectReference, Objects } from '../../../operator/kube/objects/objects.ts'
import { activeResource } from '../../support/builders.ts'
import { createFakeObjects, type FakeObjects } from '../support/fake-objects.ts'

const namespace = 'shop-staging'
const own = activeResource({ type: 'base', resourceId: 'main' })
const other = activeResource({ type: 'base', resourceId: 'other' })

let world: FakeObjects
let door: Objects
let unseen: UnseenObjects
let foreign: ForeignObjects
/** Reads of the API server: a name for a read of one object, `*` for a list. */
let reads: string[]

beforeEach(async () => {
  world = createFakeObjects()
  door = world.open()
  reads = []
  const { read, readForeign } = door
  door.read = async (reference) => {
    reads.push(reference.name)
    await new Promise(setImmediate)
    return read(reference)
  }
  door.readForeign = async (kind, where) => {
    reads.push('*')
    await new Promise(setImmediate)
    return readForeign(kind, where)
  }
  unseen = new UnseenObjects(door)
  foreign = new ForeignObjects(door, unseen)
  await door.watch({ apiVersion: 'v1', kind: 'ConfigMap' })
})

const object = (name: string, kind = 'ConfigMap'): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
})

const numbered = (count: number) => Array.from({ length: count }, (_, index) => object(`thing-${index}`))

/** Asks for all objects at once; returns the names of those that are refused. */
async function refused(objects: readonly KubeObject[]): Promise<string[]> {
  const answers = await Promise.allSettled(objects.map((each) => foreign.refuse(own, each)))
  return objects
    .filter((_, index) => answers[index]?.status === 'rejected')
    .map(({ metadata }) => metadata.name)
}

describe('what exists decides, for one question and for many at once', () => {
  const changed = (name: string, metadata: Partial<ObjectMeta>) => {
    const before = owned(name)
    return { ...before, metadata: { ...before.metadata, ...metadata } }
  }
  const owned = (name: string) => marked(own, object(name))
  const unlabelled = (name: string) => changed(name, { labels: undefined })
  test.each<[what: string, put: ((name: string) => KubeObject) | undefined, isRefused: boolean]>([
    ['nothing is not refused', undefined, false],
    ['an object of the resource is not refused', owned, false],
    ['an object of the resource that lost its labels is not refused', unlabelled, false],
    [
      'an object of the resource that lost its annotations is refused',
      (name) => changed(name, { annotations: undefined }),
      true,
    ],
    ['an object of another resource is refused', (name) => marked(other, object(name)), true],
    ['an object that no resource made is refused', object, true],
  ])('%s', async (_, put, isRefused) => {
    const asked = numbered(3)
    if (put) for (const { metadata } of asked) world.put(put(metadata.name))
    const names = asked.map(({ metadata }) => metadata.name)
    expect(await refused(asked.slice(0, 1))).toEqual(isRefused ? names.slice(0, 1) : [])
    expect(await refused(asked)).toEqual(isRefused ? names : [])
  })

  test('an object of another resource is refused that no watch shows yet', async () => {
    const release = world.holdEvents()
    unseen.add(keyOf(other), referenceTo(object('thing-2')))
    const { uid } = world.put(marked(other, object('thing-2'))).metadata
    unseen.noteApplied(keyOf(other), referenceTo(object('thing-2')), uid)
    expect(await refused(numbered(3))).toEqual(['thing-2'])
    release()
    expect(unseen.has(referenceTo(object('thing-2')))).toBe(false)
  })

  test('an object of another resource is refused whose watch shows an earlier one of its name', async () => {
    const applied = marked(other, object('thing-2'))
    const reference = referenceTo(applied)
    world.put(applied)
    const release = world.holdEvents()
    world.touchStatus('ConfigMap', 'thing-2', { of: 'the earlier object' })
    world.delete('ConfigMap', 'thing-2')
    unseen.add(keyOf(other), reference)
    release(1)
    unseen.noteApplied(keyOf(other), reference, world.put(applied).metadata.uid)
    release(1)
    expect(await refused(numbered(3))).toEqual(['thing-2'])
    release()
    expect(unseen.has(reference)).toBe(false)
  })

  test.each<[rule: string, end: (reference: ObjectReference, uid: string) => void]>([
    ['the answer comes', (reference, uid) => unseen.noteApplied(keyOf(other), reference, uid)],
    ['the answer gets lost', (reference) => unseen.noteFailed(keyOf(other), reference)],
  ])('an object that the watch shows before %s is not unseen', (_, end) => {
    const reference = referenceTo(object('thing-2'))
    unseen.add(keyOf(other), reference)
    end(reference, world.put(marked(other, object('thing-2'))).metadata.uid)
    expect(unseen.has(reference)).toBe(false)
  })

  test('an object that the watch shows after its answer got lost is not unseen', () => {
    const reference = referenceTo(object('thing-2'))
    unseen.add(keyOf(other), reference)
    unseen.noteFailed(keyOf(other), reference)
    expect(unseen.has(reference)).toBe(true)
    world.put(marked(other, object('thing-2')))
    expect(unseen.has(reference)).toBe(false)
  })

  test('an object that appeared before the question, during the list of others, is refused', async () => {
    const first = refused(numbered(2))
    await Promise.resolve()
    world.put(object('late'))
    expect(await refused([object('late')])).toEqual(['late'])
    await first
  })

  test('random objects are refused as single reads refuse them', async () => {
    const states = fc.array(fc.constantFrom('none', 'own', 'other', 'foreign', 'bare'), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(states, async (drawn) => {
        for (const { metadata } of world.inNamespace(namespace)) world.delete('ConfigMap', metadata.name)
        const objects = numbered(drawn.length)
        for (const [index, state] of drawn.entries()) {
          const each = objects[index] ?? object('')
          if (state === 'own') world.put(marked(own, each))
          if (state === 'other') world.put(marked(other, each))
          if (state === 'foreign') world.put(each)
          if (state === 'bare') world.put(unlabelled(each.metadata.name))
        }
        const expected = objects.filter((__, index) => ['other', 'foreign'].includes(drawn[index] ?? ''))
        expect(await refused(objects)).toEqual(expected.map(({ metadata }) => metadata.name))
      }),
    )
  })
})

describe('requests', () => {
  test.each<[rule: string, objects: KubeObject[], expected: string[]]>([
    ['one object is read', [object('thing')], ['thing']],
    ['many of a kind and a namespace at once share two lists', numbered(50), ['thing-0', '*', '*']],
    [
      'Secrets, which the operator may not list, are read',
      [object('one', 'Secret'), object('two', 'Secret')],
      ['one', 'two'],
    ],
  ])('%s', async (_, objects, expected) => {
    expect(await refused(objects)).toEqual([])
    expect(reads).toEqual(expected)
  })

  test('among many objects that no resource made, each is read', async () => {
    for (let index = 0; index < 30; index += 1) world.put(object(`foreign-${index}`))
    expect(await refused([...numbered(3), object('foreign-29')])).toEqual(['foreign-29'])
    expect(reads.filter((each) => each === '*')).toHaveLength(2)
  })

  test('questions one after the other share nothing', async () => {
    for (const each of numbered(3)) await foreign.refuse(own, each)
    expect(reads).toEqual(['thing-0', 'thing-1', 'thing-2'])
  })
})
