import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { environmentNamespace } from '../../../operator/domain/resource/identity.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { environmentKeyOf } from '../../../operator/kube/cache/kinds-in-store.ts'
import { activeResource, context, driver } from '../../support/builders.ts'
import { createWorld, type World } from '../support/world.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64')

/** Writes a Secret of outputs in the organization and one as an object in the environment. */
const maker: Driver = {
  descriptor: driver('maker'),
  async provision() {
    world.log.push('provision')
    const data = { token: encoded('applied') }
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'applied' }, data }
    return { outputs: { values: {}, secrets: { token: 'output' } }, objects: [object] }
  },
  async deprovision() {},
}

let world: World
let resource: ActiveResource

beforeEach(async () => {
  world = createWorld([maker])
  const definition = { definitionName: 'base', driverType: 'quartermaster/maker' }
  resource = world.put(
    activeResource({ type: 'base', resourceId: 'main' }, { definition }, { generation: 1 }),
  )
  expect(await world.reconcile(resource)).toBeUndefined()
  world.log.length = 0
})

const outputs = () => `${resource.metadata.name}-outputs`
const secrets = () => ({
  outputs: world.objects.get('Secret', outputs())?.data,
  applied: world.objects.get('Secret', 'applied')?.data,
})
const asWritten = { outputs: { token: encoded('output') }, applied: { token: encoded('applied') } }
const namespaces = { outputs: 'acme', applied: environmentNamespace(context()) }

/** What another client does to one of the Secrets. */
const harms = {
  deleted: (which: 'outputs' | 'applied') => {
    world.objects.delete('Secret', which === 'outputs' ? outputs() : 'applied')
  },
  changed: (which: 'outputs' | 'applied') => {
    const name = which === 'outputs' ? outputs() : 'applied'
    const { metadata } = world.objects.get('Secret', name) ?? {}
    const data = { token: encoded('wrong') }
    const kept = { ...metadata, name, namespace: namespaces[which] }
    world.objects.put({ apiVersion: 'v1', kind: 'Secret', metadata: kept, data })
  },
}

/** When Secrets are looked at: they are not watched. */
const occasions: Readonly<Record<string, () => Promise<unknown>>> = {
  'at a resync': () => world.reconcile(resource, { isResync: true }),
  'by a deployment that uses the unchanged resource': async () => {
    const run = { uid: 'run', isForced: false, secrets: { read: async () => ({}) } }
    world.tools.renewals.start(environmentKeyOf(resource), run, [world.now(resource) ?? resource])
    return world.reconcile(resource)
  },
  'by a deployment that uses the resource again': () => {
    const { metadata, ...rest } = world.now(resource) ?? resource
    world.put({ ...rest, metadata: { ...metadata, generation: 2 } })
    return world.reconcile(resource)
  },
}

describe.each(Object.entries(occasions))('%s', (_, look) => {
  test.each<[which: 'outputs' | 'applied', harm: keyof typeof harms]>([
    ['outputs', 'deleted'],
    ['outputs', 'changed'],
    ['applied', 'deleted'],
    ['applied', 'changed'],
  ])('the Secret of kind %s is written again after it was %s', async (which, harm) => {
    harms[harm](which)
    expect(secrets()).not.toEqual(asWritten)
    expect(await look()).toBeUndefined()
    expect(secrets()).toEqual(asWritten)
    world.log.length = 0
    expect(await look()).toBeUndefined()
    expect(world.log).not.toContain('provision')
  })

  test('a resource whose Secrets are as it wrote them is not provisioned', async () => {
    expect(await look()).toBeUndefined()
    expect(world.log).not.toContain('provision')
  })
})

test('at any other time the Secrets are not read', async () => {
  harms.deleted('outputs')
  expect(await world.reconcile(resource)).toBeUndefined()
  expect(world.log).not.toContain('provision')
})

test('a status of an earlier version, without the versions of the Secrets, is as good', async () => {
  const { outputsSecretVersion: _, objects = [], ...status } = world.statusOf(resource)
  const earlier = objects.map(({ resourceVersion: __, ...each }) => each)
  const { namespace, name } = resource.metadata
  world.cluster.setStatus(ActiveResource, namespace, name, { ...status, objects: earlier })
  expect(await world.reconcile(resource, { isResync: true })).toBeUndefined()
  expect(world.log).not.toContain('provision')
  harms.deleted('applied')
  expect(await world.reconcile(resource, { isResync: true })).toBeUndefined()
  expect(secrets()).toEqual(asWritten)
})
