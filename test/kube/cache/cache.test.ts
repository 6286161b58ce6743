import { describe, expect, test } from '@jest/globals'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { type Cache, type Change, createCache } from '../../../operator/kube/cache/cache.ts'
import { storedMeta } from '../../support/builders.ts'

interface Thing extends StoredObject {
  readonly spec?: { readonly colors: readonly string[] }
}

function thing(name: string, resourceVersion: number, colors: readonly string[] = [], uid = name): Thing {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: storedMeta({ namespace: 'acme', name, uid, resourceVersion: String(resourceVersion) }),
    spec: { colors },
  }
}

function setUp(...objects: readonly Thing[]) {
  const errors: unknown[] = []
  const changes: string[] = []
  // `spec` is taken for granted, as the indexes of our kinds do.
  const cache = createCache<Thing>({ color: (each) => (each.spec as { colors: string[] }).colors }, (error) =>
    errors.push(error),
  )
  for (const object of objects) cache.set(object)
  cache.subscribe((change) => changes.push(describeChange(change)))
  return { cache, changes, errors }
}

function describeChange({ before, after, origin }: Change<Thing>): string {
  const version = (object: Thing | undefined) => object?.metadata.resourceVersion ?? '-'
  return `${version(before)} to ${version(after)}${origin ? ` by ${origin}` : ''}`
}

const versions = (cache: Cache<Thing>) =>
  [...cache.all()].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
const named = (objects: readonly Thing[]) => objects.map(({ metadata }) => metadata.name)

describe('the cache never moves back in time', () => {
  test.each<[rule: string, act: (cache: Cache<Thing>) => void, expected: string[], changes: string[]]>([
    ['a newer version is taken', (cache) => cache.set(thing('a', 11)), ['a 11'], ['10 to 11']],
    ['an older version is not', (cache) => cache.set(thing('a', 9)), ['a 10'], []],
    ['the same version is no news', (cache) => cache.set(thing('a', 10)), ['a 10'], []],
    [
      'versions compare as numbers, not as text',
      (cache) => cache.set(thing('a', 9_000)),
      ['a 9000'],
      ['10 to 9000'],
    ],
    ['the writer is named', (cache) => cache.set(thing('a', 11), 'Thing'), ['a 11'], ['10 to 11 by Thing']],
    ['a deletion takes the object out', (cache) => cache.remove(thing('a', 11)), [], ['10 to -']],
    [
      'a late answer to a write does not restore a deleted object',
      (cache) => {
        cache.remove(thing('a', 12))
        cache.set(thing('a', 11))
      },
      [],
      ['10 to -'],
    ],
    [
      'nor when the deletion was all that was ever seen of it',
      (cache) => {
        cache.remove(thing('b', 12))
        cache.set(thing('b', 11))
      },
      ['a 10'],
      [],
    ],
    [
      'an object that left the selection of labels can return',
      (cache) => {
        cache.remove(thing('a', 12))
        cache.set(thing('a', 13))
      },
      ['a 13'],
      ['10 to -', '- to 13'],
    ],
    [
      'another object of the same name is another object',
      (cache) => {
        cache.remove(thing('a', 12))
        cache.set(thing('a', 13, [], 'second'))
      },
      ['a 13'],
      ['10 to -', '- to 13'],
    ],
    [
      'it is one also when the end of the first is not seen before',
      (cache) => cache.set(thing('a', 13, [], 'second'), 'Thing'),
      ['a 13'],
      ['10 to -', '- to 13 by Thing'],
    ],
    [
      'the first does not return after the end of the second',
      (cache) => {
        cache.set(thing('a', 13, [], 'second'))
        cache.remove(thing('a', 14, [], 'second'))
        cache.set(thing('a', 11))
      },
      [],
      ['10 to -', '- to 13', '13 to -'],
    ],
    [
      'nor does one that was never seen before',
      (cache) => {
        cache.remove(thing('b', 14, [], 'second'))
        cache.set(thing('b', 11))
      },
      ['a 10'],
      [],
    ],
    [
      'nor does a version that was written before the end and is unknown here',
      (cache) => {
        cache.remove(thing('a', 10), undefined, true)
        cache.set(thing('a', 11))
      },
      [],
      ['10 to -'],
    ],
    [
      'the late end of the first does not take out the second',
      (cache) => {
        cache.set(thing('a', 13, [], 'second'))
        cache.remove(thing('a', 12))
      },
      ['a 13'],
      ['10 to -', '- to 13'],
    ],
    [
      'the end of the second takes out the first',
      (cache) => cache.remove(thing('a', 12, [], 'second')),
      [],
      ['10 to -'],
    ],
    [
      'an object that is gone is so in every version',
      (cache) => cache.remove(thing('a', 9), undefined, true),
      [],
      ['10 to -'],
    ],
    [
      'the end of the first takes out the second after a restore of etcd',
      (cache) => {
        cache.set(thing('a', 13, [], 'second'))
        cache.distrust()
        cache.remove(thing('a', 12))
      },
      [],
      ['10 to -', '- to 13', '13 to -'],
    ],
  ])('%s', (_, act, expected, expectedChanges) => {
    const { cache, changes } = setUp(thing('a', 10))
    act(cache)
    expect(versions(cache)).toEqual(expected)
    expect(cache.size).toBe(expected.length)
    expect(changes).toEqual(expectedChanges)
  })
})

