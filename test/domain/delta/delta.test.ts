import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../operator/domain/base/errors.ts'
import {
  applyDelta,
  type DeltaContent,
  deltaContent,
  diffSets,
  emptyDelta,
  emptySet,
  type SetContent,
  setId,
} from '../../../operator/domain/delta/delta.ts'
import { module, set } from '../../support/builders.ts'
import { sets, shared, update } from '../../support/deltas.ts'
import { fc } from '../../support/properties.ts'

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
      'an explicit class stays',
      shared({ op: 'add', path: '/files', value: { type: 's3', class: 'admin' } }),
      { ...base, shared: { main: { type: 's3' }, files: { type: 's3', class: 'admin' } } },
    ],
    [
      'the class that the type had stays with another type',
      shared(
        { op: 'add', path: '/files', value: { type: 's3.admin' } },
        { op: 'replace', path: '/files/type', value: 'gcs' },
      ),
      { ...base, shared: { main: { type: 's3' }, files: { type: 'gcs', class: 'admin' } } },
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
      'the class that the type of a private one had stays with another type',
      update(
        'web',
        { op: 'replace', path: '/externals/db', value: { type: 'postgres.big' } },
        { op: 'replace', path: '/externals/db/type', value: 'mysql' },
      ),
      {
        ...base,
        modules: { web: module({ db: { type: 'mysql', class: 'big' } }, { replicas: 1, ports: ['a', 'b'] }) },
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
    ['a path may have 64 steps', update('web', { op: 'remove', path: `/spec${'/a'.repeat(63)}` }), base],
    [
      'modules are removed before they are added',
      deltaContent({ modules: { remove: ['web'], add: { web: module({}, {}) } } }),
      { ...base, modules: { web: module() } },
    ],
    [
      'an added module may have null for no dependencies',
      deltaContent({ modules: { add: { web: { ...module(), externals: null } } } }),
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
    [
      'remove of an index beyond the end does nothing',
      update('web', { op: 'remove', path: '/spec/ports/2' }),
      base,
    ],
    [
      'remove with scope delta takes back what the delta does, and nothing else',
      update(
        'web',
        { op: 'add', path: '/spec/x', value: 1 },
        { op: 'remove', path: '/spec/x', value: { scope: 'delta' } },
        { op: 'remove', path: '/spec/replicas', value: { scope: 'delta' } },
      ),
      base,
    ],
    [
      'a value may have a field `scope`',
      update('web', { op: 'replace', path: '/spec', value: { scope: 'delta' } }),
      { ...base, modules: { web: module({ db: { type: 'postgres' } }, { scope: 'delta' }) } },
    ],
    [
      'a module may have a field `shared`',
      update(
        'web',
        { op: 'replace', path: '/spec', value: { shared: {} } },
        { op: 'add', path: '/spec/shared/x', value: 1 },
      ),
      { ...base, modules: { web: module({ db: { type: 'postgres' } }, { shared: { x: 1 } }) } },
    ],
    [
      'a shared dependency may have a param `shared`',
      shared(
        { op: 'add', path: '/main/params', value: { shared: {} } },
        { op: 'add', path: '/main/params/shared/x', value: 1 },
      ),
      { ...base, shared: { main: { type: 's3', params: { shared: { x: 1 } } } } },
    ],
    ['null adds no module', { ...emptyDelta, modules: { ...emptyDelta.modules, add: { api: null } } }, base],
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
      'an unknown module cannot be made by an update',
      update('none', { op: 'add', path: '', value: {} }),
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
    [
      'nothing is added below a value that is no map',
      update('web', { op: 'add', path: '/spec/replicas/x', value: 1 }),
      '/spec/replicas/x',
    ],
    ['- replaces nothing', update('web', { op: 'replace', path: '/spec/ports/-', value: 1 }), "'-'"],
    ['nothing is below -', update('web', { op: 'add', path: '/spec/ports/-/x', value: 1 }), "'-'"],
    ['a ~ begins an escape', shared({ op: 'add', path: '/a~2', value: {} }), "'~'"],
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
    [
      'a path of more than 64 steps is refused in a module',
      update('web', { op: 'add', path: `/spec${'/a'.repeat(64)}`, value: 1 }),
      'more than 64 steps',
    ],
    [
      'a path of more than 64 steps is refused in the shared dependencies',
      shared({ op: 'remove', path: '/a'.repeat(65) }),
      'more than 64 steps',
    ],
    ['a path begins with a slash', shared({ op: 'add', path: 'main', value: {} }), "'main'"],
    ['externals are an object', update('web', { op: 'add', path: '/externals', value: 5 }), "'externals'"],
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

describe('laws of deltas', () => {
  test('the difference of two sets makes the one out of the other', () => {
    fc.assert(
      fc.property(sets, sets, (one, other) => {
        const [from, to] = [applyDelta(one, emptyDelta), applyDelta(other, emptyDelta)]
        expect(applyDelta(from, diffSets(from, to))).toEqual(to)
      }),
    )
  })

  test('the difference of a set from itself is empty', () => {
    fc.assert(
      fc.property(sets, (content) => {
        expect(diffSets(content, content)).toEqual(emptyDelta)
      }),
    )
  })

  test('the id of a set is the same from one release to the next', () => {
    const id = '6a0a34e8ff6b337a6e3be1a0cdf7fd468673e92ddfedd1eaa993dbc7b5cf2f09'
    const web = { profile: 'p', spec: {}, externals: {} }
    expect(setId({ modules: { web }, shared: { main: { type: 's3' } } })).toBe(id)
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
})
