import { describe, expect, test } from '@jest/globals'
import type { PatchOperation } from '../../operator/api/deployment-delta.ts'
import {
  applyDelta,
  type DeltaContent,
  deltaContent,
  diffSets,
  emptyDelta,
  emptySet,
  foldDelta,
  type SetContent,
  setId,
} from '../../operator/domain/delta.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { module, set } from '../support/builders.ts'
import { fc } from '../support/properties.ts'

function shared(...operations: PatchOperation[]): DeltaContent {
  return deltaContent({ shared: operations })
}

function update(workload: string, ...operations: PatchOperation[]): DeltaContent {
  return deltaContent({ modules: { update: { [workload]: operations } } })
}

const base = set(
  { web: module({ db: { type: 'postgres' } }, { replicas: 1, ports: ['a', 'b'] }) },
  { main: { type: 's3' } },
)

describe('applying a delta', () => {
  test.each<[string, DeltaContent, SetContent]>([
    ['an empty delta gives the same set', emptyDelta, base],
    [
      'a shared dependency is added under /spec/shared/<res_id>',
      shared({ op: 'add', path: '/spec/shared/files', value: { type: 's3' } }),
      { ...base, shared: { main: { type: 's3' }, files: { type: 's3' } } },
    ],
    [
      'a path relative to the shared dependencies means the same',
      shared({ op: 'add', path: '/files', value: { type: 's3' } }),
      { ...base, shared: { main: { type: 's3' }, files: { type: 's3' } } },
    ],
    [
      'the class is taken out of the type',
      shared({ op: 'add', path: '/shared/files', value: { type: 's3.admin' } }),
      { ...base, shared: { main: { type: 's3' }, files: { type: 's3', class: 'admin' } } },
    ],
    [
      'a class of its own stays',
      shared({ op: 'add', path: '/files', value: { type: 's3', class: 'admin' } }),
      { ...base, shared: { main: { type: 's3' }, files: { type: 's3', class: 'admin' } } },
    ],
    [
      'a private dependency is added under /externals/<res_id>',
      update('web', { op: 'add', path: '/externals/q', value: { type: 'amqp.big' } }),
      {
        ...base,
        modules: {
          web: module(
            { db: { type: 'postgres' }, q: { type: 'amqp', class: 'big' } },
            { replicas: 1, ports: ['a', 'b'] },
          ),
        },
      },
    ],
    [
      '- appends to an array',
      update('web', { op: 'add', path: '/spec/ports/-', value: 'c' }),
      {
        ...base,
        modules: { web: module({ db: { type: 'postgres' } }, { replicas: 1, ports: ['a', 'b', 'c'] }) },
      },
    ],
    [
      'add at an index inserts',
      update('web', { op: 'add', path: '/spec/ports/0', value: 'c' }),
      {
        ...base,
        modules: { web: module({ db: { type: 'postgres' } }, { replicas: 1, ports: ['c', 'a', 'b'] }) },
      },
    ],
    [
      'remove of a missing path does nothing',
      update('web', { op: 'remove', path: '/spec/none/deeper' }),
      base,
    ],
    [
      'modules are removed before they are added',
      deltaContent({ modules: { remove: ['web'], add: { web: module({}, {}) } } }),
      { ...base, modules: { web: module() } },
    ],
    [
      'an added module is updated',
      deltaContent({
        modules: { add: { api: module() }, update: { api: [{ op: 'add', path: '/spec/x', value: 1 }] } },
      }),
      { ...base, modules: { ...base.modules, api: module({}, { x: 1 }) } },
    ],
    [
      'escapes of RFC 6901 apply',
      update('web', { op: 'add', path: '/spec/a~1b~0c', value: 1 }),
      {
        ...base,
        modules: {
          web: module({ db: { type: 'postgres' } }, { replicas: 1, ports: ['a', 'b'], 'a/b~c': 1 }),
        },
      },
    ],
  ])('%s', (_, delta, expected) => {
    expect(applyDelta(base, delta)).toEqual(expected)
  })

  test.each<[string, DeltaContent, string]>([
    [
      'an unknown module cannot be updated',
      update('none', { op: 'add', path: '/spec/x', value: 1 }),
      "module 'none'",
    ],
    [
      'a missing path cannot be replaced',
      update('web', { op: 'replace', path: '/spec/none', value: 1 }),
      '/spec/none',
    ],
    [
      'nothing is added below a missing path',
      update('web', { op: 'add', path: '/spec/a/b', value: 1 }),
      '/spec/a/b',
    ],
    ['a bad index is refused', update('web', { op: 'add', path: '/spec/ports/x', value: 1 }), "'x'"],
    [
      'an index beyond the end is refused',
      update('web', { op: 'replace', path: '/spec/ports/2', value: 1 }),
      '/spec/ports/2',
    ],
    [
      'prototype keys are refused in paths',
      shared({ op: 'add', path: '/__proto__', value: {} }),
      '__proto__',
    ],
    ['a path begins with a slash', shared({ op: 'add', path: 'main', value: {} }), "'main'"],
    ['a dependency is an object', shared({ op: 'add', path: '/main', value: 5 }), "shared 'main'"],
    [
      'prototype keys are refused as module ids',
      deltaContent({ modules: { add: JSON.parse('{"__proto__": {"spec": {}}}') } }),
      '__proto__',
    ],
  ])('%s', (_, delta, named) => {
    expect(() => applyDelta(base, delta)).toThrow(Problem)
    expect(() => applyDelta(base, delta)).toThrow(named)
  })
})

