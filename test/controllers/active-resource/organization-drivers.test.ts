import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { ResourceDriver } from '../../../operator/api/resource-driver.ts'
import type { DriverFactories } from '../../../operator/controllers/active-resource/organization-drivers.ts'
import { ReferenceNotFound } from '../../../operator/domain/base/errors.ts'
import type { DriverDescriptor } from '../../../operator/domain/resource/driver.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let calls: string[]

/** A driver that says who it is. */
function talking(descriptor: DriverDescriptor, who: string): Driver {
  return {
    descriptor,
    identify: ({ values }) => ({ zone: values.zone ?? '' }),
    async provision() {
      calls.push(`${who} provisions`)
      return { outputs: { values: { by: who }, secrets: {} }, objects: [] }
    },
    async deprovision({ identity, successor }) {
      calls.push(`${who} deprovisions ${JSON.stringify([identity, ...(successor ? [successor] : [])])}`)
    },
  }
}

const factories: DriverFactories = {
  remote: (descriptor, target) => talking(descriptor, target),
  wrapping: (descriptor, template, inner) => ({
    ...inner,
    descriptor,
    async provision(request) {
      calls.push(`wraps with ${String(template)}`)
      return inner.provision(request)
    },
  }),
}

beforeEach(() => {
  calls = []
  world = createWorld([talking(driver('ours'), 'ours'), talking(driver('other'), 'other')], { factories })
})

function own(name: string, target: string, namespace = 'acme') {
  const spec = { type: 's3', target, template: name }
  world.cluster.put(ResourceDriver, newObject(ResourceDriver, { namespace, name }, spec))
}

const base = activeResource({ type: 's3', resourceId: 'main' }, {}, { uid: 'uid' })

/** The resource, sent by its definition to a driver. */
function wanted(driverType: string, zone = 'x'): ActiveResource {
  const definition = { definitionName: 's3', driverType, driverInputs: { values: { zone } } }
  const latest = world.now(base) ?? base
  return world.put({ ...latest, spec: { ...latest.spec, definition } })
}

const existing = () => world.statusOf(base).provisioned
const find = (driverType: string, organization = 'acme') => world.tools.drivers.find(organization, driverType)

describe('a driver type names', () => {
  beforeEach(() => {
    own('mine', 'https://d.test')
    own('wrapper', 'driver://acme/mine')
    own('outer', 'driver://acme/wrapper')
    own('of-ours', 'driver://quartermaster/ours')
  })

  test.each<[rule: string, driverType: string, standsAs: object]>([
    [
      'a driver of ours under another vendor name',
      'quartermaster/ours',
      { driverType: 'quartermaster/ours' },
    ],
    [
      'a driver of the organization, with its address',
      'acme/mine',
      { driverType: 'acme/mine', target: 'https://d.test' },
    ],
    [
      'one that wraps another, under its identity',
      'acme/wrapper',
      { driverType: 'acme/mine', target: 'https://d.test' },
    ],
    ['one that wraps one that wraps', 'acme/outer', { driverType: 'acme/mine', target: 'https://d.test' }],
    ['one that wraps one of ours', 'acme/of-ours', { driverType: 'quartermaster/ours' }],
  ])('%s', (_, driverType, standsAs) => {
    expect(find(driverType).recordedAs).toEqual(standsAs)
  })

  test.each<[rule: string, organization: string, driverType: string]>([
    ['an unknown vendor', 'acme', 'unknown/ours'],
    ['no vendor', 'acme', 'ours'],
    ['a driver of another organization', 'globex', 'acme/mine'],
    ['an unknown driver', 'acme', 'acme/none'],
  ])('no driver, and the message lists the drivers: %s', (_, organization, driverType) => {
    expect(() => find(driverType, organization)).toThrow(ReferenceNotFound)
    expect(() => find(driverType, organization)).toThrow("'quartermaster/ours', 'quartermaster/other'")
  })

  test('no driver when the wrapped one is missing', () => {
    own('broken', 'driver://acme/none')
    expect(() => find('acme/broken')).toThrow("'acme/mine'")
    own('none', 'https://none.test')
    expect(find('acme/broken').recordedAs.target).toBe('https://none.test')
  })
})

