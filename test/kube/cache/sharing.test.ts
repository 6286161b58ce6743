import { describe, expect, test } from '@jest/globals'
import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { createCache } from '../../../operator/kube/cache/cache.ts'
import { createCompact } from '../../../operator/kube/cache/sharing.ts'
import { casesOf, fc } from '../../support/properties.ts'

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** Few values, so that many parts are equal, and long texts beside short ones. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'quartermaster/template',
    'x'.repeat(300),
    '__proto__',
    '{"a":1}',
    '["a"]',
    'null',
  ),
  fc.string({ maxLength: 20 }),
)
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, 1, -7, 1.5, 1e21),
    text,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}))
const fields = fc.dictionary(text, json, { maxKeys: 5 })
const metadata = fc.record(
  {
    labels: fc.dictionary(text, text, { maxKeys: 2 }),
    annotations: fc.dictionary(fc.oneof(text, fc.constant(lastApplied)), text, { maxKeys: 3 }),
    finalizers: fc.array(text, { maxLength: 2 }),
    managedFields: fc.array(fields, { maxLength: 2 }),
    creationTimestamp: fc.constantFrom('2026-11-23T06:00:00Z', '2026-11-23T06:00:01Z'),
  },
  { requiredKeys: ['creationTimestamp'] },
)
const object = fc
  .record(
    {
      kind: fc.constantFrom(...kinds.map(({ kind }) => kind), 'Namespace', 'ResourceQuota'),
      metadata,
      spec: fields,
      status: fields,
      data: json,
    },
    { requiredKeys: ['kind', 'metadata'] },
  )
  .map(({ metadata: rest, kind, ...content }) => ({
    apiVersion: 'quartermaster.dev/v1alpha1',
    kind,
    metadata: rest,
    ...content,
  }))

/** What the API server sends, as text, and what readers may see of it. */
function served(each: object, name: string, version: number): { sent: string; expected: string } {
  const { metadata: rest, ...content } = each as KubeObject & { metadata: Record<string, unknown> } // made above
  const whole = {
    ...content,
    metadata: { ...rest, name, namespace: 'acme', uid: name, resourceVersion: `${version}` },
  }
  const sent = JSON.stringify(whole)
  const seen = JSON.parse(sent)
  delete seen.metadata.managedFields
  if (seen.metadata.annotations) delete seen.metadata.annotations[lastApplied]
  return { sent, expected: JSON.stringify(seen) }
}

test('readers see each object as the API server sent it, in the same order of keys, after any events of any kinds', () => {
  const events = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(object)), { maxLength: 12 })
  fc.assert(
    fc.property(events, (all) => {
      const cache = createCache({}, () => {})
      const expected = new Map<string, string>()
      for (const [index, [name, each]] of all.entries()) {
        const { sent, expected: seen } = served(each ?? { metadata: {} }, name, index + 1)
        const parsed = JSON.parse(sent) as StoredObject
        if (each) {
          cache.set(parsed)
          expected.set(name, seen)
        } else {
          cache.remove(parsed)
          expected.delete(name)
        }
        // Earlier objects too: a later one has parts of theirs.
        for (const known of 'abcd') expect(JSON.stringify(cache.get('acme', known))).toBe(expected.get(known))
      }
    }),
    { numRuns: casesOf(2000) },
  )
})

test('equal parts and texts of objects are one', () => {
  const compact = createCompact(() => 2)
  const make = (name: string) =>
    compact(
      JSON.parse(
        JSON.stringify({
          kind: 'ActiveResource',
          metadata: { name, finalizers: ['quartermaster.dev/finalizer'] },
          spec: { definition: { driverInputs: { values: { a: [1, { b: 2 }] } } }, list: [{}], own: { name } },
        }),
      ),
    )
  const [first, second] = [make('first'), make('second')]
  expect(second.spec.definition).toBe(first.spec.definition)
  expect(second.spec.list).toBe(first.spec.list)
  expect(second.metadata.finalizers).toBe(first.metadata.finalizers)
  expect(second.spec.own).toEqual({ name: 'second' })
})

