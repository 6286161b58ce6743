import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { annotations, labels, systemNamespace } from '../../../operator/api/names.ts'
import { environmentNamespace } from '../../../operator/domain/resource/identity.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { activeResource, context, driver } from '../../support/builders.ts'
import { createWorld, type World } from '../support/world.ts'

let made: KubeObject[]
let world: World
let resource: ActiveResource

const maker: Driver = {
  descriptor: driver('maker', {}),
  provision: async () => ({ outputs: { values: { namespace: 'initech' }, secrets: {} }, objects: made }),
  async deprovision() {},
}
const definition = { definitionName: 'maker', driverType: 'quartermaster/maker' }

const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
const secretIn = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: name },
})

beforeEach(() => {
  world = createWorld([maker])
  resource = world.put(activeResource({ type: 'k8s-namespace', resourceId: 'k8s-namespace' }, { definition }))
})

describe('a driver makes a Namespace', () => {
  test.each([
    ['that is its own environment’s', environmentNamespace(context())],
    ['that begins with its organization', 'acme--shared'],
    ['of any other name', 'shared'],
  ])('%s', async (_, name) => {
    made = [namespace(name)]
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(world.objects.get('Namespace', name)).toBeDefined()
  })
})

describe('a driver does not make a Namespace', () => {
  test.each([
    ['of an environment of another organization', 'globex--foo--development'],
    [
      'whose name is shortened',
      environmentNamespace(context({ organizationId: 'globex', applicationId: 'a'.repeat(60) })),
    ],
    ['of another environment', environmentNamespace(context({ environmentId: 'production' }))],
    ['that begins with another organization', 'globex--shared'],
  ])('%s: NotAllowed', async (_, name) => {
    made = [namespace('shared'), namespace(name)]
    expect(await world.reconcile(resource)).toMatchObject({ reason: 'NotAllowed' })
    expect(world.objects.names()).toEqual([])
  })
})

test('the resource that names the namespace of its environment is provisioned once, and its own objects are not in it', async () => {
  made = [namespace('initech'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }]
  expect(await world.reconcile(resource)).toBeUndefined()
  const { inputsHash } = world.statusOf(resource)
  for (const isResync of [false, true]) expect(await world.reconcile(resource, { isResync })).toBeUndefined()
  expect(world.statusOf(resource).inputsHash).toBe(inputsHash)
  const { objects = [] } = world.statusOf(resource)
  expect(objects.map((each) => each.namespace)).toEqual([undefined, environmentNamespace(context())])
})

test('objects wait for a namespace that another client deleted, until its resource has made it again', async () => {
  made = [namespace('initech')]
  expect(await world.reconcile(resource)).toBeUndefined()
  const guest = world.put(activeResource({ type: 'base', resourceId: 'guest' }, { definition }))
  world.objects.delete('Namespace', 'initech')
  const reconcileGuest = () => {
    made = [secretIn('initech')]
    return world.reconcile(guest)
  }
  expect(await reconcileGuest()).toMatchObject({ reason: 'DependencyNotReady' })
  made = [namespace('initech')]
  expect(await world.reconcile(resource)).toBeUndefined()
  expect(await reconcileGuest()).toBeUndefined()
})

describe('objects do not go into a namespace', () => {
  test.each([
    ['of the installation', systemNamespace, {}],
    ['of an organization', 'globex', { [labels.organization]: 'globex' }],
    ['of the own organization', 'acme', { [labels.organization]: 'acme' }],
  ])(
    '%s: NamespaceNotOpen, and a retry follows, because no watch shows when it is opened',
    async (_, name, given) => {
      world.objects.put({ ...namespace(name), metadata: { name, labels: given } })
      made = [secretIn(name)]
      const expected = { reason: 'NamespaceNotOpen', retryAfterSeconds: 60 }
      expect(await world.reconcile(resource)).toMatchObject(expected)
      expect(world.objects.names()).toEqual([`Namespace ${name}`])
    },
  )

  test.each([
    ['another environment', 'acme/shop.other', 'does not belong to this environment: label it'],
    ['another organization', 'globex/shop.dev', 'belongs to another organization'],
  ])('of %s, and the message says which it is', async (_, maker, message) => {
    const metadata = { name: 'theirs', annotations: { [annotations.environment]: maker } }
    world.objects.put({ ...namespace('theirs'), metadata })
    made = [secretIn('theirs')]
    const expected = { reason: 'NamespaceNotOpen', message: expect.stringContaining(message) }
    expect(await world.reconcile(resource)).toMatchObject(expected)
  })

  test('that became an organization after a resource created it, and it stays when the resource is deleted', async () => {
    made = [namespace('initech')]
    expect(await world.reconcile(resource)).toBeUndefined()
    const { metadata } = world.objects.get('Namespace', 'initech') ?? namespace('initech')
    const given = { ...metadata.labels, [labels.organization]: 'initech' }
    world.objects.replaceMetadata('Namespace', 'initech', { ...metadata, labels: given })
    const guest = world.put(activeResource({ type: 'base', resourceId: 'guest' }, { definition }))
    made = [secretIn('initech')]
    expect(await world.reconcile(guest)).toMatchObject({ reason: 'NamespaceNotOpen' })
    world.remove(resource)
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(world.objects.names()).toEqual(['Namespace initech'])
  })
})
