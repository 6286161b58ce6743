import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { EnvironmentSelector } from '../../../operator/api/workload.ts'
import { holdsContent } from '../../../operator/domain/workload/content.ts'
import { foldWorkloads, type OwnedModule } from '../../../operator/domain/workload/fold-workloads.ts'
import { problemsOfOwners } from '../../../operator/domain/workload/ownership.ts'
import { selects } from '../../../operator/domain/workload/targets.ts'
import { casesOf, fc } from '../../support/properties.ts'

/** The organization has an override of one type. */
const expandType = (type: string) => (type === 'redis' ? 'acme/redis' : type)
const expanded = (entry: FreeForm = {}) => ({ ...entry, type: expandType(String(entry['type'])) })
const ids = ['aa', 'bb', 'cc', 'dd']
const keys = ['one', 'two']
const entry = fc.record(
  { type: fc.constantFrom('s3', 'redis', 'acme/redis'), params: fc.record({ size: fc.nat(1) }) },
  { requiredKeys: ['type'] },
)
const module = fc.record({ spec: fc.record({ edition: fc.nat(3) }) })
const sets = fc.record({
  modules: fc.dictionary(fc.constantFrom(...ids), module),
  shared: fc.dictionary(fc.constantFrom(...keys), entry),
})
/** Workloads with different ids; each owns some shared dependencies. */
const workloads: fc.Arbitrary<OwnedModule[]> = fc.subarray(ids).chain((chosen) =>
  fc.tuple(
    ...chosen.map((id) =>
      fc.record({
        id: fc.constant(id),
        sharedIds: fc.subarray(keys),
        content: fc.oneof(
          fc.constantFrom('keep' as const, 'remove' as const),
          fc.record({
            id: fc.constant(id),
            module,
            shared: fc.dictionary(fc.constantFrom(...keys), entry),
          }),
        ),
      }),
    ),
  ),
)

