import { expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import type { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import { driverOf, problemsOfDefinition } from '../../operator/domain/definition/definition.ts'
import { builtInTypes } from '../../operator/domain/resource/built-in-types.ts'
import { catalogue } from '../../operator/drivers/catalogue.ts'
import { definition } from '../support/builders.ts'

const vendors = ['quartermaster', 'humanitec']
const overrides = builtInTypes
  .filter(({ type }) => type === 'dns')
  .map((each) => ({ ...each, type: 'acme/dns' }))
const accountTypes: Record<string, string> = { cloudflare: 'cloudflare', local: 'local' }

function reasonsOf(type: string, spec: Partial<ResourceDefinition['spec']>): string[] {
  return problemsOfDefinition(definition('x', type, spec), {
    catalogue,
    vendors,
    rivals: [],
    types: [...builtInTypes, ...overrides],
    accountTypeOf: (name) => accountTypes[name],
  }).map(({ reason }) => reason)
}

const values = { zone_id: '0'.repeat(32), domain: 'example.test' }
const dns = {
  driverType: 'quartermaster/dns-cloudflare',
  driverInputs: { values, secretRefs: { tls: { secret: 'wildcard' } } },
}
const ingress = { driverType: 'quartermaster/ingress' }

test.each<[rule: string, type: string, spec: Partial<ResourceDefinition['spec']>, reasons: string[]]>([
  ['dns with an account of the provider is taken', 'dns', { ...dns, accountName: 'cloudflare' }, []],
  ['an override of dns is taken as well', 'acme/dns', { ...dns, accountName: 'cloudflare' }, []],
  ['dns needs an account', 'dns', dns, ['AccountRequired']],
  ['dns needs an account of the provider', 'dns', { ...dns, accountName: 'local' }, ['WrongAccountType']],
  [
    'the DNS driver provisions no other type',
    'ingress',
    { ...dns, accountName: 'cloudflare' },
    ['WrongType'],
  ],
  ['ingress with an account of type local is taken', 'ingress', { ...ingress, accountName: 'local' }, []],
  ['ingress needs no account', 'ingress', ingress, []],
  [
    'ingress takes no account of a DNS provider',
    'ingress',
    { ...ingress, accountName: 'cloudflare' },
    ['WrongAccountType'],
  ],
  ['the ingress driver provisions no other type', 'dns', ingress, ['WrongType']],
])('definitions: %s', (_, type, spec, reasons) => {
  expect(reasonsOf(type, spec)).toEqual(reasons)
})

test.each(['dns-cloudflare', 'ingress'])('the driver %s is known under all names of its vendor', (name) => {
  for (const vendor of vendors) expect(driverOf(`${vendor}/${name}`, catalogue, vendors)?.name).toBe(name)
})

test('the DNS driver and the type of its account are named after the provider', () => {
  const driver = driverOf('quartermaster/dns-cloudflare', catalogue, vendors)
  expect(driver?.account.types.map((type) => `dns-${type}`)).toEqual([driver?.name])
})

test.each(catalogue)('the input schemas of the driver $name are valid', ({ values: ofValues, secrets }) => {
  for (const schema of [ofValues, secrets]) expect(new Ajv().validateSchema(schema)).toBe(true)
})
