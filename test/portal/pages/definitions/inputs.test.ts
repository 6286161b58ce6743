import { expect, test } from '@jest/globals'
import { mergeSecrets, schemaFor, storedSecrets } from '../../../../portal/pages/definitions/inputs.ts'

const reference = { store: 'kubernetes', ref: 'a/b' }
const outputs = { properties: { values: { properties: { host: {} } } } }
const type = {
  type: 'acme/db',
  name: 'db',
  use: 'direct',
  category: '',
  inputs_schema: {},
  outputs_schema: outputs,
} as const
const driver = { org_id: 'quartermaster', id: 'echo', type: '*', inputs_schema: {}, account_types: [] }
const own = { ...driver, org_id: 'acme', target: 'https://driver', inputs_schema: { properties: {} } }

test.each([
  ['a static (echo) definition has the outputs of the type', 'quartermaster/echo', outputs],
  ['also with another name of the vendor', 'humanitec/echo', outputs],
  ['and with the earlier name of the driver', 'humanitec/static', outputs],
  ['another definition has the inputs of its driver', 'acme/echo', own.inputs_schema],
  ['an unknown driver takes anything', 'acme/none', {}],
])('%s', (_, driverType, expected) => {
  expect(schemaFor(driverType, type, [own, driver])).toEqual(expected)
})

test('stored secrets are found by their references', () => {
  expect(storedSecrets({ key: reference, tls: { 'tls.crt': reference } })).toEqual([
    '/secrets/key',
    '/secrets/tls/tls.crt',
  ])
})

test('all forms of stored secrets count', () => {
  const stored = {
    text: { value: '${resources.redis.outputs.password}' },
    whole: { store: 'kubernetes', ref: 'a' },
  }
  expect(storedSecrets({ ...stored, tls: { crt: { value: 'c' } } })).toEqual([
    '/secrets/text',
    '/secrets/whole',
    '/secrets/tls/crt',
  ])
})

test('the parts of a secret replace a reference to a whole Secret', () => {
  const sent = mergeSecrets({ tls: { store: 'kubernetes', ref: 'a' } }, { tls: { crt: 'c', key: 'k' } })
  expect(sent).toEqual({ tls: { crt: { value: 'c' }, key: { value: 'k' } } })
})

test('secrets that were not entered keep their references', () => {
  const stored = { key: reference, tls: { crt: reference, key: reference } }
  expect(mergeSecrets(stored, { tls: { key: 'new' } })).toEqual({
    key: reference,
    tls: { crt: reference, key: { value: 'new' } },
  })
})
