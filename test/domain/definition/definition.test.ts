import { describe, expect, test } from '@jest/globals'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { freeForm } from '../../../operator/api/schema.ts'
import {
  driverOf,
  problemsOfDefinition,
  problemsOfInputs,
} from '../../../operator/domain/definition/definition.ts'
import { malformedTexts } from '../../../operator/domain/definition/malformed-texts.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import type { DriverDescriptor } from '../../../operator/domain/resource/driver.ts'
import { isProvidedBy } from '../../../operator/domain/resource/types.ts'
import { unreadLeaves } from '../../../operator/domain/secret/secret-inputs.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { storedObject } from '../../support/builders.ts'

const vendors = ['quartermaster', 'humanitec']
const echo = 'quartermaster/echo'

const definition = (
  name: string,
  spec: Partial<ResourceDefinition['spec']> = {},
  creationTimestamp = '2026-01-01T00:00:00Z',
) =>
  storedObject(
    ResourceDefinition,
    { name, namespace: 'acme', creationTimestamp },
    { type: 'dns', driverType: echo, ...spec },
  )

const problemsOf = (subject: ResourceDefinition, rivals: readonly ResourceDefinition[] = []) =>
  problemsOfDefinition(subject, {
    catalogue,
    vendors,
    rivals: [subject, ...rivals],
    types: builtInTypes,
    accountTypeOf: () => undefined,
  })

const reasonsOf = (...all: Parameters<typeof problemsOf>) => problemsOf(...all).map(({ reason }) => reason)

test.each([
  ['driver types are of the form <vendor>/<driver-name>', 'quartermaster/ingress', 'ingress'],
  ['further vendor names are aliases', 'humanitec/ingress', 'ingress'],
  ['a former name of a built-in driver', 'humanitec/static', 'echo'],
  ['another vendor is another driver', 'acme/ingress', undefined],
  ['an unknown driver', 'quartermaster/terraform', undefined],
  ['a type without a vendor', 'ingress', undefined],
  ['a type with too many parts', 'quartermaster/ingress/v1', undefined],
])('%s', (_, type, name) => {
  expect(driverOf(type, catalogue, vendors)?.name).toBe(name)
})

describe('the problems of a definition depend on other objects', () => {
  test.each<[string, ResourceDefinition, ResourceDefinition[], string[]]>([
    ['nothing is wrong', definition('dns', { criteria: [{}] }), [], []],
    ['the driver is not known', definition('dns', { driverType: 'acme/unknown' }), [], ['UnknownDriver']],
    ['the type does not exist', definition('x', { type: 'nosuch' }), [], ['TypeNotFound']],
    ['the type has a class', definition('x', { type: 'redis.large' }), [], ['InvalidReference']],
    ['the type has too many parts', definition('x', { type: 'acme/a/b' }), [], ['InvalidReference']],
    ['the driver has no vendor', definition('dns', { driverType: 'echo' }), [], ['InvalidReference']],
    ['the driver has too many parts', definition('dns', { driverType: 'a/b/c' }), [], ['InvalidReference']],
    ['a driver of another type', definition('x', { driverType: 'quartermaster/ingress' }), [], ['WrongType']],
    [
      'inputs that the driver would not take',
      definition('x', {
        type: 'ingress',
        driverType: 'quartermaster/ingress',
        driverInputs: { values: { api_version: 'v2' } },
      }),
      [],
      ['InvalidInputs'],
    ],
    [
      'the younger of two equal criteria loses it',
      definition('younger', { criteria: [{ appId: 'shop' }] }, '2026-01-02T00:00:00Z'),
      [definition('older', { criteria: [{ appId: 'shop' }] })],
      ['DuplicateCriterion'],
    ],
    [
      'the older one keeps it',
      definition('older', { criteria: [{ appId: 'shop' }] }),
      [definition('younger', { criteria: [{ appId: 'shop' }] }, '2026-01-02T00:00:00Z')],
      [],
    ],
    [
      'of the same age the first name keeps it',
      definition('b', { criteria: [{}] }),
      [definition('a', { criteria: [{ class: 'default', envId: '*' }] })],
      ['DuplicateCriterion'],
    ],
    [
      'a criterion that it lost is named once, though it has it twice',
      definition('b', { criteria: [{ appId: 'shop' }, { appId: 'shop', envId: '*' }, { appId: 'cart' }] }),
      [definition('a', { criteria: [{ appId: 'shop' }] })],
      ['DuplicateCriterion'],
    ],
  ])('%s', (_, subject, rivals, reasons) => {
    expect(reasonsOf(subject, rivals)).toEqual(reasons)
  })

  test.each([
    ['without an organization', 'nosuch', 'it is not built in'],
    ['of the organization', 'acme/nosuch', "'acme' has no such type"],
  ])('a type %s that does not exist says who has none', (_, type, hint) => {
    const [problem] = problemsOf(definition('x', { type }))
    expect(problem?.message).toBe(`resource type '${type}' does not exist: ${hint}`)
  })
})

