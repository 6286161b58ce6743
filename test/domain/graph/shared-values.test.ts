import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { SharedValue } from '../../../operator/api/shared-value.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { maxExpandedLength } from '../../../operator/domain/base/size-limits.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { resolveInputs } from '../../../operator/domain/graph/inputs.ts'
import {
  effectiveValues,
  problemOfValue,
  type SharedValues,
  sharedValuesFor,
  valueObjectName,
  valuesOfEnvironment,
} from '../../../operator/domain/graph/shared-values.ts'
import { secretNamesIn } from '../../../operator/domain/secret/secret-names.ts'
import { context, set, storedObject } from '../../support/builders.ts'
import { graphInput, need, s3 } from '../../support/graphs.ts'

type Spec = SharedValue['spec']

function value(name: string, spec: Partial<Spec>, second = 1): SharedValue {
  const metadata = { namespace: 'acme', name, creationTimestamp: `2026-01-01T00:00:0${second}Z` }
  const plain = spec.secret || spec.storeReference ? {} : { value: name }
  return storedObject(SharedValue, metadata, { applicationName: 'shop', key: 'A', ...plain, ...spec })
}

const names = (values: readonly SharedValue[]) => values.map(({ metadata }) => metadata.name)
const dev = { environmentId: 'dev' }

describe('which values hold', () => {
  test.each<[rule: string, values: SharedValue[], expected: string[]]>([
    ['the older of two for one place', [value('a-young', {}, 2), value('old', {}, 1)], ['old']],
    ['the first by name of the same age', [value('b', {}), value('a', {})], ['a']],
    ['one of each key, by key', [value('x', { key: 'b' }), value('y', { key: 'a' })], ['y', 'x']],
    ['one of each place', [value('app', {}), value('env', dev)], ['app', 'env']],
  ])('%s', (_, values, expected) => {
    expect(names(effectiveValues(values))).toEqual(expected)
    expect(names(effectiveValues(values.toReversed())).sort()).toEqual(expected.toSorted())
  })

  test('none that is being deleted', () => {
    const going = value('old', {}, 1)
    const { metadata } = going
    const deleted = { ...going, metadata: { ...metadata, deletionTimestamp: '2026-02-01T00:00:00Z' } }
    expect(names(effectiveValues([deleted, value('young', {}, 2)]))).toEqual(['young'])
  })
})

describe('the values of an environment', () => {
  test.each<[rule: string, values: SharedValue[], expected: string[]]>([
    ['those of the application', [value('app', {})], ['app']],
    [
      'its own before those of the application, for every age',
      [value('app', {}, 1), value('env', dev, 2)],
      ['env'],
    ],
    [
      'not those of another environment',
      [value('app', {}), value('other', { environmentId: 'live' })],
      ['app'],
    ],
    ['its own alone', [value('env', { ...dev, key: 'B' }), value('app', {})], ['app', 'env']],
  ])('%s', (_, values, expected) => {
    expect(names(valuesOfEnvironment(values, 'dev'))).toEqual(expected)
  })

  test('has plain text in full and secrets by reference, without fields of REST alone', () => {
    const secret = { secret: 'login', key: 'token', version: '3' }
    expect(sharedValuesFor([value('x', {}), value('y', { key: 'B', secret })], 'dev')).toEqual(
      new Map<string, object>([
        ['A', { value: 'x' }],
        ['B', { secret: { secret: 'login', key: 'token' } }],
      ]),
    )
  })
})

test('the name of the object is a hash of the place, another one for each', () => {
  const places = [{}, dev, { environmentId: 'live' }, { key: 'B' }, { applicationName: 'blog' }]
  const all = places.map((each) => valueObjectName({ applicationName: 'shop', key: 'A', ...each }))
  expect(new Set(all).size).toBe(places.length)
  for (const name of all) expect(name).toMatch(/^[0-9a-f]{40}$/)
})

describe('a placeholder', () => {
  const known: SharedValues = new Map([
    ['LOG_LEVEL', { value: 'info' }],
    ['api.url', { value: 'x' }],
  ])
  test.each<[rule: string, path: string[], hint: string | undefined]>([
    ['names a key', ['values', 'LOG_LEVEL'], undefined],
    ['names a key with a dot', ['values', 'api', 'url'], undefined],
    ['names a key with a dot in brackets', ['values', 'api.url'], undefined],
    ['that is near a key says so', ['values', 'LOGLEVEL'], "did you mean 'LOG_LEVEL'?"],
    ['that is near none says which', ['values', 'OTHER'], "shared value 'OTHER' does not exist"],
    ['has no parts', ['values', 'LOG_LEVEL', 'x'], "shared value 'LOG_LEVEL.x' does not exist"],
    ['means the case of the key', ['values', 'log_level'], "did you mean 'LOG_LEVEL'?"],
  ])('%s', (_, path, hint) => {
    const fault = problemOfValue(path, known)
    if (hint === undefined) expect(fault).toBeUndefined()
    else expect(fault).toEqual({ reason: 'UnknownValue', message: expect.stringContaining(hint) })
  })

  test('names a value in a secret store that is not known: the store, the value and where it is named', () => {
    const stored = value('x', { storeReference: { store: 'vault', ref: 'a/b' } })
    const fault = problemOfValue(['values', 'A'], sharedValuesFor([stored], 'dev'))
    expect(fault?.reason).toBe('StoreNotFound')
    for (const each of ["'vault'", "'A'", "'${values.A}'"]) expect(fault?.message).toContain(each)
  })
})

