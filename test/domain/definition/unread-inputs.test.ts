import { describe, expect, test } from '@jest/globals'
import { newObject } from '../../../operator/api/kind.ts'
import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { driverOf } from '../../../operator/domain/definition/definition.ts'
import { catalogueWith } from '../../../operator/domain/definition/third-party.ts'
import { unreadInputs } from '../../../operator/domain/definition/unread-inputs.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'

const vendors = ['quartermaster', 'humanitec']
const own: ResourceDriver = {
  ...newObject(ResourceDriver, { namespace: 'acme', name: 'own' }, { type: 's3', target: 'https://d.test' }),
  metadata: {
    namespace: 'acme',
    name: 'own',
    uid: 'own',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
}
const all = catalogueWith(catalogue, [own], vendors)

function warningsOf(driverType: string, values: FreeForm, secretRefs: FreeForm = {}): string[] {
  const descriptor = driverOf(driverType, all, vendors)
  if (!descriptor) throw new Error(`no driver '${driverType}'`)
  return unreadInputs(driverType, descriptor, { values, secretRefs })
}
const hint = ([name]: TemplateStringsArray) => `; did you mean '${name}'?`
const unread = (driverType: string, place: string, hint = '') =>
  `driver '${driverType}' does not read the input '${place}'${hint}`
const dns = { zone_id: 'z', domain: 'a.test' }
const pem = { secret: 's', key: 'k' }

describe('an input that a built-in driver does not read is a warning', () => {
  test.each<
    [rule: string, driverType: string, values: FreeForm, secretRefs: FreeForm, expected: [string, string?][]]
  >([
    [
      'a misspelt one, and what is meant',
      'humanitec/ingress',
      { clas: 'nginx' },
      {},
      [['values.clas', hint`class`]],
    ],
    [
      'one with letters of another case',
      'quartermaster/dns-cloudflare',
      { ...dns, zone_ID: 'z', TTL: 60 },
      { tls: { secret: 'wildcard' } },
      [['values.zone_ID'], ['values.TTL', hint`ttl`]],
    ],
    ['one of another orchestrator', 'quartermaster/workload', { region: 'eu' }, {}, [['values.region']]],
    [
      'a secret one where there are none',
      'quartermaster/ingress',
      {},
      { password: pem },
      [['secrets.password']],
    ],
    [
      'one within a secret one',
      'quartermaster/dns-cloudflare',
      dns,
      { tls: { 'tls.crt': pem, 'tls.key': pem, 'ca.crt': pem } },
      [['secrets.tls.ca.crt']],
    ],
    [
      'a value that is a secret input',
      'quartermaster/dns-wildcard',
      { domain: 'a.test', tls: {} },
      {},
      [['values.tls']],
    ],
    [
      'a misspelt template',
      'quartermaster/template',
      { templates: { output: 'a: b' } },
      { templates: { ouputs: pem } },
      [
        ['values.templates.output', hint`outputs`],
        ['secrets.templates.ouputs', hint`outputs`],
      ],
    ],
    [
      'one that misspells another where templates read further ones',
      'quartermaster/template',
      { templats: {}, region: 'eu' },
      {},
      [['values.templats', hint`templates`]],
    ],
    [
      'a misspelt template of a host',
      'quartermaster/dns-wildcard',
      { domain: 'a.test', tempalte: 'x' },
      {},
      [['values.tempalte', hint`template`]],
    ],
  ])('%s', (_, driverType, values, secretRefs, expected) => {
    expect(warningsOf(driverType, values, secretRefs)).toEqual(
      expected.map(([place, hint]) => unread(driverType, place, hint)),
    )
  })

  test('of many, the first ones are listed', () => {
    const values = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`zzzzzzzz${i}`.repeat(30), i]))
    const warnings = warningsOf('quartermaster/ingress', values)
    expect([warnings.length, warnings.at(-1)]).toEqual([11, '15 more are not read'])
    expect(warnings.join('').length).toBeLessThan(4000)
  })
})

describe('a field of a secret input that has no effect is a warning', () => {
  test.each<[rule: string, leaf: FreeForm, expected: string]>([
    [
      'a misspelt key, without which the whole Secret is read',
      { secret: 's', kee: 'k' },
      `'secretRefs.a.kee' is not read${hint`key`}`,
    ],
    [
      'misspelt placeholders',
      { value: 'x', placeholdrs: [] },
      `'secretRefs.a.placeholdrs' is not read${hint`placeholders`}`,
    ],
    [
      'a misspelt Secret, which would be a map of texts',
      { secert: 's', key: 'k' },
      `'secretRefs.a.secert' is not read${hint`secret`}`,
    ],
    ['one within a map', { b: { secret: 's', colour: 'k' } }, "'secretRefs.a.b.colour' is not read"],
  ])('%s', (_, leaf, expected) => {
    expect(warningsOf('quartermaster/echo', {}, { a: leaf })).toEqual([expected])
    expect(warningsOf('acme/own', {}, { a: leaf })).toEqual([expected])
  })
})

test.each<[rule: string, secretRefs: FreeForm, place: string]>([
  ['the name of a Secret', { password: 'redis-login' }, 'password'],
  ['a placeholder', { login: { url: '${context.app.id}' } }, 'login.url'],
])('a bare text among the secret inputs, such as %s, is a warning', (_, secretRefs, place) => {
  const said = 'is taken as it is: name a Secret, or write it under'
  expect(warningsOf('acme/own', {}, secretRefs)).toEqual([`the text 'secretRefs.${place}' ${said} 'value'`])
})

describe('nothing is said about', () => {
  test.each<[rule: string, driverType: string, values: FreeForm, secretRefs: FreeForm]>([
    ['outputs of the driver echo', 'quartermaster/echo', { any: 1 }, { thing: pem }],
    ['outputs under its earlier name', 'humanitec/static', { any: 1 }, {}],
    [
      'keys that the user defines',
      'quartermaster/ingress',
      { annotations: { any: 'a' }, labels: { thing: 'b' } },
      {},
    ],
    [
      'inputs that templates can read',
      'quartermaster/template',
      { templates: {}, region: 'eu' },
      { password: pem },
    ],
    [
      'templates with secrets',
      'quartermaster/template',
      {},
      { templates: { manifests: { a: pem }, secrets: pem } },
    ],
    [
      'those of a template of a host',
      'quartermaster/dns-wildcard',
      { ...dns, template: '{{ .driver.values.zone_id }}' },
      {},
    ],
    [
      'inputs by any name',
      'quartermaster/echo',
      {},
      { secrets: { kee: pem, value: { secret: 's' } }, key: pem },
    ],
    ['a whole Secret', 'quartermaster/dns-wildcard', { domain: 'a.test' }, { tls: { secret: 'wildcard' } }],
    [
      'a Secret of a store',
      'quartermaster/dns-wildcard',
      { domain: 'a.test' },
      { tls: { store: 'x', ref: 'y' } },
    ],
    ['inputs of a custom driver, whose schema says which it takes', 'acme/own', { any: 1 }, { thing: pem }],
  ])('%s', (_, driverType, values, secretRefs) => {
    expect(warningsOf(driverType, values, secretRefs)).toEqual([])
  })
})
