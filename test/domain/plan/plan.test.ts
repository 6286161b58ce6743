import { describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import { catalogueWith, driverAddress } from '../../../operator/domain/definition/third-party.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import { summarize } from '../../../operator/domain/plan/plan.ts'
import { activeResource, definition, driver, set, storedObject } from '../../support/builders.ts'
import { actions, carriedOut, planOf } from '../../support/plans.ts'
import { stepsOf } from '../../support/steps.ts'

const shared = set({}, { main: { type: 's3' } })
const main = { type: 's3', resourceId: 'shared.main' }
const dnsSet = set({}, { main: { type: 'dns' } })

describe('the action of a deployment on one resource', () => {
  const s3 = definition('s3', 's3', { driverInputs: { values: { region: 'a' } } })
  const edited = definition('s3', 's3', { driverInputs: { values: { region: 'b' } } })
  const dns = (zone: string, changes: object = {}) =>
    definition('dns', 'dns', {
      driverType: 'quartermaster/dns-cloudflare',
      accountName: 'cloud',
      driverInputs: { values: { zone_id: zone, record: { name: 'x' }, ttl: 1 } },
      ...changes,
    })

  test.each<[string, SetContent, ResourceDefinition, ResourceDefinition, string[]]>([
    ['nothing changed', shared, s3, s3, ['unchanged s3.default#shared.main']],
    ['same context, definition edited', shared, s3, edited, ['update s3.default#shared.main']],
    [
      'another definition, same driver type',
      shared,
      s3,
      definition('other', 's3', { driverInputs: { values: { region: 'a' } } }),
      ['update s3.default#shared.main'],
    ],
    [
      "another name of the vendor's driver",
      shared,
      s3,
      { ...s3, spec: { ...s3.spec, driverType: 'humanitec/echo' } },
      ['update s3.default#shared.main'],
    ],
    ['another driver type', dnsSet, dns('z'), definition('dns', 'dns'), ['replace dns.default#shared.main']],
    [
      'an input that forces a replacement changed',
      dnsSet,
      dns('z'),
      dns('y'),
      ['replace dns.default#shared.main'],
    ],
    [
      'a deeper input that forces a replacement changed',
      dnsSet,
      dns('z'),
      dns('z', { driverInputs: { values: { zone_id: 'z', record: { name: 'y' }, ttl: 1 } } }),
      ['replace dns.default#shared.main'],
    ],
    [
      'another input changed',
      dnsSet,
      dns('z'),
      dns('z', { driverInputs: { values: { zone_id: 'z', record: { name: 'x' }, ttl: 2 } } }),
      ['update dns.default#shared.main'],
    ],
  ])('%s', (_, content, before, after, expected) => {
    const first = planOf(content, [before])
    expect(first.steps.map(({ action }) => action)).toEqual(['create'])
    expect(actions(planOf(content, [after], carriedOut(first)))).toEqual(expected)
  })

  test.each<[string, string, string[]]>([
    ['at the same address updates', 'https://drivers.example.test/s3', ['update s3.default#shared.main']],
    ['at another address replaces', 'https://drivers.example.test/new', ['replace s3.default#shared.main']],
  ])('another driver %s, also when the former one was deleted', (_, address, expected) => {
    const target = 'https://drivers.example.test/s3/'
    const former = driver('acme/former', { remote: true, address: driverAddress(target) })
    const next = driver('acme/next', { remote: true, address: driverAddress(address) })
    const by = (name: string) => definition('s3', 's3', { driverType: `acme/${name}` })
    const first = planOf(shared, [by('former')], [], { catalogue: [former] })
    const provisioned = { driverType: 'acme/former', target }
    const active = carriedOut(first).map((each) => ({ ...each, status: { provisioned } }))
    for (const catalogue of [[former, next], [next]])
      expect(actions(planOf(shared, [by('next')], active, { catalogue }))).toEqual(expected)
  })

  test.each<[where: string, name: string, expected: string]>([
    ['is now updates', 'new', 'update s3.default#shared.main'],
    ['was replaces', 'old', 'replace s3.default#shared.main'],
  ])('another driver at the address where the former one %s', (_, name, expected) => {
    const target = (at: string) => `https://drivers.example.test/${at}`
    const at = (own: string, address: string) =>
      driver(`acme/${own}`, { remote: true, address: driverAddress(target(address)) })
    const by = (own: string) => definition('s3', 's3', { driverType: `acme/${own}` })
    const first = planOf(shared, [by('former')], [], { catalogue: [at('former', 'old')] })
    const provisioned = { driverType: 'acme/former', target: target('old') }
    const active = carriedOut(first).map((each) => ({ ...each, status: { provisioned } }))
    const catalogue = [at('former', 'new'), at('next', name)]
    expect(actions(planOf(shared, [by('next')], active, { catalogue }))).toEqual([expected])
  })

  const wrapping = (inner: string) => driver('acme/wrapper', { wraps: inner })
  const wrapped = (name: string) => driver(`acme/${name}`)
  const made = { provisioned: { driverType: 'acme/one' } }

  test.each<[what: string, unusedSince: string | undefined, inner: string, expected: string]>([
    ['an unused resource whose driver wraps another one replaces', '2026-02-01T00:00:00Z', 'two', 'replace'],
    ['an unused resource whose driver wraps the same one updates', '2026-02-01T00:00:00Z', 'one', 'update'],
    // Its instance is replaced without a deployment.
    ['a resource in use whose driver wraps another one changes nothing', undefined, 'two', 'unchanged'],
  ])('%s', (_, unusedSince, inner, expected) => {
    const definitions = [definition('s3', 's3', { driverType: 'acme/wrapper' })]
    const catalogueOf = (name: string) => [wrapped('one'), wrapped('two'), wrapping(`acme/${name}`)]
    const first = planOf(shared, definitions, [], { catalogue: catalogueOf('one') })
    const active = carriedOut(first).map((each) => ({
      ...each,
      spec: { ...each.spec, ...(unusedSince ? { unusedSince } : {}) },
      status: made,
    }))
    const then = planOf(shared, definitions, active, { catalogue: catalogueOf(inner) })
    expect(actions(then)).toEqual([`${expected} s3.default#shared.main`])
  })

  test.each<[what: string, target: string, driverType: string, expected: string]>([
    ['now wraps a built-in one replaces', 'driver://quartermaster/echo', 'acme/former', 'replace'],
    ['now wraps one at the same address updates', 'driver://acme/same', 'acme/former', 'update'],
    ['now wraps one at another address replaces', 'driver://acme/moved', 'acme/former', 'replace'],
    [
      'now wraps another one, by one at its address, updates',
      'driver://quartermaster/echo',
      'acme/same',
      'update',
    ],
    ['now wraps the next one replaces', 'driver://acme/moved', 'acme/moved', 'replace'],
  ])('an unused resource whose HTTP driver %s', (_, target, driverType, expected) => {
    const at = (path: string) => `https://drivers.example.test/${path}`
    const object = (name: string, to: string) =>
      storedObject(ResourceDriver, { namespace: 'acme', name }, { type: 's3', target: to })
    const catalogueOf = (to: string) => {
      const all = [object('former', to), object('same', at('old')), object('moved', at('new'))]
      return catalogueWith([driver('echo')], all, ['quartermaster'])
    }
    const by = (type: string) => [definition('s3', 's3', { driverType: type })]
    const first = planOf(shared, by('acme/former'), [], { catalogue: catalogueOf(at('old')) })
    const provisioned = { driverType: 'acme/former', target: at('old') }
    const active = carriedOut(first).map((each) => ({
      ...each,
      spec: { ...each.spec, unusedSince: '2026-02-01T00:00:00Z' },
      status: { provisioned },
    }))
    const then = planOf(shared, by(driverType), active, { catalogue: catalogueOf(target) })
    expect(actions(then)).toEqual([`${expected} s3.default#shared.main`])
  })

  test.each<[driverType: string, expected: string]>([
    ['acme/one', 'update'],
    ['acme/two', 'replace'],
  ])('another driver than a wrapper of acme/one, %s: %s', (driverType, expected) => {
    const catalogue = [wrapped('one'), wrapped('two'), wrapping('acme/one')]
    const by = (type: string) => [definition('s3', 's3', { driverType: type })]
    const active = carriedOut(planOf(shared, by('acme/wrapper'), [], { catalogue }))
    for (const status of [undefined, made]) {
      const then = planOf(
        shared,
        by(driverType),
        active.map((each) => ({ ...each, status })),
        { catalogue },
      )
      expect(actions(then)).toEqual([`${expected} s3.default#shared.main`])
    }
  })

  test('a change of account alone does not replace', () => {
    const accountTypeOf = () => 'local'
    const first = planOf(dnsSet, [dns('z')], [], { accountTypeOf })
    expect(
      actions(planOf(dnsSet, [dns('z', { accountName: 'other' })], carriedOut(first), { accountTypeOf })),
    ).toEqual(['update dns.default#shared.main'])
  })

  test('another explanation of the same choice is no change', () => {
    const more = planOf(
      shared,
      [
        s3,
        definition('far', 's3', { criteria: [{ appId: 'other' }, { envType: 'development', resId: 'x' }] }),
      ],
      carriedOut(planOf(shared, [s3])),
    )
    expect(actions(more)).toEqual(['unchanged s3.default#shared.main'])
  })

  test('in full mode an unchanged resource is updated', () => {
    const before = carriedOut(planOf(shared, [s3]))
    expect(actions(planOf(shared, [s3], before, { isFull: true }))).toEqual(['update s3.default#shared.main'])
  })

  const inputs = (driverInputs: ResourceDefinition['spec']['driverInputs']) =>
    definition('s3', 's3', { driverInputs })
  const deployId = '${context.deploy.id}'
  test.each<[rule: string, SetContent, ResourceDefinition, isForced: boolean | undefined]>([
    [
      'is the same without the id of the deployment',
      shared,
      inputs({ values: { a: `$\\${deployId.slice(1)}` } }),
      true,
    ],
    ['has its id in an input', shared, inputs({ values: { a: [`run ${deployId}`] } }), undefined],
    ['has its id in a secret input', shared, inputs({ secretRefs: { a: { value: deployId } } }), undefined],
    [
      'has its id in the Secret of an input',
      shared,
      inputs({ secretRefs: { a: { secret: 'x', key: 'y', placeholders: ['context.deploy.id'] } } }),
      undefined,
    ],
    ['has its id in a param', set({}, { main: { type: 's3', params: { a: deployId } } }), s3, undefined],
    [
      'has its id in a key of a module',
      set({ w: { spec: { [deployId]: 1 } } }),
      definition('w', 'workload'),
      undefined,
    ],
  ])('in full mode the spec of an unchanged resource %s', (_, content, by, isForced) => {
    const before = carriedOut(planOf(content, [by]))
    const { steps } = planOf(content, [by], before, { isFull: true })
    expect(steps).toMatchObject([{ action: 'update', isForced }])
  })

  test('a resource that is no longer needed is retained, once', () => {
    const [used] = carriedOut(planOf(shared, [s3]))
    const unused = { ...activeResource(main, { ...used?.spec, unusedSince: '2026-01-01T00:00:00Z' }) }
    expect(actions(planOf(set(), [s3], used ? [used] : []))).toEqual(['retain s3.default#shared.main'])
    expect(planOf(set(), [s3], [unused]).steps).toEqual([])
    expect(actions(planOf(shared, [s3], [unused]))).toEqual(['update s3.default#shared.main'])
  })

  test('resources that are no longer needed are retained in the order of their descriptors', () => {
    const used = carriedOut(
      planOf(set({}, { a: { type: 's3' }, c: { type: 's3' }, b: { type: 's3' } }), [s3]),
    )
    expect(actions(planOf(set(), [s3], used.toReversed()))).toEqual(
      ['a', 'b', 'c'].map((name) => `retain s3.default#shared.${name}`),
    )
  })

  test('an override that starts to apply creates, and retains the former resource', () => {
    const before = carriedOut(planOf(shared, [s3]))
    expect(actions(planOf(shared, [s3, definition('own', 'acme/s3')], before))).toEqual([
      'create acme/s3.default#shared.main',
      'retain s3.default#shared.main',
    ])
  })

  test('a spec that the operator did not write is written again', () => {
    expect(
      actions(planOf(shared, [s3], carriedOut(planOf(shared, [s3])), { isTrusted: () => false })),
    ).toEqual(['update s3.default#shared.main'])
  })

  test('a resource that is being deleted is made again', () => {
    const going = activeResource(main, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })
    const { steps } = planOf(shared, [s3], [going])
    expect(steps).toMatchObject([{ action: 'create', current: going }])
    expect(planOf(set(), [s3], [going]).steps).toEqual([])
  })

  test('a resource whose definition is missing is a problem, and not retained', () => {
    const planned = planOf(shared, [], carriedOut(planOf(shared, [s3])))
    expect(planned.steps).toEqual([])
    expect(planned.problems).toHaveLength(1)
  })
})