describe('folding Workloads into a set', () => {
  test('leaves modules of others untouched, sets the wanted ones, and removes those of deleted Workloads', () => {
    fc.assert(
      fc.property(sets, workloads, (base, all) => {
        const { set, conflicts } = foldWorkloads(base, all, expandType)
        for (const id of ids) {
          const owner = all.find((each) => each.id === id)
          const wanted =
            typeof owner?.content === 'object' && !conflicts.has(id) ? owner.content.module : base.modules[id]
          expect(set.modules[id]).toEqual(owner?.content === 'remove' ? undefined : wanted)
        }
      }),
      { numRuns: casesOf(2000) },
    )
  })

  test('has each shared dependency that a workload needs, and none that only former Workloads needed', () => {
    fc.assert(
      fc.property(sets, workloads, (base, all) => {
        const { set, conflicts } = foldWorkloads(base, all, expandType)
        const folded = all.filter(({ id, content }) => typeof content === 'object' && !conflicts.has(id))
        for (const { content } of folded)
          for (const [key, needed] of Object.entries(typeof content === 'object' ? content.shared : {}))
            expect(expanded(set.shared[key])).toMatchObject(expanded(needed))
        const isKept = (key: string) =>
          all.some(
            (each) => each.sharedIds.includes(key) && (each.content === 'keep' || conflicts.has(each.id)),
          )
        for (const key of Object.keys(set.shared)) {
          const isNeeded = folded.some(
            ({ content }) => typeof content === 'object' && Object.hasOwn(content.shared, key),
          )
          const isOfOthers = !all.some(({ sharedIds }) => sharedIds.includes(key))
          expect([key, isNeeded || isOfOthers || isKept(key)]).toEqual([key, true])
        }
      }),
      { numRuns: casesOf(2000) },
    )
  })

  test('leaves shared dependencies of others untouched', () => {
    fc.assert(
      fc.property(sets, workloads, (base, all) => {
        const { set } = foldWorkloads(base, all, expandType)
        const isOfOthers = (key: string) => !all.some(({ sharedIds }) => sharedIds.includes(key))
        for (const key of Object.keys(base.shared).filter(isOfOthers))
          expect(set.shared[key]).toEqual(base.shared[key])
      }),
      { numRuns: casesOf(2000) },
    )
  })

  test.each<[known: object, needed: object, isConflict: boolean]>([
    [{}, {}, false],
    [{}, { class: 'default' }, false],
    [{}, { params: {} }, false],
    [{}, { params: { size: 1 } }, true],
    [{}, { class: 'large' }, true],
    [{ params: { size: 1 } }, { params: {} }, false],
    [{ params: {} }, { params: { size: 1 } }, true],
    [{ type: 'acme/redis' }, {}, false],
    [{ type: 'acme/s3' }, { type: 's3' }, true],
  ])(
    'with a shared dependency of others that has %j, and a Workload that needs %j',
    (known, needed, isConflict) => {
      const base = { modules: {}, shared: { one: { type: 'redis', ...known } } }
      const shared = { one: { type: 'redis', ...needed } }
      const workload = { id: 'aa', sharedIds: [], content: { id: 'aa', module: {}, shared } }
      const { set, conflicts } = foldWorkloads(base, [workload], expandType)
      expect([set.shared, [...conflicts.keys()]]).toEqual([base.shared, isConflict ? ['aa'] : []])
    },
  )

  test('folds the same again into the same set, in any order', () => {
    fc.assert(
      fc.property(sets, workloads, (base, all) => {
        const { set } = foldWorkloads(base, all, expandType)
        expect(foldWorkloads(set, all, expandType).set).toEqual(set)
        expect(foldWorkloads(base, [...all].reverse(), expandType).set).toEqual(set)
      }),
      { numRuns: casesOf(2000) },
    )
  })

  test('of two that contradict each other, the first by id wins', () => {
    const needing = (id: string, type: string): OwnedModule => ({
      id,
      sharedIds: [],
      content: { id, module: {}, shared: { one: { type } } },
    })
    const both = [needing('bb', 's3'), needing('aa', 'redis')]
    const { set, conflicts } = foldWorkloads({ modules: {}, shared: {} }, both, expandType)
    expect([set.shared, [...conflicts]]).toEqual([{ one: { type: 'redis' } }, [['bb', 'one']]])
  })
})

test('the fold of Workloads changes nothing that they do not own, so their own deployment is always allowed', () => {
  fc.assert(
    fc.property(sets, workloads, (base, all) => {
      const owners = all.map((each) => ({ ...each, workloadName: `shop.${each.id}` }))
      const { set, conflicts } = foldWorkloads(base, all, expandType)
      const settled = owners.filter(({ id }) => !conflicts.has(id))
      const problems = problemsOfOwners([base], set, settled, expandType).filter(({ message }) =>
        message.startsWith('module'),
      )
      expect(problems).toEqual([])
    }),
    { numRuns: casesOf(2000) },
  )
})

