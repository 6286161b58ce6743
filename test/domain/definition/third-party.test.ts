import { describe, expect, test } from '@jest/globals'
import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { driverOf, problemsOfInputs } from '../../../operator/domain/definition/definition.ts'
import {
  catalogueWith,
  problemOfTarget,
  problemsOfDriverObject,
} from '../../../operator/domain/definition/third-party.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { storedObject } from '../../support/builders.ts'

const vendors = ['quartermaster', 'humanitec']

function driver(name: string, target: string, more: Partial<ResourceDriver['spec']> = {}): ResourceDriver {
  return storedObject(ResourceDriver, { namespace: 'acme', name }, { type: 's3', target, ...more })
}

function namesWith(...drivers: ResourceDriver[]): string[] {
  return catalogueWith(catalogue, drivers, vendors)
    .slice(catalogue.length)
    .map(({ name }) => name)
}

describe('the drivers of an organization', () => {
  test('are named by the organization and their id', () => {
    const known = catalogueWith(catalogue, [driver('mine', 'https://d.test')], vendors)
    expect(driverOf('acme/mine', known, vendors)).toMatchObject({
      name: 'acme/mine',
      resourceTypes: ['s3'],
      remote: true,
      keepsCookie: true,
    })
    expect(driverOf('globex/mine', known, vendors)).toBeUndefined()
    expect(driverOf('humanitec/echo', known, vendors)?.name).toBe('echo')
    expect(driverOf('echo', known, vendors)).toBeUndefined()
  })

  test('can wrap each other in any order, and built-in drivers', () => {
    const names = namesWith(
      driver('outer', 'driver://acme/inner'),
      driver('inner', 'driver://acme/core'),
      driver('core', 'http://d.test'),
      driver('ours', 'driver://humanitec/ingress'),
    )
    expect(names.sort()).toEqual(['acme/core', 'acme/inner', 'acme/ours', 'acme/outer'])
  })

  test('that wrap each other in a circle, or nothing, are not there', () => {
    expect(namesWith(driver('a', 'driver://acme/b'), driver('b', 'driver://acme/a'))).toEqual([])
    expect(namesWith(driver('a', 'driver://acme/a'))).toEqual([])
    expect(namesWith(driver('a', 'driver://globex/x'))).toEqual([])
  })

  test('that wrap a driver see its neighbours, keep its cookie and take its accounts', () => {
    const wrapped = catalogueWith(catalogue, [driver('own', 'driver://quartermaster/ingress')], vendors).at(
      -1,
    )
    expect(wrapped).toMatchObject({
      neighbours: { dns: 'dns', routes: 'dns<route' },
      takesIngressRules: true,
      account: { types: ['local'], required: false },
    })
    expect(wrapped).not.toHaveProperty('outputNames')
  })

  test.each<[types: readonly string[] | undefined, required: boolean]>([
    [undefined, false],
    [[], false],
    [['aws'], true],
    [['aws', 'none'], false],
  ])('with the account types %j: an account is required: %s', (types, required) => {
    const own = driver('mine', 'https://d.test', types ? { accountTypes: [...types] } : {})
    expect(catalogueWith(catalogue, [own], vendors).at(-1)?.account).toEqual({ types: types ?? [], required })
  })
})

describe('the target of a driver', () => {
  test.each<[target: string, isFine: boolean]>([
    ['https://driver.example.test/s3', true],
    ['http://driver.drivers:8080', true],
    ['driver://acme/other', true],
    ['driver://quartermaster/echo', true],
    ['driver://echo', false],
    ['driver://a/b/c', false],
    ['file:///etc/passwd', false],
    ['driver.example.test', false],
    ['https://user:word@driver.example.test', false],
    ['https://user@driver.example.test', false],
    ['https://:word@driver.example.test', false],
    ['', false],
  ])('%j is taken: %s', (target, isFine) => {
    expect(problemOfTarget(target) === undefined).toBe(isFine)
  })
})

test.each<[rule: string, driver: ResourceDriver, reason: string | undefined]>([
  ['a sound driver has no fault', driver('mine', 'https://d.test', { inputsSchema: {} }), undefined],
  ['the wrapped driver must exist', driver('mine', 'driver://acme/missing'), 'UnknownDriver'],
  [
    'its schema must be one',
    driver('mine', 'https://d.test', { inputsSchema: { type: 'x' } }),
    'InvalidSchema',
  ],
  ['its target must be an address', driver('mine', 'gopher://d.test'), 'InvalidTarget'],
  [
    'a template is for those that wrap',
    driver('mine', 'https://d.test', { template: { values: {} } }),
    'InvalidTemplate',
  ],
  [
    'its template must be one',
    driver('mine', 'driver://quartermaster/echo', { template: { values: { a: '{{ .b' } } }),
    'InvalidTemplate',
  ],
  [
    'its template may be any that is one',
    driver('mine', 'driver://quartermaster/echo', { template: 'a: {{ .driver.values.b | upper }}' }),
    undefined,
  ],
])('%s', (_rule, own, reason) => {
  const known = catalogueWith(catalogue, [own], vendors)
  expect(problemsOfDriverObject(own, known, vendors).map((each) => each.reason)).toEqual(
    reason === undefined ? [] : [reason],
  )
})

test.each<[rule: string, inputsSchema: FreeForm, values: FreeForm, problems: number]>([
  ['of one part', { properties: { values: { required: ['region'] } } }, {}, 1],
  [
    'of the whole',
    { $ref: '#/$defs/a', $defs: { a: { properties: { values: { maxProperties: 0 } } } } },
    { a: 1 },
    1,
  ],
  [
    'unless a placeholder may fit',
    { allOf: [{ properties: { values: { enum: [{ a: 1 }] } } }] },
    { a: '${context.app.id}' },
    0,
  ],
  ['unless it names neither part', { properties: { region: {} }, required: ['region'] }, { a: 1 }, 0],
])('inputs keep the rules of the schema of their driver: %s', (_, inputsSchema, values, problems) => {
  const [descriptor] = catalogueWith(
    catalogue,
    [driver('mine', 'https://d.test', { inputsSchema })],
    vendors,
  ).slice(-1)
  if (!descriptor) throw new Error('no driver')
  expect(problemsOfInputs(descriptor, { values, secrets: {} })).toHaveLength(problems)
})