describe('the desired resource', () => {
  test('the current definition, and only the current edges and references', () => {
    const { steps } = planOf(set({}, { main: { type: 'dns', params: { name: 'x' } } }), [
      definition('dns', 'dns', { driverInputs: { values: { a: '${resources.s3.outputs.bucket}' } } }),
      definition('s3', 's3'),
    ])
    const [s3, dns] = steps.map(({ wanted }) => wanted)
    expect(s3).toEqual({
      environmentName: 'shop.dev',
      context: {
        organizationId: 'acme',
        applicationId: 'shop',
        environmentId: 'dev',
        environmentType: 'development',
      },
      type: 's3',
      class: 'default',
      resourceId: 'shared.main',
      definition: {
        definitionName: 's3',
        driverType: 'quartermaster/echo',
        criterion: { class: 'default' },
        explanation: "criterion {} of 's3' (rank 0) is the only match",
      },
    })
    expect(dns).toMatchObject({
      params: { name: 'x' },
      dependsOn: [steps[0]?.guResId],
      references: { s3: [steps[0]?.guResId] },
    })
  })

  test('a workload whose definition is gone has the built-in one', () => {
    const content = set({ w: { externals: { main: { type: 's3' } } } })
    const before = carriedOut(planOf(content, [definition('s3', 's3'), definition('own', 'workload')]))
    const { steps: after } = planOf(content, [definition('s3', 's3')], before)
    expect(after.map(({ action, definitionName }) => `${action} ${definitionName}`)).toEqual([
      'unchanged s3',
      'replace default--workload',
    ])
  })
})

