import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { newObject } from '../../operator/api/kind.ts'
import { ResourceDriver } from '../../operator/api/resource-driver.ts'
import { activeResourceController } from '../../operator/controllers/active-resource/active-resource.ts'
import { resourceDriverController } from '../../operator/controllers/resource-driver.ts'
import { catalogue as builtIn } from '../../operator/drivers/catalogue.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import { keyOf } from '../../operator/kube/client/resource.ts'
import type { Watch } from '../../operator/kube/loop/controller.ts'
import { silentLog } from '../../operator/log.ts'
import { createPlanning } from '../../operator/planning/planning.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { activeResource, driver } from '../support/builders.ts'
import { silentContext } from './support/context.ts'
import { resourceTools } from './support/resource-tools.ts'

const vendors = ['quartermaster']
const cluster = createFakeCluster()
let controller: ReturnType<typeof resourceDriverController>

beforeEach(() => {
  cluster.reset()
  const planning = createPlanning(cluster.store, { catalogue: [driver('ours')], vendors, log: silentLog })
  controller = resourceDriverController(cluster, planning, vendors)
})

function own(name: string, spec: Partial<ResourceDriver['spec']> = {}): ResourceDriver {
  const whole = { type: 's3', target: 'https://d.test', ...spec }
  return cluster.put(ResourceDriver, newObject(ResourceDriver, { namespace: 'acme', name }, whole))
}

async function reasonOf(each: ResourceDriver): Promise<string> {
  try {
    await controller.reconcile(each, silentContext())
    return 'ready'
  } catch (error) {
    return (error as { reason: string }).reason // a Stalled or a Waiting
  }
}

test('inputs that the wrapped driver does not read are a warning', async () => {
  const planning = createPlanning(cluster.store, { catalogue: builtIn, vendors, log: silentLog })
  const warningOf = async (template: unknown) => {
    const mine = own('mine', { target: 'driver://quartermaster/ingress', template })
    return resourceDriverController(cluster, planning, vendors).reconcile(mine, silentContext())
  }
  const unread = (place: string) =>
    `driver 'quartermaster/ingress' does not read the input '${place}'; did you mean 'class'?`
  const warning = (message: string) => ({
    conditions: [{ type: 'Warning', status: 'True', reason: 'DoubtfulInputs', message }],
  })
  expect(await warningOf({ clas: 'nginx' })).toEqual(warning(unread('values.clas')))
  expect(await warningOf({ values: { clas: 'nginx' }, valuess: {} })).toEqual(
    warning(`'template.valuess' is not read; did you mean 'values'?; ${unread('values.clas')}`),
  )
  for (const template of [
    { class: '{{ .x }}' },
    { values: { class: 'nginx' }, secrets: null },
    'clas: nginx',
    undefined,
  ])
    expect(await warningOf(template)).toEqual({})
})

/** Keys that an action enqueues. */
function wokenBy(watches: readonly Watch[] = [], act: () => void): string[] {
  const enqueued: string[] = []
  for (const watch of watches) watch.subscribe((keys) => enqueued.push(...keys))
  act()
  return [...new Set(enqueued)]
}

describe('a driver of an organization', () => {
  test.each<[rule: string, spec: Partial<ResourceDriver['spec']>, reason: string]>([
    ['at an address is ready', {}, 'ready'],
    ['that wraps one of ours is ready', { target: 'driver://quartermaster/ours' }, 'ready'],
    ['that wraps none waits for it', { target: 'driver://acme/none' }, 'UnknownDriver'],
    ['that wraps itself waits', { target: 'driver://acme/mine' }, 'UnknownDriver'],
    ['with an invalid target is Stalled', { target: 'ftp://d.test' }, 'InvalidTarget'],
    ['with an invalid schema is Stalled', { inputsSchema: { type: 'wrong' } }, 'InvalidSchema'],
    ['that is remote and has a template is for a person', { template: 'x' }, 'InvalidTemplate'],
  ])('%s', async (_, spec, reason) => {
    expect(await reasonOf(own('mine', spec))).toBe(reason)
  })

  test('is reconciled again when the wrapped driver is created or deleted', async () => {
    const wrapper = own('wrapper', { target: 'driver://acme/mine' })
    expect(await reasonOf(wrapper)).toBe('UnknownDriver')
    expect(wokenBy(controller.watches, () => own('mine'))).toContain('acme/wrapper')
    expect(await reasonOf(wrapper)).toBe('ready')
    const gone = () => cluster.drop(ResourceDriver, 'acme', 'mine')
    expect(wokenBy(controller.watches, gone)).toContain('acme/wrapper')
    expect(await reasonOf(wrapper)).toBe('UnknownDriver')
  })

  test('is not reconciled again, once it is ready, when a driver changes that it does not wrap', () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Reconciled', message: '' } as const
    const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }]
    own('mine')
    own('inner', { target: 'driver://acme/mine' })
    own('outer', { target: 'driver://acme/inner' })
    const other = own('another', { target: 'driver://quartermaster/ours' })
    const another = { ...other, metadata: { ...other.metadata, generation: 1 } }
    cluster.put(ResourceDriver, { ...another, status: { observedGeneration: 1, conditions } })
    const enqueued = wokenBy(controller.watches, () => own('mine', { target: 'https://new.test' }))
    expect(enqueued.sort()).toEqual(['acme/inner', 'acme/mine', 'acme/outer'])
  })
})

describe('a resource is reconciled again when', () => {
  const ours: Driver = {
    descriptor: driver('ours'),
    provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
    async deprovision() {},
  }

  test.each<[rule: string, driverType: string, isEnqueued: boolean]>([
    ['its driver is created', 'acme/mine', true],
    ['the driver that its driver wraps is created', 'acme/wrapper', true],
    ['the innermost driver is created', 'acme/outer', true],
    ['not when another driver is created', 'acme/another', false],
    ['not when another driver than the wrapped one is created', 'acme/unrelated', false],
    ['not when it uses one of ours', 'quartermaster/ours', false],
  ])('%s', (_, driverType, isEnqueued) => {
    own('wrapper', { target: 'driver://acme/mine' })
    own('outer', { target: 'driver://acme/wrapper' })
    own('another')
    own('unrelated', { target: 'driver://acme/another' })
    const definition = { definitionName: 's3', driverType }
    const resource = cluster.put(
      ActiveResource,
      activeResource({ type: 's3', resourceId: 'main' }, { definition }),
    )
    const { watches } = activeResourceController(resourceTools(cluster, [ours]))
    expect(wokenBy(watches, () => own('mine'))).toEqual(isEnqueued ? [keyOf(resource)] : [])
  })
})