describe('a complete list', () => {
  test('removes objects that it lacks, each notified once, and keeps those that are newer', async () => {
    const { cache, changes } = setUp(thing('listed', 5), thing('gone', 6), thing('newer', 30))
    await cache.retain(new Set(['acme/listed']), '20')
    expect(versions(cache).sort()).toEqual(['listed 5', 'newer 30'])
    await cache.retain(new Set(['acme/listed']), '20')
    expect(changes).toEqual(['6 to -'])
    cache.set(thing('gone', 7))
    expect(cache.get('acme', 'gone')).toBeUndefined()
  })

  test('has precedence after the versions moved back: etcd was restored', async () => {
    const { cache } = setUp(thing('a', 100), thing('deleted', 90), thing('unknown', 100))
    cache.remove(thing('deleted', 101))
    cache.distrust()
    for (const restored of [thing('a', 50), thing('deleted', 40)]) cache.set(restored)
    await cache.retain(new Set(['acme/a', 'acme/deleted']), '60')
    expect(versions(cache).sort()).toEqual(['a 50', 'deleted 40'])
    cache.set(thing('a', 49))
    expect(versions(cache)).toContain('a 50')
  })

  test('does not undo the writes since the restore of etcd, nor does a late answer', async () => {
    const { cache } = setUp(thing('a', 100))
    cache.distrust()
    for (const written of [thing('a', 62), thing('new', 63)]) cache.set(written)
    cache.set(thing('a', 50))
    await cache.retain(new Set(['acme/a']), '60')
    expect(versions(cache).sort()).toEqual(['a 62', 'new 63'])
  })
})

test('a long list gives other work turns, whose writes it keeps', async () => {
  const count = 50_000
  const { cache } = setUp(...Array.from({ length: count }, (_, index) => thing(`n-${index}`, 1)))
  const listed = new Set(Array.from({ length: count / 2 }, (_, index) => `acme/n-${2 * index}`))
  let turns = 0
  const compared = cache.retain(listed, '100')
  const write = () => {
    turns += 1
    cache.set(thing('written', 100 + turns))
    cache.set(thing(`n-${count - 1}`, 100 + turns))
    cache.remove(thing(`n-${count - 2}`, 100 + turns))
  }
  for (let turn = 0; turn < 3; turn += 1) setImmediate(write)
  await compared
  expect(turns).toBe(3)
  expect(cache.size).toBe(count / 2 + 1)
  expect(cache.get('acme', 'written')?.metadata.resourceVersion).toBe('103')
  expect(cache.get('acme', `n-${count - 1}`)?.metadata.resourceVersion).toBe('103')
  expect(cache.get('acme', 'n-1')).toBeUndefined()
})

test('indexes follow every change', () => {
  const { cache } = setUp(thing('a', 1, ['red', 'blue']), thing('b', 2, ['red']))
  expect(named(cache.byIndex('color', 'red'))).toEqual(['a', 'b'])
  cache.set(thing('a', 3, ['green']))
  expect(named(cache.byIndex('color', 'red'))).toEqual(['b'])
  expect(named(cache.byIndex('color', 'blue'))).toEqual([])
  expect(cache.byIndex('color', 'green')[0]?.metadata.resourceVersion).toBe('3')
  cache.remove(thing('a', 4))
  expect(cache.byIndex('color', 'green')).toEqual([])
  expect(named(cache.inNamespace('acme'))).toEqual(['b'])
  expect(cache.inNamespace('globex')).toEqual([])
})

test('a handler that throws keeps nothing from the others', () => {
  const { cache, changes, errors } = setUp()
  cache.subscribe(() => {
    throw new Error('broken handler')
  })
  const after: string[] = []
  cache.subscribe((change) => after.push(describeChange(change)))
  cache.set(thing('a', 1))
  cache.set(thing('a', 2))
  expect([changes, after]).toEqual([
    ['- to 1', '1 to 2'],
    ['- to 1', '1 to 2'],
  ])
  expect(errors).toHaveLength(2)
})

test('an object that an index cannot read is in the cache nevertheless, and can be corrected or deleted', () => {
  const { cache, changes, errors } = setUp()
  const poisonous: Thing = { ...thing('a', 1), spec: undefined }
  cache.set(poisonous)
  expect(errors).toHaveLength(1)
  expect(versions(cache)).toEqual(['a 1'])
  cache.set(thing('a', 2, ['red']))
  expect(named(cache.byIndex('color', 'red'))).toEqual(['a'])
  cache.set({ ...poisonous, metadata: { ...poisonous.metadata, resourceVersion: '3' } })
  expect(cache.byIndex('color', 'red')).toEqual([])
  cache.remove(thing('a', 4))
  expect(cache.size).toBe(0)
  expect(changes).toEqual(['- to 1', '1 to 2', '2 to 3', '3 to -'])
})

test('a value without readers is dropped', () => {
  const { cache } = setUp()
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
  const { metadata } = thing('a', 1)
  const noisy = { ...metadata, managedFields: [{}], annotations: { [lastApplied]: '{}', kept: 'yes' } }
  cache.set({ ...thing('a', 1), metadata: noisy })
  expect(cache.get('acme', 'a')?.metadata).toEqual({ ...metadata, annotations: { kept: 'yes' } })
})