describe('folding a change into a delta', () => {
  const add = deltaContent({ modules: { add: { api: module() } } })
  test.each<[string, DeltaContent, DeltaContent, DeltaContent]>([
    [
      'added modules replace',
      add,
      deltaContent({ modules: { add: { api: { spec: {} } } } }),
      deltaContent({ modules: { add: { api: { spec: {} } } } }),
    ],
    [
      'null takes a pending removal back',
      deltaContent({ modules: { remove: ['web'] } }),
      { ...emptyDelta, modules: { ...emptyDelta.modules, add: { web: null } } },
      emptyDelta,
    ],
    [
      'a removed module is no longer added',
      add,
      deltaContent({ modules: { remove: ['api'] } }),
      deltaContent({ modules: { remove: ['api'] } }),
    ],
    [
      'a removed module is no longer updated',
      update('web', { op: 'add', path: '/x', value: 1 }),
      deltaContent({ modules: { remove: ['web'] } }),
      deltaContent({ modules: { remove: ['web'] } }),
    ],
    [
      'an update of an added module changes it',
      add,
      update('api', { op: 'add', path: '/externals/db', value: { type: 'postgres' } }),
      deltaContent({ modules: { add: { api: module({ db: { type: 'postgres' } }) } } }),
    ],
    [
      'a later operation on a path wins',
      shared({ op: 'add', path: '/a', value: { type: 's3' } }),
      shared({ op: 'replace', path: '/a', value: { type: 'gcs' } }),
      shared({ op: 'add', path: '/a', value: { type: 'gcs' } }),
    ],
    [
      'an operation inside an added value changes that value',
      shared({ op: 'add', path: '/a', value: { type: 's3' } }),
      shared({ op: 'add', path: '/a/params', value: { x: 1 } }),
      shared({ op: 'add', path: '/a', value: { type: 's3', params: { x: 1 } } }),
    ],
    [
      'a removal takes what is pending below it along',
      update('web', { op: 'add', path: '/spec/x', value: {} }, { op: 'add', path: '/spec/y', value: 1 }),
      update('web', { op: 'remove', path: '/spec' }),
      update('web', { op: 'remove', path: '/spec' }),
    ],
    [
      'remove with scope delta only cancels what is pending',
      shared(
        { op: 'add', path: '/a', value: { type: 's3' } },
        { op: 'add', path: '/b', value: { type: 's3' } },
      ),
      shared({ op: 'remove', path: '/a', value: { scope: 'delta' } }),
      shared({ op: 'add', path: '/b', value: { type: 's3' } }),
    ],
    [
      'an emptied list of updates goes',
      update('web', { op: 'add', path: '/spec/x', value: 1 }),
      update('web', { op: 'remove', path: '/spec/x', value: { scope: 'delta' } }),
      emptyDelta,
    ],
    [
      'operations on arrays keep their order',
      update('web', { op: 'add', path: '/spec/ports/0', value: 'x' }),
      update('web', { op: 'add', path: '/spec/ports/0', value: 'y' }),
      update(
        'web',
        { op: 'add', path: '/spec/ports/0', value: 'x' },
        { op: 'add', path: '/spec/ports/0', value: 'y' },
      ),
    ],
  ])('%s', (_, delta, patch, expected) => {
    expect(foldDelta(delta, patch)).toEqual(expected)
  })
})

