import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import {
  changedDefinitionBody,
  criteriaOf,
  criteriaValue,
  newDefinitionBody,
  settingsSchema,
} from '../../../../portal/pages/definitions/definition-schema.ts'
import { casesOf, fc } from '../../../support/properties.ts'

describe('definitions', () => {
  const driver = { inputs_schema: {}, account_types: ['cloudflare'] }
  const drivers = [
    { ...driver, org_id: 'quartermaster', id: 'ingress', type: 'ingress' },
    { ...driver, org_id: 'quartermaster', id: 'dns', type: 'dns' },
    { ...driver, org_id: 'quartermaster', id: 'echo', type: '*', account_types: [] },
  ]
  const account = { is_used: false, created_by: '', created_at: '' }
  const accounts = [
    { ...account, id: 'cf', name: 'Cloudflare', type: 'cloudflare' },
    { ...account, id: 'local', name: 'local', type: 'local' },
  ]
  const catalogue = { types: [], drivers, accounts }
  const choices = (key: string, settings: object) => {
    const { properties } = settingsSchema(catalogue, settings, false) as {
      properties: Record<string, { oneOf?: { const: string }[] }>
    } // as declared
    return properties[key]?.oneOf?.map((each) => each.const)
  }

  test('drivers for the type come first, and what is in use can be chosen', () => {
    expect(choices('driver_type', { type: 'dns', driver_type: 'acme/gone' })).toEqual([
      'quartermaster/dns',
      'quartermaster/echo',
      'quartermaster/ingress',
      'acme/gone',
    ])
  })

  test.each([
    ['of the types that the driver uses', { driver_type: 'quartermaster/dns' }, ['cf']],
    ['of any type', { driver_type: 'quartermaster/echo' }, ['cf', 'local']],
    ['in use', { driver_type: 'quartermaster/dns', driver_account: 'old' }, ['cf', 'old']],
  ])('accounts %s can be chosen', (_, settings, expected) => {
    expect(choices('driver_account', settings)).toEqual(expected)
  })

  test('a new one has its inputs, secrets and criteria; its name is its ID unless it is given', () => {
    const settings = { id: 'a', type: 's3', driver_type: 'quartermaster/echo' }
    const inputs = { values: { bucket: 'b' }, secrets: { key: 'k' } }
    const body = newDefinitionBody(settings, inputs, { criteria: [{}, { app_id: 'shop' }] })
    expect(body).toEqual({
      ...settings,
      name: 'a',
      driver_account: undefined,
      provision: undefined,
      driver_inputs: inputs,
      criteria: [{}, { app_id: 'shop' }],
    })
  })

  const reference = { store: 'kubernetes', ref: 'a/b' }
  const stored = {
    name: 'n',
    driver_type: 'quartermaster/echo',
    driver_account: 'cf',
    driver_inputs: { values: { a: 1 }, secret_refs: { key: reference } },
    provision: { dns: {} },
  }
  const settings = {
    name: 'n',
    driver_type: 'quartermaster/echo',
    driver_account: 'cf',
    provision: { dns: {} },
  }

  test.each<[string, object, object, object]>([
    ['of nothing is empty', {}, { values: { a: 1 } }, {}],
    ['of a name has only the name', { name: 'm' }, { values: { a: 1 } }, { name: 'm' }],
    [
      'removes what is empty',
      { driver_account: undefined, provision: undefined },
      {},
      { driver_account: null, provision: null, driver_inputs: { values: {} } },
    ],
    [
      'of a secret keeps the others',
      {},
      { values: { a: 1 }, secrets: { new: 'x' } },
      { driver_inputs: { secret_refs: { key: reference, new: { value: 'x' } } } },
    ],
    ['of values keeps all secrets', {}, { values: { a: 2 } }, { driver_inputs: { values: { a: 2 } } }],
  ])('a change %s', (_, changes, inputs, expected) => {
    expect(changedDefinitionBody({ ...settings, ...changes }, inputs, stored)).toEqual(expected)
  })

  test('a change of a definition that the form shows unchanged is empty', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (given, hasInputs) => {
        const values = JSON.parse(JSON.stringify(given)) as FreeForm // without -0
        const before = { ...stored, driver_inputs: hasInputs ? { values } : undefined }
        const body = changedDefinitionBody(settings, { values: before.driver_inputs?.values ?? {} }, before)
        expect(JSON.stringify(body)).toBe('{}')
      }),
      { numRuns: casesOf(200) },
    )
  })

  test('criteria are the same after the form, without IDs and the default class', () => {
    const value = criteriaValue([
      { id: '0f', class: 'default' },
      { id: '1f', class: 'large', app_id: 'shop' },
    ])
    expect(criteriaOf(value)).toEqual([{}, { class: 'large', app_id: 'shop' }])
    expect(criteriaOf(criteriaValue(undefined))).toEqual([])
  })
})