describe('the params of a resource', () => {
  const half = maxExpandedLength / 2
  const values: SharedValues = new Map([
    ['ZONE', { value: 'b' }],
    ['LONG', { value: 'x'.repeat(half) }],
    ['AREA', { value: 'eu' }],
    ['TOKEN', { secret: { secret: 'login', key: 'token' } }],
    ['STORED', { storeReference: { store: 'vault', ref: 'a/b' } }],
  ])
  const graphWith = (params: FreeForm) =>
    buildGraph(graphInput(set({}, { files: need('s3', { params }) }), [s3], { values }))

  test('name the values that the resource gets, by key', () => {
    const { nodes, problems: found } = graphWith({
      a: '${values.ZONE}',
      b: ['${values.AREA}', '${values.ZONE}'],
    })
    expect(found).toEqual([])
    expect(Object.entries(nodes[0]?.values ?? {})).toEqual([
      ['AREA', { value: 'eu' }],
      ['ZONE', { value: 'b' }],
    ])
  })

  test.each<[what: string, params: FreeForm, expected: readonly string[]]>([
    ['a secret', { a: '${values.TOKEN}' }, ['SecretParameter']],
    ['a value in a store that is not known', { a: '${values.STORED}' }, ['StoreNotFound']],
    ['values up to the limit', { a: '${values.LONG}', b: '${values.LONG}' }, []],
    ['values beyond the limit', { a: '${values.LONG}', b: '${values.LONG}${values.ZONE}' }, ['TooLarge']],
    ['no value', {}, []],
  ])('name %s', (_, params, expected) => {
    expect(graphWith(params).problems.map(({ reason }) => reason)).toEqual(expected)
  })
})

describe('provisioning', () => {
  const values = {
    LEVEL: { value: 'info' },
    ODD: { value: '${context.app.id} $\\{x}' },
    NUMBER: { value: '5' },
    TOKEN: { secret: { secret: 'login', key: 'token' } },
    secret: { value: 'a key that means something else elsewhere' },
  }
  const resolve = (params: object, type = 'workload') =>
    resolveInputs({
      spec: {
        context: context(),
        type,
        class: 'default',
        resourceId: 'modules.api',
        definition: { definitionName: 'd', driverType: 'quartermaster/workload' },
        params: { ...params },
        values,
      },
      guResId: 'abc',
      descriptor: { neighbours: {} },
      outputsOf: () => undefined,
      secrets: {},
      secretValues: { TOKEN: 'canary' },
    })

  test.each<[rule: string, text: string, expected: string, isSecret: boolean]>([
    ['puts the value in', '${values.LEVEL}', 'info', false],
    ['puts it into a text', 'level=${values.LEVEL}!', 'level=info!', false],
    ['leaves text text', '${values.NUMBER}', '5', false],
    ['does not expand it again', '${values.ODD}', '${context.app.id} $\\{x}', false],
    ['makes texts that contain a secret secret', 'Bearer ${values.TOKEN}', 'Bearer canary', true],
    ['leaves literals', '$\\{values.LEVEL}', '${values.LEVEL}', false],
  ])('%s', (_, text, expected, isSecret) => {
    const { params, secretParams } = resolve({ spec: { text } })
    expect(params).toEqual({ spec: { text: expected } })
    expect(secretParams).toEqual(isSecret ? ['/spec/text'] : undefined)
  })

  test('takes values into the keys of a module, but no secret', () => {
    expect(resolve({ spec: { '${values.LEVEL}': 1 } }).params).toEqual({ spec: { info: 1 } })
    expect(() => resolve({ spec: { '${values.TOKEN}': 1 } })).toThrow(Stalled)
  })

  test.each([
    ['a value that the deployment did not note', { a: '${values.OTHER}' }],
    ['a secret among the params of a dependency', { a: '${values.TOKEN}' }],
  ])('stalls at %s', (_, params) => {
    expect(() => resolve(params, 's3')).toThrow(Stalled)
  })

  test('needs the Secrets of its values alone', () => {
    expect(secretNamesIn(values)).toEqual(['login'])
  })
})
