import { expect, test } from '@jest/globals'
import { fullBudget } from '../../../operator/domain/base/work-budget.ts'
import { compileDefinition } from '../../../operator/domain/definition/compile-references.ts'
import { problemsOfDefinition } from '../../../operator/domain/definition/definition.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import { definition, driver } from '../../support/builders.ts'

const around = {
  catalogue: [driver('echo')],
  vendors: ['quartermaster'],
  rivals: [],
  types: builtInTypes,
  accountTypeOf: () => undefined,
  budget: fullBudget(),
}

test.each<[rule: string, secretRefs: Record<string, unknown>, places: string[]]>([
  ['a Secret of the organization needs no store', { a: { secret: 'x' }, b: { secret: 'x', key: 'ref' } }, []],
  [
    'a store that is not known is named with its place',
    { a: { store: 'vault', ref: 'x/y' } },
    ['secretRefs.a'],
  ],
  ['at any depth', { a: { b: [{ store: 'vault', ref: 'x' }] } }, ['secretRefs.a.b.0']],
  [
    'each of them',
    { a: { store: 'vault', ref: 'x' }, b: { store: 'vault', ref: 'y' } },
    ['secretRefs.a', 'secretRefs.b'],
  ],
  ['an input named ref is none', { ref: { secret: 'x' } }, []],
])('references into secret stores: %s', (_, secretRefs, places) => {
  const given = definition('main', 's3', { driverInputs: { secretRefs } })
  const ofPlan = compileDefinition(given, around).problems
  const ofCondition = problemsOfDefinition(given, around)
  for (const faults of [ofPlan, ofCondition]) {
    expect(faults.map(({ reason }) => reason)).toEqual(places.map(() => 'StoreNotFound'))
    for (const [index, place] of places.entries())
      for (const part of [`'${place}'`, "'vault'"]) expect(faults[index]?.message).toContain(part)
  }
  for (const { message } of ofPlan) expect(message).toContain("definition 'main'")
})
