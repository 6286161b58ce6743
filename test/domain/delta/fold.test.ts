import { describe, expect, test } from '@jest/globals'
import type { PatchOperation } from '../../../operator/api/deployment-delta.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import {
  applyDelta,
  type DeltaContent,
  deltaContent,
  emptyDelta,
  emptySet,
} from '../../../operator/domain/delta/delta.ts'
import { foldDelta } from '../../../operator/domain/delta/fold.ts'
import { module } from '../../support/builders.ts'
import {
  attempt,
  deltas,
  moduleOperations,
  retractingDeltas,
  sets,
  shared,
  update,
} from '../../support/deltas.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { stepsOf } from '../../support/steps.ts'

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
      'null of an earlier change has no more effect',
      { ...emptyDelta, modules: { ...emptyDelta.modules, add: { web: null } } },
      add,
      add,
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
      'a removal also discards pending operations below it',
      update('web', { op: 'add', path: '/spec/x', value: {} }, { op: 'add', path: '/spec/y', value: 1 }),
      update('web', { op: 'remove', path: '/spec' }),
      update('web', { op: 'remove', path: '/spec' }),
    ],
    [
      'remove with scope delta only cancels pending operations',
      shared(
        { op: 'add', path: '/a', value: { type: 's3' } },
        { op: 'add', path: '/b', value: { type: 's3' } },
      ),
      shared({ op: 'remove', path: '/a', value: { scope: 'delta' } }),
      shared({ op: 'add', path: '/b', value: { type: 's3' } }),
    ],
    [
      'names with any character are distinct',
      shared({ op: 'replace', path: '/a\0b/c', value: 1 }),
      shared({ op: 'replace', path: '/a/b\0c', value: 2 }),
      shared({ op: 'replace', path: '/a\0b/c', value: 1 }, { op: 'replace', path: '/a/b\0c', value: 2 }),
    ],
    [
      'a shared dependency may be named `shared`',
      shared({ op: 'replace', path: '/shared/shared/params', value: 1 }),
      shared({ op: 'replace', path: '/a', value: 2 }),
      shared(
        { op: 'replace', path: '/shared/shared/params', value: 1 },
        { op: 'replace', path: '/a', value: 2 },
      ),
    ],
    [
      'an empty list of updates is removed',
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
    expect(foldDelta(delta, [patch])).toEqual(expected)
  })

  test.each<[rule: string, modules: string]>([
    ['a prototype key as the id of an added module', '{"add": {"__proto__": {}}}'],
    ['a prototype key as the id of an updated module', '{"update": {"__proto__": []}}'],
    ['the removal of a whole module', '{"update": {"web": [{"op": "remove", "path": ""}]}}'],
    ['a whole module that is no object', '{"update": {"web": [{"op": "add", "path": "", "value": 5}]}}'],
  ])('%s is refused', (_, modules) => {
    const patch = deltaContent({ modules: JSON.parse(modules) })
    expect(() => foldDelta(emptyDelta, [patch])).toThrow(Problem)
  })
})

describe('laws of folding', () => {
  test('applying one after the other equals applying them folded', () => {
    let compared = 0
    fc.assert(
      fc.property(sets, deltas, deltas, (start, first, second) => {
        const one = attempt(() => applyDelta(applyDelta(start, first), second))
        if (one === undefined) return
        compared++
        expect(applyDelta(start, foldDelta(first, [second]))).toEqual(one)
      }),
      { numRuns: casesOf(5000) },
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
          (delta, operation) => foldDelta(delta, [update('a', operation)]),
          emptyDelta,
        )
        expect(folded.modules.update['a']?.length ?? 0).toBeLessThanOrEqual(operations.length)
        expect(applyDelta({ ...start, modules: { a: module(), ...start.modules } }, folded)).toEqual(whole)
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('many patches folded at once equal one after the other', () => {
    const agreed = { folded: 0, refused: 0 }
    fc.assert(
      fc.property(deltas, fc.array(retractingDeltas, { maxLength: 6 }), (first, patches) => {
        const one = attempt(() => patches.reduce((delta, patch) => foldDelta(delta, [patch]), first))
        expect(attempt(() => foldDelta(first, patches))).toEqual(one)
        agreed[one ? 'folded' : 'refused']++
      }),
      { numRuns: casesOf(5000) },
    )
    expect(agreed.folded).toBeGreaterThan(50)
    expect(agreed.refused).toBeGreaterThan(0)
  })

  test('no input is ever changed', () => {
    fc.assert(
      fc.property(sets, deltas, deltas, (start, first, second) => {
        const before = JSON.stringify([start, first, second])
        attempt(() => applyDelta(start, first))
        attempt(() => foldDelta(first, [second, second]))
        expect(JSON.stringify([start, first, second])).toBe(before)
      }),
    )
  })

  test('ten thousand operations are applied and folded at once', () => {
    const many = Array.from(
      { length: 10_000 },
      (_, i): PatchOperation => ({ op: 'add', path: `/r${i}`, value: { type: 's3' } }),
    )
    const folded = foldDelta(emptyDelta, [shared(...many)])
    expect(Object.keys(applyDelta(emptySet, folded).shared)).toHaveLength(10_000)
  })
})

describe('the work of folding', () => {
  test('grows with the steps of a path, not with their square', () => {
    const ofSteps = (steps: number) => {
      const operations = Array.from({ length: 300 }, (_, i): PatchOperation => {
        const path = `${'/a'.repeat(steps - 1)}/k${i}`
        return { op: 'add', path, value: 0 }
      })
      return stepsOf(() => foldDelta(emptyDelta, [update('web', ...operations)]))
    }
    ofSteps(64)
    expect(ofSteps(64)).toBeLessThan(ofSteps(16) * 5)
  })

  test.each([1, 100])('reads pending operations once: %d patches', (count) => {
    let reads = 0
    const stored: PatchOperation = {
      op: 'add',
      value: { type: 's3' },
      get path() {
        reads++
        return '/a'
      },
    }
    foldDelta(shared(stored), [shared()])
    const once = reads
    reads = 0
    foldDelta(
      shared(stored),
      Array.from({ length: count }, (_, i) => shared({ op: 'add', path: `/b${i}`, value: {} })),
    )
    expect(reads).toBe(once)
  })

  const add = (path: string): PatchOperation => ({ op: 'add', path, value: { type: 's3' } })
  test.each<[string, (i: number) => DeltaContent]>([
    ['operations on shared dependencies', (i) => shared(add(`/r${i}`))],
    ['operations on the parts of one shared dependency', (i) => shared(add(`/r/params/${i}`))],
    ['operations on one module', (i) => update('web', add(`/externals/r${i}`))],
    ['operations on a module that the delta adds', (i) => update('api', add(`/externals/r${i}`))],
    ['operations on many modules', (i) => update(`w${i}`, add('/externals/r'))],
    ['added modules', (i) => deltaContent({ modules: { add: { [`w${i}`]: module() } } })],
    ['removed modules', (i) => deltaContent({ modules: { remove: [`w${i}`] } })],
  ])('grows no faster than the number of patches: %s', (_, patch) => {
    const start = deltaContent({
      modules: { add: { api: module() } },
      shared: [{ op: 'add', path: '/r', value: { type: 's3', params: {} } }],
    })
    const steps = (count: number) => {
      const patches = Array.from({ length: count }, (_, i) => patch(i))
      return stepsOf(() => foldDelta(start, patches))
    }
    steps(10)
    // 10 when it grows linearly, 100 when every patch reads all pending operations.
    expect(steps(2000) / steps(200)).toBeLessThan(40)
  })
})
