import type { PatchOperation } from '../../operator/api/deployment-delta.ts'
import type { FreeForm } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { type DeltaContent, deltaContent, type SetContent } from '../../operator/domain/delta/delta.ts'
import { fc } from './properties.ts'

/** A delta of operations on the shared dependencies. */
export function shared(...operations: PatchOperation[]): DeltaContent {
  return deltaContent({ shared: operations })
}

/** A delta of operations on one workload. */
export function update(workload: string, ...operations: PatchOperation[]): DeltaContent {
  return deltaContent({ modules: { update: { [workload]: operations } } })
}

const ids = fc.constantFrom('a', 'b', 'c')

/** Objects with some of the ids. A dictionary of so few keys would draw most values in vain. */
function byId<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.record({ a: value, b: value, c: value }, { requiredKeys: [] }) as fc.Arbitrary<Record<string, T>> // those that are there
}

const dependencies = fc.record(
  {
    type: fc.constantFrom('s3', 's3.admin', 'dns'),
    class: fc.constantFrom('x'),
    params: byId(fc.integer()),
  },
  { requiredKeys: ['type'] },
)
const trees = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    byId(tie('tree')),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
}))
const modules = fc.record(
  {
    profile: fc.constant('p'),
    spec: byId(trees.tree),
    externals: byId(dependencies),
  },
  { requiredKeys: [] },
)
const steps = fc.constantFrom('a', 'b', 'c', '0', '1', '-')
const op = fc.constantFrom('add' as const, 'replace' as const, 'remove' as const)
/** Operations on a module. */
export const moduleOperations: fc.Arbitrary<PatchOperation> = fc.oneof(
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
  fc.record({ op, path: fc.constantFrom('/externals', '/profile'), value: byId(dependencies) }),
  fc.record({ op: fc.constant('add' as const), path: fc.constant(''), value: modules }),
)
const sharedOperations: fc.Arbitrary<PatchOperation> = fc.record({
  op,
  path: fc
    .tuple(
      fc.constantFrom('', '', '/shared', '/spec/shared'),
      fc.constantFrom('a', 'b', 'c', 'shared'),
      fc.constantFrom('', '', '/params', '/type', '/params/a'),
    )
    .map(([prefix, id, tail]) => `${prefix}/${id}${tail}`),
  value: dependencies,
})
function deltasOf(
  added: fc.Arbitrary<FreeForm | null>,
  change: (operations: fc.Arbitrary<PatchOperation>) => fc.Arbitrary<PatchOperation>,
): fc.Arbitrary<DeltaContent> {
  return fc.record({
    modules: fc.record({
      add: byId(added),
      remove: fc.uniqueArray(ids, { maxLength: 2 }),
      update: byId(fc.array(change(moduleOperations), { maxLength: 6 })),
    }),
    shared: fc.array(change(sharedOperations), { maxLength: 6 }),
  })
}

/** Deltas that change existing parts of a set. */
export const deltas = deltasOf(modules, (operations) => operations)

/** Deltas that also cancel pending operations of another delta. */
export const retractingDeltas = deltasOf(fc.option(modules), (operations) =>
  fc
    .tuple(operations, fc.integer({ min: 1, max: 5 }))
    .map(([each, dice]) => (dice === 1 ? { ...each, op: 'remove', value: { scope: 'delta' } } : each)),
)

/** Sets. */
export const sets: fc.Arbitrary<SetContent> = fc.record({
  modules: byId(modules),
  shared: byId(dependencies),
})

/** The result of the work; undefined when it is refused. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