describe('a text that cannot be parsed needs no deployment to be known as wrong', () => {
  const inputs = (values: object) => ({ driverInputs: { values: { ...values } } })
  const secrets = (secretRefs: object) => ({ driverInputs: { secretRefs: { ...secretRefs } } })

  test.each<
    [rule: string, spec: Partial<ResourceDefinition['spec']>, places: [reason: string, at: string][]]
  >([
    ['a placeholder without end', inputs({ a: '${context.app.id' }), [['InvalidPlaceholder', "'/a'"]]],
    [
      'all of them are named',
      inputs({ a: ["${resources['s3>].outputs.x}"], b: { c: '${}' } }),
      [
        ['InvalidPlaceholder', "'/a/0'"],
        ['InvalidPlaceholder', "'/b/c'"],
      ],
    ],
    [
      'in the text of a secret input, without the text',
      secrets({ deep: { password: { value: 'x${resources.redis' } } }),
      [['InvalidPlaceholder', "'/deep/password'"]],
    ],
    [
      'in the placeholders that a reference lists',
      secrets({ password: { secret: 's', key: 'k', placeholders: ['a..b'] } }),
      [['InvalidPlaceholder', "'/password'"]],
    ],
    [
      'a secret input that names no Secret',
      secrets({ password: { key: 'x' } }),
      [['InvalidReference', "'/password'"]],
    ],
    ['a key of provision', { provision: { 'a b': {} } }, [['InvalidReference', "'a b'"]]],
    [
      'the params of a co-provisioned resource',
      { provision: { s3: { params: { name: '${a b}' } } } },
      [['InvalidPlaceholder', "'/name'"]],
    ],
    ['unlike an unknown name', inputs({ a: '${context.foo} ${nothing.x}' }), []],
    ['unlike an unknown name in a secret', secrets({ password: { value: '${context.foo}' } }), []],
    ['unlike a secret that is no text', secrets({ enabled: { value: false }, size: { value: 0 } }), []],
    ['unlike a map of secrets', secrets({ login: { key: { secret: 's', key: 'k' } } }), []],
    [
      'unlike escaped text',
      inputs({ a: '$\\{context', b: '$5', c: '$$\\{x', d: '{{ .x }}${context.app.id}' }),
      [],
    ],
  ])('%s', (_, spec, places) => {
    const problems = malformedTexts(definition('x', spec).spec)
    expect(problems.map(({ reason }) => reason)).toEqual(places.map(([reason]) => reason))
    for (const [index, [, at]] of places.entries()) expect(problems[index]?.message).toContain(at)
    expect(reasonsOf(definition('x', spec))).toEqual(places.map(([reason]) => reason))
    expect(JSON.stringify(problems)).not.toContain('x${resources.redis')
  })

  test('ten are named, and the others are counted', () => {
    const values = Object.fromEntries([...Array(25).keys()].map((index) => [`k${index}`, '${']))
    const problems = malformedTexts(definition('x', inputs(values)).spec)
    expect([problems.length, problems.at(-1)?.message]).toEqual([11, 'and 15 more'])
  })
})

describe('a driver provisions', () => {
  test.each<[rule: string, resourceTypes: string[] | undefined, type: string, expected: boolean]>([
    ['any type when it names none', undefined, 'acme/s3', true],
    ['a type that it names', ['s3'], 's3', true],
    ['a custom type that it names', ['acme/s3'], 'acme/s3', true],
    ['overrides of a built-in type that it names', ['s3'], 'acme/s3', true],
    ['no other type', ['s3', 'acme/dns'], 'dns', false],
  ])('%s', (_, resourceTypes, type, expected) => {
    expect(isProvidedBy(type, resourceTypes)).toBe(expected)
  })
})

describe('inputs are checked against the schema of the driver, placeholders pass any schema', () => {
  const inner = { type: 'object', properties: { flag: { type: 'boolean' } } }
  const strict: DriverDescriptor = {
    name: 'strict',
    description: 'A driver with a schema.',
    account: { types: [], required: false },
    values: {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer' }, deep: { type: 'array', items: inner } },
    },
    secrets: freeForm('Anything.'),
    neighbours: {},
    takesIngressRules: false,
    replaceOnChangeOf: [],
  }

  test.each([
    [{ size: 1 }, true],
    [{ size: 'x' }, false],
    [{ size: '${context.app.id}' }, true],
    [{ size: '$\\{context.app.id}' }, false],
    [{ size: 1, deep: [{ flag: '${context.app.id}' }] }, true],
    [{ size: 1, deep: [{ flag: 'yes' }] }, false],
    [{}, false],
  ])('%j', (values, passes) => {
    expect(problemsOfInputs(strict, { values, secrets: {} }).length === 0).toBe(passes)
  })

  test('a message names the input and never its value', () => {
    const [message] = problemsOfInputs(strict, { values: { size: 'canary' }, secrets: {} })
    expect(message).toContain('values.size')
    expect(message).not.toContain('canary')
  })

  test('a reference to a Secret matches any schema', () => {
    const refs = {
      token: { secret: 'login', key: 'token' },
      nested: { whole: { secret: 'tls' } },
      elsewhere: { store: 'vault', ref: 'a' },
    }
    expect(JSON.stringify(unreadLeaves(refs))).not.toContain('login')
    expect(Object.keys(unreadLeaves(refs))).toEqual(['token', 'nested', 'elsewhere'])
  })
})