describe('provisioned instances', () => {
  test.each<[rule: string, driverType: string, standsAs: object]>([
    ['a remote driver, with its address', 'acme/mine', { driverType: 'acme/mine', target: 'https://d.test' }],
    [
      'of a wrapping driver, that inside',
      'acme/wrapper',
      { driverType: 'acme/mine', target: 'https://d.test' },
    ],
    ['a driver of ours, without address', 'quartermaster/ours', { driverType: 'quartermaster/ours' }],
  ])('remembers %s', async (_, driverType, standsAs) => {
    own('mine', 'https://d.test')
    own('wrapper', 'driver://acme/mine')
    await world.reconcile(wanted(driverType))
    expect(existing()).toEqual({ ...standsAs, identity: { zone: 'x' } })
  })

  test.each<[change: string, act: () => void, by: string]>([
    ['was deleted: at the address of then', () => drop('mine'), 'https://d.test'],
    ['has another address: at the new one', () => own('mine', 'https://new.test'), 'https://new.test'],
    [
      'wraps another one by now: at the address of then',
      () => own('mine', 'driver://quartermaster/ours'),
      'https://d.test',
    ],
  ])('is deprovisioned when its driver %s', async (_, act, by) => {
    own('mine', 'https://d.test')
    const resource = wanted('acme/mine')
    await world.reconcile(resource)
    act()
    world.restart()
    world.remove(resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(calls.at(-1)).toBe(`${by} deprovisions [{"zone":"x"}]`)
  })

  test('of a removed driver of ours are Stalled', async () => {
    world.put({ ...base, status: { provisioned: { driverType: 'quartermaster/gone' } } })
    world.remove(base)
    expect(await world.reconcile(base)).toMatchObject({ reason: 'UnknownDriver' })
  })
})

describe('a switch', () => {
  test.each<[rule: string, from: string, to: string]>([
    ['from a driver to the one that it wraps', 'quartermaster/ours', 'acme/of-ours'],
    ['back', 'acme/of-ours', 'quartermaster/ours'],
    ['from a remote driver to the one that it wraps', 'acme/mine', 'acme/wrapper'],
    ['from one that wraps it to another', 'acme/wrapper', 'acme/outer'],
  ])('%s with the same identity replaces nothing', async (_, from, to) => {
    own('mine', 'https://d.test')
    own('wrapper', 'driver://acme/mine')
    own('outer', 'driver://acme/wrapper')
    own('of-ours', 'driver://quartermaster/ours')
    await world.reconcile(wanted(from))
    await world.reconcile(wanted(to))
    expect(calls.filter((each) => each.includes('deprovisions'))).toEqual([])
    expect(world.statusOf(base).predecessors).toBeUndefined()
  })

  test.each<[rule: string, driverType: string, zone: string, reported: string]>([
    ['to another driver', 'quartermaster/other', 'x', 'ours deprovisions [{"zone":"x"}]'],
    [
      'to another identity, which is sent to the driver',
      'acme/of-ours',
      'y',
      'ours deprovisions [{"zone":"x"},{"zone":"y"}]',
    ],
  ])('%s replaces', async (_, driverType, zone, reported) => {
    own('of-ours', 'driver://quartermaster/ours')
    await world.reconcile(wanted('acme/of-ours'))
    await world.reconcile(wanted(driverType, zone))
    expect(calls.at(-1)).toBe(reported)
    expect(existing()?.identity).toEqual({ zone })
  })

  test('from a remote driver to one that wraps ours, under the same name, replaces', async () => {
    own('mine', 'https://d.test')
    await world.reconcile(wanted('acme/mine', 'x'))
    own('mine', 'driver://quartermaster/ours')
    await world.reconcile(wanted('acme/mine', 'y'))
    expect(calls.at(-1)).toBe('https://d.test deprovisions [{"zone":"x"}]')
    expect(existing()).toEqual({ driverType: 'quartermaster/ours', identity: { zone: 'y' } })
  })

  test.each<[what: string, target: string, expected: readonly string[]]>([
    [
      'another remote driver replaces',
      'driver://acme/two',
      ['https://e.test provisions', 'https://d.test deprovisions [{"zone":"x"}]'],
    ],
    [
      'one of ours replaces',
      'driver://quartermaster/ours',
      ['ours provisions', 'https://d.test deprovisions [{"zone":"x"}]'],
    ],
    ['another one at the same address updates', 'driver://acme/same', ['https://d.test provisions']],
    ['one that is the same updates', 'driver://acme/wrapping', ['https://d.test provisions']],
  ])('of a wrapper, without a deployment, to %s', async (_, target, expected) => {
    own('one', 'https://d.test')
    own('two', 'https://e.test')
    own('same', 'https://d.test')
    own('wrapping', 'driver://acme/one')
    own('wrapper', 'driver://acme/one')
    await world.reconcile(wanted('acme/wrapper'))
    own('wrapper', target)
    for (const calledNow of [expected, []]) {
      calls = []
      await world.reconcile(world.now(base) ?? base)
      expect(calls.filter((each) => !each.startsWith('wraps'))).toEqual(calledNow)
    }
    expect(world.statusOf(base).predecessors).toBeUndefined()
  })
})

function drop(name: string) {
  world.cluster.drop(ResourceDriver, 'acme', name)
}
