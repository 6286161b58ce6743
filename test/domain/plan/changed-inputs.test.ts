import { describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { changedInputs } from '../../../operator/domain/plan/changed-inputs.ts'
import { activeResource } from '../../support/builders.ts'

type Spec = ActiveResource['spec']
type Inputs = NonNullable<Spec['definition']['driverInputs']>

function spec(changes: Partial<Spec> = {}, definition: Partial<Spec['definition']> = {}): Spec {
  const made = activeResource({ type: 's3', resourceId: 'shared.main' }, changes).spec
  return { ...made, definition: { ...made.definition, ...definition } }
}

const inputs = (driverInputs: Inputs) => spec({}, { driverInputs })
const reference = (secret: string, key = 'token') => ({ secret, key })

describe('the inputs that change', () => {
  test.each<[string, Spec, Spec, string[]]>([
    ['none', spec(), spec(), []],
    ['the driver', spec(), spec({}, { driverType: 'quartermaster/ingress' }), ['driver_type']],
    ['the account', spec(), spec({}, { accountName: 'cloud' }), ['driver_account']],
    [
      'a value',
      inputs({ values: { region: 'a', size: 1 } }),
      inputs({ values: { region: 'b', size: 1 } }),
      ['driver_inputs.values.region'],
    ],
    [
      'a value that is added and one that is removed',
      inputs({ values: { old: 1 } }),
      inputs({ values: { new: 1 } }),
      ['driver_inputs.values.new', 'driver_inputs.values.old'],
    ],
    ['the first values', spec(), inputs({ values: { region: 'a' } }), ['driver_inputs.values.region']],
    [
      'a deep value',
      inputs({ values: { a: { b: { c: 1, d: 2 } } } }),
      inputs({ values: { a: { b: { c: 2, d: 2 } } } }),
      ['driver_inputs.values.a.b.c'],
    ],
    [
      'a list, as one',
      inputs({ values: { zones: ['a', 'b'] } }),
      inputs({ values: { zones: ['b'] } }),
      ['driver_inputs.values.zones'],
    ],
    ['an object that becomes empty', spec({ params: { a: {} } }), spec({ params: {} }), ['params.a']],
    [
      'an object that becomes text',
      spec({ params: { a: { b: 1 } } }),
      spec({ params: { a: 'x' } }),
      ['params.a'],
    ],
    ['a key with a dot', spec({ params: { 'a.b': 1 } }), spec({ params: { 'a.b': 2 } }), ["params['a.b']"]],
    [
      'a secret, by its path',
      inputs({ secretRefs: { token: reference('one'), other: reference('x') } }),
      inputs({ secretRefs: { token: reference('two'), other: reference('x') } }),
      ['driver_inputs.secret_refs.token'],
    ],
    [
      'a secret that is new',
      spec(),
      inputs({ secretRefs: { tls: { key: reference('one') } } }),
      ['driver_inputs.secret_refs.tls.key'],
    ],
    ['a param', spec({ params: { size: 1 } }), spec({ params: { size: 2 } }), ['params.size']],
    [
      'a shared value, by its key',
      spec({ values: { LEVEL: { value: 'info' }, SAME: { value: 'x' } } }),
      spec({ values: { LEVEL: { value: 'debug' }, SAME: { value: 'x' } } }),
      ['values.LEVEL'],
    ],
    [
      'a shared value whose secret is another one',
      spec({ values: { TOKEN: { secret: reference('one') } } }),
      spec({ values: { TOKEN: { secret: reference('two') } } }),
      ['values.TOKEN'],
    ],
    ['a dependency', spec(), spec({ dependsOn: ['a'] }), ['depends_on']],
    ['the order of dependencies alone', spec({ dependsOn: ['a', 'b'] }), spec({ dependsOn: ['b', 'a'] }), []],
    [
      'the name in a reference',
      spec({ dependsOn: ['a'], references: { x: ['a'] } }),
      spec({ dependsOn: ['a'], references: { y: ['a'] } }),
      ['depends_on'],
    ],
    ['the definition alone', spec(), spec({}, { definitionName: 'other', criterion: { appId: 'x' } }), []],
    [
      'several, in a stable order',
      spec({ params: { b: 1, a: 1 } }),
      spec({ params: { a: 2, b: 2 }, dependsOn: ['x'] }, { driverType: 'x/y', accountName: 'z' }),
      ['driver_type', 'driver_account', 'params.a', 'params.b', 'depends_on'],
    ],
  ])('%s', (_, before, { signature: _seal, deploymentName: _name, ...wanted }, expected) => {
    expect(changedInputs(before, wanted)).toEqual(expected)
  })
})
