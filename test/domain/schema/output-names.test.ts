import { expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { outputNamesOf } from '../../../operator/domain/schema/output-names.ts'
import { driver } from '../../support/builders.ts'

const closed = { type: 'object', additionalProperties: false }
const values = { ...closed, properties: { host: {}, port: {} } }
const secrets = { ...closed, properties: { password: {} } }
const typeWith = (properties: FreeForm, type = 'acme/db') => ({
  type,
  name: type,
  use: 'direct' as const,
  category: '',
  inputsSchema: {},
  outputsSchema: { properties },
})
const declared = ['host', 'port', 'password']

test.each<[rule: string, type: ReturnType<typeof typeWith> | undefined, expected: string[] | undefined]>([
  ['are those that a closed type declares', typeWith({ values, secrets }), declared],
  ['are none of a type that declares none', typeWith({ values: closed, secrets: closed }), []],
  ['are not known of a type without secrets, which says nothing about them', typeWith({ values }), undefined],
  ['are not known of a type with other values', typeWith({ values: { properties: {} }, secrets }), undefined],
  [
    'are not known of a type with other secrets',
    typeWith({ values, secrets: { ...secrets, additionalProperties: {} } }),
    undefined,
  ],
  [
    'are not known of a type with names of a pattern',
    typeWith({ values: { ...values, patternProperties: { '^host-\\d+$': {} } }, secrets }),
    undefined,
  ],
  ['are not known of a built-in type', typeWith({ values, secrets }, 'postgres'), undefined],
  ['are not known without a type', undefined, undefined],
])('the names of outputs %s', (_, type, expected) => {
  const names = outputNamesOf(driver('template'), {}, type)
  expect(names && [...names]).toEqual(expected)
})

test('the names of outputs are those that the driver knows, also for a closed type', () => {
  const known = driver('echo', { outputNames: ({ values: given }) => Object.keys(given) })
  const names = outputNamesOf(known, { values: { url: 'u' } }, typeWith({ values, secrets }))
  expect([...(names ?? [])]).toEqual(['url'])
})