test('a spec or status that the version before has too stays the same object', () => {
  const cache = createCache({}, () => {})
  const versions = [
    { spec: { list: [{ a: 1 }], text: 'x' }, status: { ready: false } },
    { spec: { list: [{ a: 1 }], text: 'x' }, status: { ready: true } },
    { spec: { list: [{ a: 2 }], text: 'x' }, status: { ready: true } },
    { spec: { list: [{ a: 2, b: 3 }], text: 'x' }, status: { ready: true } },
    { spec: { list: [{ b: 3, a: 2 }], text: 'x' }, status: { ready: true, at: [] } },
    { spec: { list: { 0: { b: 3, a: 2 } }, text: 'x' }, status: { ready: true, at: {} } },
    { spec: { list: { 0: { b: 3, a: 2 } } } },
    { spec: { list: { 0: { b: 3, a: 2 } } }, status: {} },
  ]
  const seen = versions.map((content, index) => {
    const { sent } = served(content, 'a', index + 1)
    cache.set(JSON.parse(sent) as StoredObject)
    return cache.get('acme', 'a') as unknown as (typeof versions)[number]
  })
  const kept = seen.slice(1).map(({ spec, status }, index) => ({
    spec: spec === seen[index]?.spec,
    status: status === seen[index]?.status,
  }))
  expect(kept).toEqual([
    { spec: true, status: false },
    { spec: false, status: true },
    { spec: false, status: true },
    // Another order of keys is another text.
    { spec: false, status: false },
    { spec: false, status: false },
    { spec: false, status: false },
    { spec: true, status: false },
  ])
})

test.each([
  ['another object of the name', { uid: 'b' }],
  ['an object whose deletion begins', { deletionTimestamp: '2026-11-23T06:00:02Z' }],
])('%s has another spec object: those who compare specs must learn of it', (_, metadata) => {
  const cache = createCache({}, () => {})
  const versions = [{}, metadata].map((each, index) => {
    const { sent } = served({ spec: { list: [1] }, status: { ready: true } }, 'a', index + 1)
    const object = JSON.parse(sent) as StoredObject
    cache.set({ ...object, metadata: { ...object.metadata, ...each } })
    return cache.get('acme', 'a') as unknown as { spec: object; status: object }
  })
  expect(versions[1]?.spec).not.toBe(versions[0]?.spec)
  expect(versions[1]?.status).not.toBe(versions[0]?.status)
})

test.each([100, 4000, 9900])('an object whose spec is nested %d deep is kept as it is', (depth) => {
  const cache = createCache({}, () => {})
  const list = '['.repeat(depth) + ']'.repeat(depth)
  for (const version of [1, 2]) {
    const { sent } = served({ spec: { list: 0 } }, 'a', version)
    const text = sent.replace('"list":0', `"list":${list}`)
    cache.set(JSON.parse(text) as StoredObject)
    expect(cache.get('acme', 'a')?.metadata.resourceVersion).toBe(String(version))
    let levels = 0
    let value = (cache.get('acme', 'a') as unknown as { spec: { list: unknown } }).spec.list
    for (; Array.isArray(value); value = value[0]) levels += 1
    expect(levels).toBe(depth)
  }
})

describe('the memory of shared parts is bounded: what is not seen in a while is forgotten', () => {
  test.each([
    { objects: 10, characters: 10_000, isKept: true },
    { objects: 10, characters: 50_000, isKept: false },
    { objects: 5000, characters: 400_000, isKept: true },
    { objects: 5000, characters: 1_100_000, isKept: false },
    { objects: 1_000_000, characters: 900_000, isKept: true },
    { objects: 1_000_000, characters: 2_200_000, isKept: false },
  ])('$objects objects, after $characters other characters: kept $isKept', (row) => {
    const compact = createCompact(() => row.objects)
    const make = (value: string) =>
      compact(JSON.parse(JSON.stringify({ metadata: {}, spec: { part: { value } } })))
    const before = make('x'.repeat(100)).spec.part
    expect(make('x'.repeat(100)).spec.part).toBe(before)
    const length = row.characters / 100
    for (let each = 0; each < 100; each += 1) make(String(each).padEnd(length, 'y'))
    const after = make('x'.repeat(100)).spec.part
    expect(after).toEqual(before)
    expect(after === before).toBe(row.isKept)
  })
})