describe('a set that a delta changes', () => {
  const deployed = { modules: { aa: { spec: 1 }, own: {} }, shared: { one: { type: 's3' } } }
  const content = { id: 'aa', module: { spec: 2 }, shared: { one: { type: 's3' } } }
  const owner = { id: 'aa', workloadName: 'shop.aa', sharedIds: ['one'], content }
  test.each<[string, object, number]>([
    ['is allowed unchanged', deployed, 0],
    ['is allowed with what the Workload says', { ...deployed, modules: { aa: { spec: 2 } } }, 0],
    ['may lose a module of others', { ...deployed, modules: { aa: { spec: 1 } } }, 0],
    ['must not change the module', { ...deployed, modules: { aa: { spec: 3 } } }, 1],
    ['must not lose the module', { ...deployed, modules: {} }, 1],
    ['must not change its shared dependency', { ...deployed, shared: { one: { type: 'redis' } } }, 1],
    ['must not lose either', { modules: {}, shared: {} }, 2],
  ])('%s', (_, next, count) => {
    expect(problemsOfOwners([deployed], next as typeof deployed, [owner], expandType)).toHaveLength(count)
  })

  test.each<[string, known: object, next: object, count: number]>([
    ['may write a type in full', { type: 'redis' }, { type: 'acme/redis' }, 0],
    ['may write a type in short', { type: 'acme/redis' }, { type: 'redis' }, 0],
    ['may write the default class', { type: 's3' }, { type: 's3', class: 'default' }, 0],
    ['must not name another type', { type: 'redis' }, { type: 'other/redis' }, 1],
    ['must not name another class', { type: 's3' }, { type: 's3', class: 'large' }, 1],
    ['must not lose params', { type: 'redis', params: { size: 1 } }, { type: 'acme/redis' }, 1],
  ])('%s of a shared dependency', (_, known, next, count) => {
    const setWith = (one: FreeForm) => ({ modules: {}, shared: { one } })
    const kept = { ...owner, content: 'keep' as const }
    expect(problemsOfOwners([setWith({ ...known })], setWith({ ...next }), [kept], expandType)).toHaveLength(
      count,
    )
  })

  test.each<[string, object, number]>([
    ['may stay as it is', deployed, 0],
    ['may lose what that owns', { modules: {}, shared: {} }, 0],
    ['must not change the module', { ...deployed, modules: { aa: { spec: 3 } } }, 1],
    ['must not change its shared dependency', { ...deployed, shared: { one: { type: 'redis' } } }, 1],
  ])('and whose Workload is being deleted %s', (_, next, count) => {
    const removed = { ...owner, content: 'remove' as const }
    expect(problemsOfOwners([deployed], next as typeof deployed, [removed], expandType)).toHaveLength(count)
  })

  test.each<[string, object, number]>([
    ['may have the module as the start has it', deployed, 0],
    ['may have none of it', { modules: {}, shared: {} }, 0],
    ['must not change the module', { ...deployed, modules: { aa: { spec: 3 } } }, 1],
    ['must not change its shared dependency', { ...deployed, shared: { one: { type: 'redis' } } }, 1],
  ])('and is the first of an environment that starts with another set %s', (_, next, count) => {
    const bases = [{ modules: {}, shared: {} }, deployed]
    expect(problemsOfOwners(bases, next as typeof deployed, [owner], expandType)).toHaveLength(count)
  })
})

test.each<[string, EnvironmentSelector, boolean]>([
  ['an empty selector fits', {}, true],
  ['equal labels fit', { matchLabels: { tier: 'web' } }, true],
  ['one other label does not fit', { matchLabels: { tier: 'web', zone: 'a' } }, false],
  ['In', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['web', 'api'] }] }, true],
  ['NotIn', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['web'] }] }, false],
  [
    'NotIn of an absent label',
    { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] },
    true,
  ],
  ['Exists', { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, false],
  ['DoesNotExist', { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, true],
  [
    'names of methods are no labels',
    { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
    false,
  ],
])('a selector of environments: %s', (_, selector, expected) => {
  expect(selects(selector, { tier: 'web' })).toBe(expected)
})

test.each<[string, FreeForm, FreeForm]>([
  ['the type in full', { type: 'redis' }, { type: 'acme/redis' }],
  ['the default class', { type: 'redis' }, { type: 'redis', class: 'default' }],
  ['empty params', { type: 'redis' }, { type: 'redis', params: {} }],
])('a delta may write %s, and the Workload that owns it leaves it', (_, said, written) => {
  const module = { profile: 'p', spec: {}, externals: {} }
  const content = { id: 'web', module, shared: { bucket: said } }
  const owner = { id: 'web', workloadName: 'shop.web', content, sharedIds: ['bucket'] }
  const next = { modules: { web: module }, shared: { bucket: written } }
  const base = { modules: { web: module }, shared: { bucket: said } }
  expect(problemsOfOwners([base], next, [owner], expandType)).toEqual([])
  expect(foldWorkloads(next, [owner], expandType).set).toEqual(next)
  expect(holdsContent(next, content, () => true, expandType)).toBe(true)
})
