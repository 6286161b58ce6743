import { describe, expect, test } from '@jest/globals'
import type { ResourceContext } from '../../../operator/api/active-resource.ts'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { Plan, PlanInput } from '../../../operator/domain/plan/plan.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { guResId } from '../../../operator/domain/resource/identity.ts'
import { context, definition, module, set } from '../../support/builders.ts'
import { actions, carriedOut, planOf } from '../../support/plans.ts'

const content = set(
  { web: module({ db: { type: 'postgres' } }, { reads: '${externals.db.host} ${shared.files.bucket}' }) },
  { files: { type: 's3', params: { size: 1 } }, host: { type: 'dns' } },
)

/** The definitions of an organization, those of which the names are given otherwise than before. */
function definitions(
  changes: Record<string, Partial<ResourceDefinition['spec']>> = {},
): ResourceDefinition[] {
  const dns = { driverType: 'quartermaster/dns-cloudflare', accountName: 'cloud' }
  const values = (of: object): Partial<ResourceDefinition['spec']> => ({
    driverInputs: { values: { ...of } },
  })
  const all: Record<string, Partial<ResourceDefinition['spec']>> = {
    postgres: values({ host: "${resources['k8s-cluster#k8s-cluster'].outputs.name}" }),
    s3: values({ bucket: '${context.res.guresid}' }),
    dns: { ...dns, ...values({ zone_id: 'one' }) },
    'k8s-namespace': values({ namespace: 'shop-dev' }),
    'k8s-cluster': values({ name: 'east' }),
    workload: {},
  }
  return Object.entries(all).map(([type, spec]) => definition(type, type, { ...spec, ...changes[type] }))
}

/** GUResIDs by descriptor. */
function idsOf({ steps }: Plan): Record<string, string> {
  return Object.fromEntries(steps.map((step) => [formatDescriptor(step.descriptor), step.guResId]))
}

const accountTypeOf = (): string => 'cloudflare'
const first = planOf(content, definitions(), [], { accountTypeOf })
const dnsText = 'dns.default#shared.host'

test('a GUResID is a string of hexadecimal digits, unique for every resource', () => {
  const ids = Object.values(idsOf(first))
  expect(ids).toHaveLength(6)
  expect(new Set(ids).size).toBe(6)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{40}$/)
})

describe('a GUResID stays the same', () => {
  const inputs = (of: object) => ({ driverInputs: { values: { ...of } } })
  const echo = { driverType: 'quartermaster/echo', accountName: undefined }
  test.each<[string, Record<string, Partial<ResourceDefinition['spec']>>, expected: string[]]>([
    ['when it is deployed again', {}, []],
    [
      'when its definition is edited',
      { s3: inputs({ bucket: 'other' }) },
      ['update s3.default#shared.files'],
    ],
    [
      'when its definition matches by another criterion',
      { s3: { criteria: [{ appId: 'shop' }] } },
      ['update s3.default#shared.files'],
    ],
    ['when another driver provisions it', { dns: echo }, [`replace ${dnsText}`]],
    ['when an input replaces it', { dns: inputs({ zone_id: 'two' }) }, [`replace ${dnsText}`]],
    ['when its account is another one', { dns: { accountName: 'other' } }, [`update ${dnsText}`]],
    [
      'when the namespace of the environment is another one',
      { 'k8s-namespace': inputs({ namespace: 'elsewhere' }) },
      ['update k8s-namespace.default#k8s-namespace'],
    ],
    [
      'when the environment moves to another cluster',
      { 'k8s-cluster': { accountName: 'other', ...inputs({ name: 'west' }) } },
      ['update k8s-cluster.default#k8s-cluster'],
    ],
  ])('%s', (_, changes, expected) => {
    const next = planOf(content, definitions(changes), carriedOut(first), { accountTypeOf })
    expect(next.problems).toEqual([])
    expect(actions(next).filter((step) => !step.startsWith('unchanged'))).toEqual(expected)
    expect(idsOf(next)).toEqual(idsOf(first))
  })

  test('when another definition wins', () => {
    const special = definition('special', 's3', {
      criteria: [{ resId: 'shared.files' }],
      driverInputs: { values: { bucket: 'x' } },
    })
    const next = planOf(content, [...definitions(), special], carriedOut(first), { accountTypeOf })
    expect(next.steps.find(({ definitionName }) => definitionName === 'special')?.action).toBe('update')
    expect(idsOf(next)).toEqual(idsOf(first))
  })

  test('when the environment gets another type', () => {
    const changes: Partial<PlanInput> = {
      accountTypeOf,
      context: context({ environmentType: 'production' }),
    }
    expect(idsOf(planOf(content, definitions(), carriedOut(first), changes))).toEqual(idsOf(first))
  })

  test('when its params, its workload and the order of everything change', () => {
    const turned = set(
      { web: module({ db: { type: 'postgres' } }, { reads: 'nothing' }) },
      { host: { type: 'dns' }, files: { type: 's3', params: { size: 2 } } },
    )
    const next = planOf(turned, definitions().reverse(), carriedOut(first), { accountTypeOf })
    expect(next.problems).toEqual([])
    expect(idsOf(next)).toEqual(idsOf(first))
  })

  test('while it is not used, and when it is used again', () => {
    const before = carriedOut(first)
    const without = planOf(set(), definitions(), before, { accountTypeOf })
    expect(actions(without)).toContain(`retain ${dnsText}`)
    expect(idsOf(without)).toEqual(idsOf(first))
    const again = planOf(content, definitions(), carriedOut(without, before), { accountTypeOf })
    expect(actions(again)).toContain(`update ${dnsText}`)
    expect(idsOf(again)).toEqual(idsOf(first))
  })

  test('after a new installation: it contains no value that the API server generates', () => {
    const anew = (metadata: ResourceDefinition['metadata']) => ({
      ...metadata,
      uid: '1b671a64-40d5-491e-99b0-da01ff1f3341',
      resourceVersion: '4711',
      generation: 7,
      creationTimestamp: '2027-01-01T00:00:00Z',
    })
    const restored = definitions().map((each) => ({ ...each, metadata: anew(each.metadata) }))
    const next = planOf(content, restored, [], { accountTypeOf })
    expect(next.steps.every(({ action }) => action === 'create')).toBe(true)
    expect(idsOf(next)).toEqual(idsOf(first))
  })

  test('from one release to the next', () => {
    expect(idsOf(first)[dnsText]).toBe('0cd4f6e153e75f58474c3a0a4f2bdd7b9782c992')
    expect(idsOf(first)['postgres.default#modules.web.externals.db']).toBe(
      '9f6ead3cb55bc0e6e2301caa7912a404794cfa9b',
    )
  })
})

describe('a GUResID is another one', () => {
  const files = { type: 's3', class: 'default', resourceId: 'shared.files' }
  test.each<[string, Partial<ResourceContext>, Partial<typeof files>]>([
    ['in another organization', { organizationId: 'globex' }, {}],
    ['in another application', { applicationId: 'bank' }, {}],
    ['in another environment', { environmentId: 'test' }, {}],
    ['for another type', {}, { type: 'gcs' }],
    ['for the override of a type', {}, { type: 'acme/s3' }],
    ['for another class', {}, { class: 'fast' }],
    ['for another Resource ID', {}, { resourceId: 'modules.web.externals.files' }],
    [
      'where only the border between two parts is another',
      { applicationId: 'sho', environmentId: 'pdev' },
      {},
    ],
  ])('%s', (_, where, what) => {
    expect(guResId(context(where), { ...files, ...what })).not.toBe(guResId(context(), files))
  })
})