const ids = fc.constantFrom('a', 'b', 'c')
const dependencies = fc.record(
  {
    type: fc.constantFrom('s3', 's3.admin', 'dns'),
    class: fc.constantFrom('x'),
    params: fc.dictionary(ids, fc.integer()),
  },
  { requiredKeys: ['type'] },
)
const trees = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.dictionary(ids, tie('tree')),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
}))
const modules = fc.record(
  {
    profile: fc.constant('p'),
    spec: fc.dictionary(ids, trees.tree),
    externals: fc.dictionary(ids, dependencies),
  },
  { requiredKeys: [] },
)
const steps = fc.constantFrom('a', 'b', 'c', '0', '1', '-')
const op = fc.constantFrom('add' as const, 'replace' as const, 'remove' as const)
const moduleOperations = fc.oneof(
  fc.record({
    op,
    path: fc
      .tuple(ids, fc.constantFrom('', '/params', '/type', '/params/a'))
      .map(([id, tail]) => `/externals/${id}${tail}`),
    value: dependencies,
  }),
  fc.record({
    op,
    path: fc.array(steps, { maxLength: 4 }).map((path) => ['/spec', ...path].join('/')),
    value: trees.tree,
  }),
  fc.record({ op, path: fc.constantFrom('/externals', '/profile'), value: fc.dictionary(ids, dependencies) }),
  fc.record({ op: fc.constant('add' as const), path: fc.constant(''), value: modules }),
)
const sharedOperations = fc.record({
  op,
  path: fc
    .tuple(ids, fc.constantFrom('', '', '/params', '/type', '/params/a'))
    .map(([id, tail]) => `/${id}${tail}`),
  value: dependencies,
})
const deltas: fc.Arbitrary<DeltaContent> = fc.record({
  modules: fc.record({
    add: fc.dictionary(ids, modules, { maxKeys: 2 }),
    remove: fc.uniqueArray(ids, { maxLength: 2 }),
    update: fc.dictionary(ids, fc.array(moduleOperations, { maxLength: 6 }), { maxKeys: 2 }),
  }),
  shared: fc.array(sharedOperations, { maxLength: 6 }),
})
const sets: fc.Arbitrary<SetContent> = fc.record({
  modules: fc.dictionary(ids, modules),
  shared: fc.dictionary(ids, dependencies),
})

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

describe('laws of deltas', () => {
  test('applying one after the other equals applying them folded', () => {
    let compared = 0
    fc.assert(
      fc.property(sets, deltas, deltas, (start, first, second) => {
        const one = attempt(() => applyDelta(applyDelta(start, first), second))
        if (one === undefined) return
        compared++
        expect(applyDelta(start, foldDelta(first, second))).toEqual(one)
      }),
      { numRuns: 500 },
    )
    expect(compared).toBeGreaterThan(10)
  })

  test('folding operations one by one into an empty delta changes nothing but their number', () => {
    fc.assert(
      fc.property(sets, fc.array(moduleOperations, { maxLength: 6 }), (start, operations) => {
        const whole = attempt(() =>
          applyDelta({ ...start, modules: { a: module(), ...start.modules } }, update('a', ...operations)),
        )
        if (whole === undefined) return
        const folded = operations.reduce(
          (delta, operation) => foldDelta(delta, update('a', operation)),
          emptyDelta,
        )
        expect(folded.modules.update['a']?.length ?? 0).toBeLessThanOrEqual(operations.length)
        expect(applyDelta({ ...start, modules: { a: module(), ...start.modules } }, folded)).toEqual(whole)
      }),
      { numRuns: 300 },
    )
  })

  test('no input is ever changed', () => {
    fc.assert(
      fc.property(sets, deltas, deltas, (start, first, second) => {
        const before = JSON.stringify([start, first, second])
        attempt(() => applyDelta(start, first))
        attempt(() => foldDelta(first, second))
        expect(JSON.stringify([start, first, second])).toBe(before)
      }),
    )
  })

  test('the difference of two sets makes the one out of the other', () => {
    fc.assert(
      fc.property(sets, sets, (one, other) => {
        const [from, to] = [applyDelta(one, emptyDelta), applyDelta(other, emptyDelta)]
        expect(applyDelta(from, diffSets(from, to))).toEqual(to)
      }),
    )
  })

  test('the id of a set does not depend on the order of keys', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, each]) => [key, reversed(each)]),
      )
    }
    fc.assert(
      fc.property(sets, (content) => {
        expect(setId(reversed(content) as SetContent)).toBe(setId(content)) // same shape, other order
      }),
    )
  })

  test('other content has another id', () => {
    expect(setId(emptySet)).toMatch(/^[0-9a-f]{64}$/)
    expect(setId(base)).not.toBe(setId(emptySet))
  })

  test('ten thousand operations are applied and folded at once', () => {
    const many = Array.from(
      { length: 10_000 },
      (_, i): PatchOperation => ({ op: 'add', path: `/r${i}`, value: { type: 's3' } }),
    )
    const folded = foldDelta(emptyDelta, shared(...many))
    expect(Object.keys(applyDelta(emptySet, folded).shared)).toHaveLength(10_000)
  })
})
