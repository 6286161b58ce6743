import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { renewedBy } from '../../../operator/controllers/deployment/renewed-resources.ts'
import { customType } from '../../../operator/domain/resource/types.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { isReady } from '../../../operator/kube/loop/outcome.ts'
import { activeResource, definition, driver } from '../../support/builders.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

let calls = 0
const maker: Driver = {
  descriptor: driver('maker'),
  async provision() {
    calls += 1
    return { outputs: { values: { name: 'a' }, secrets: { key: 'short' } }, objects: [] }
  },
  async deprovision() {},
}

let world: OperatorWorld

function putType(values: FreeForm, secrets: FreeForm = {}): void {
  const outputsSchema = { properties: { values, secrets } }
  const spec = { use: 'direct' as const, outputsSchema }
  world.fake.put(ResourceType, newObject(ResourceType, { namespace: 'acme', name: 's3' }, spec))
}

const named = { properties: { name: { type: 'string' } } }
const deploy = async (name: string) => {
  world.deploy(name, [{ id: 'a' }])
  return world.hasSucceeded(name)
}
const problemsOf = (name: string) =>
  world.fake.store.get(EnvironmentDeployment, 'acme', name)?.status?.problems?.map(({ reason }) => reason)

beforeEach(async () => {
  world = createOperatorWorld([maker])
  putType(named)
  world.fake.put(
    ResourceDefinition,
    definition('own', 'acme/s3', { driverType: 'quartermaster/maker', criteria: [{}] }),
  )
  world.start()
  expect(await deploy('first')).toBe(true)
  calls = 0
})
afterEach(() => world.close())

describe('when the schemas of a custom type change', () => {
  test.each<[part: string, values: FreeForm, secrets: FreeForm]>([
    ['values', { properties: { name: { type: 'integer' } } }, {}],
    ['secrets', named, { properties: { key: { type: 'string', minLength: 20 } } }],
  ])('a deployment fails if the %s of an unchanged resource no longer fit', async (_, values, secrets) => {
    putType(values, secrets)
    expect(await deploy('second')).toBe(false)
    expect(problemsOf('second')).toEqual(['InvalidOutputs'])
    putType(named)
    expect(await deploy('third')).toBe(true)
  })

  test('the next deployment calls the driver once, and later ones do not', async () => {
    putType({ ...named, title: 'Outputs' })
    for (const name of ['second', 'third']) {
      expect(await deploy(name)).toBe(true)
      expect(calls).toBe(1)
    }
  })

  test('nothing happens before a deployment', async () => {
    putType({ properties: { name: { type: 'integer' } } })
    await setTimeout(50)
    const resource = world.resource('a')
    expect([calls, resource && isReady(resource)]).toEqual([0, true])
  })
})

/** Its status may be of its new spec before it is reconciled, if it waits for a dependency. */
test.each<[what: string, status: ActiveResource['status'], isMarked: boolean]>([
  ['whose type has other schemas', { schemasHash: 'other' }, true],
  ['that wrote a Secret', { outputsSecretName: 'out' }, true],
  ['of a type without schemas and without a Secret', {}, false],
])('a deployment marks a changed resource %s', (_, status, isMarked) => {
  const current = { ...activeResource({ type: 'acme/s3', resourceId: 'shared.b' }), status }
  const { spec: wanted, metadata } = current
  const step = { action: 'update' as const, guResId: metadata.name, descriptor: wanted, wanted, current }
  const types = world.fake.store.list(ResourceType, 'acme').map(customType)
  const plan = { steps: [{ ...step, definitionName: 'own' }] }
  expect(renewedBy(plan, { isWhole: false, store: world.fake.store, types })).toEqual(
    isMarked ? [current] : [],
  )
})