describe('summary', () => {
  const many = set({}, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, { type: 's3' }])))
  test('everything is counted, the first hundred steps are listed', () => {
    const summary = summarize(planOf(many, [definition('s3', 's3')]))
    expect(summary).toMatchObject({ create: 150, update: 0, replace: 0, retain: 0, unchanged: 0 })
    expect(summary.steps).toHaveLength(100)
    expect(summary.steps?.[0]).toEqual({
      action: 'create',
      object: 's3.default#shared.x0',
      definitionName: 's3',
    })
  })

  test('unchanged resources are only counted', () => {
    const definitions = [definition('s3', 's3')]
    expect(summarize(planOf(many, definitions, carriedOut(planOf(many, definitions))))).toMatchObject({
      unchanged: 150,
      steps: [],
    })
  })
})

test('the work of planning again grows with the number of resources', () => {
  // 10 when it grows with the number, 100 when each resource is compared with every other one.
  stepsOfPlanning(1)
  expect(stepsOfPlanning(100) / stepsOfPlanning(10)).toBeLessThan(40)
})

/** Returns the steps of planning a deployment of that many workloads again, each with ten other resources. */
function stepsOfPlanning(workloads: number): number {
  const content = set(
    Object.fromEntries(
      Array.from({ length: workloads }, (_, w) => [
        `w${w}`,
        {
          spec: { containers: { c: { variables: { A: '${shared.x1.bucket} ${externals.e1.host}' } } } },
          externals: Object.fromEntries(Array.from({ length: 5 }, (__, i) => [`e${i}`, { type: 'dns' }])),
        },
      ]),
    ),
    Object.fromEntries(
      Array.from({ length: 5 * workloads }, (_, i) => [`x${i}`, { type: 's3', params: { a: i } }]),
    ),
  )
  const definitions = [
    definition('dns', 'dns', {
      driverInputs: { values: { a: "${resources['s3#shared.x1'].outputs.bucket}", b: '${context.res.id}' } },
    }),
    definition('s3', 's3', { driverInputs: { values: { a: '${context.app.id}' } } }),
  ]
  const active = carriedOut(planOf(content, definitions))
  expect(active).toHaveLength(11 * workloads)
  const again = () =>
    expect(planOf(content, definitions, active).steps.every(({ action }) => action === 'unchanged')).toBe(
      true,
    )
  return stepsOf(again)
}
