import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { withIngressRules } from '../../../operator/drivers/ingress/rules.ts'
import { activeResource, context, driver } from '../../support/builders.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let resource: ActiveResource
let asked: number
let hosts: (string | undefined)[]

const ingress = (): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web' },
  spec: { rules: hosts.map((host) => (host === undefined ? {} : { host })) },
})
const maker: Driver = withIngressRules(
  {
    descriptor: driver('maker', {}),
    async provision() {
      asked += 1
      return { outputs: { values: {}, secrets: {} }, objects: [ingress()] }
    },
    async deprovision() {},
  },
  {},
)
const definition = { definitionName: 'maker', driverType: 'quartermaster/maker' }

const made = (organizationId: string, resourceId: string) =>
  world.put(
    activeResource({ type: 'base', resourceId }, { definition, context: context({ organizationId }) }),
  )

/** As an operator left it that did not claim the hosts of Ingresses. */
function forgetClaims() {
  const { claims: _, ...status } = world.statusOf(resource)
  world.cluster.setStatus(ActiveResource, 'acme', resource.metadata.name, status)
}

beforeEach(async () => {
  world = createWorld([maker])
  asked = 0
  hosts = ['shop.test']
  resource = made('acme', 'web')
})

async function upgrade(change: () => void = () => {}) {
  expect(await world.look(resource)).toBeUndefined()
  forgetClaims()
  asked = 0
  change()
  world.restart()
}

describe('hosts of an Ingress that was made before they were claimed', () => {
  const edit = (changes: Partial<ActiveResource['spec']>) =>
    world.put({ ...resource, spec: { ...resource.spec, ...changes }, status: world.statusOf(resource) })

  test('are claimed at the next look, and its driver is not asked', async () => {
    await upgrade()
    expect(await world.look(resource)).toBeUndefined()
    expect([world.statusOf(resource).claims, asked]).toEqual([['host/shop.test'], 0])
    world.restart()
    expect(await world.look(made('globex', 'thief'))).toMatchObject({ reason: 'Conflict' })
  })

  test.each<[rule: string, change: () => void]>([
    ['nothing uses the resource any more', () => edit({ unusedSince: '2026-01-01T00:00:00Z' })],
    ['a dependency of it is not ready', () => edit({ dependsOn: ['gone'] })],
  ])('are claimed although %s', async (_, change) => {
    await upgrade(change)
    await world.look(resource)
    expect(await world.look(made('globex', 'thief'))).toMatchObject({ reason: 'Conflict' })
    expect(asked).toBe(1)
  })

  test('are in the status before anything is made in its place', async () => {
    await upgrade(() => edit({ params: { changed: true } }))
    hosts = ['other.test']
    world.objects.before = () => {
      throw new Error('the cluster is away')
    }
    expect(await world.look(resource)).toBeDefined()
    expect(world.statusOf(resource).claims).toEqual(['host/shop.test'])
  })

  test('are looked at once, also where there are none', async () => {
    hosts = [undefined]
    await upgrade()
    let reads = 0
    const door = world.tools.objects
    const { read } = door
    door.read = async (reference) => {
      reads += 1
      return read(reference)
    }
    for (const _ of [1, 2, 3]) expect(await world.look(resource)).toBeUndefined()
    expect([world.statusOf(resource).claims, reads, asked]).toEqual([[], 1, 0])
  })

  test('stay as they are when two organizations have them: both are ready', async () => {
    await upgrade()
    const other = made('globex', 'web')
    const { inputsHash, ...status } = world.statusOf(resource)
    expect(await world.look(other)).toBeUndefined()
    expect(inputsHash).toBeDefined()
    expect(status.objects).toHaveLength(1)
    expect(await world.look(resource)).toBeUndefined()
    expect(world.statusOf(resource).claims).toEqual([])
  })

  test('are not counted where the Ingress is another’s by now', async () => {
    await upgrade()
    const { metadata } = world.objects.get('Ingress', 'web') ?? ingress()
    world.objects.delete('Ingress', 'web')
    world.objects.put({ ...ingress(), metadata: { name: 'web', namespace: metadata.namespace ?? '' } })
    await world.look(resource)
    expect(world.statusOf(resource).claims ?? []).toEqual([])
  })
})

test('an Ingress without hosts leaves no question open: its status says that it has no claims', async () => {
  hosts = []
  expect(await world.look(resource)).toBeUndefined()
  expect(world.statusOf(resource).claims).toEqual([])
})
