import { setTimeout } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { isFinished } from '../../../operator/domain/deployment/deployment.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { workloadDescriptor } from '../../../operator/drivers/workload/descriptor.ts'
import { conditionOf, isReady } from '../../../operator/kube/loop/outcome.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createRandom } from '../../support/random.ts'
import { anyDeath } from '../support/deaths.ts'
import { createOperatorWorld, type OperatorWorld } from '../support/operator-world.ts'

const namespace = 'acme'
const objectNames = ['one', 'two', 'three']
const answerMs = { least: 1, more: 6 }
const settlesMs = 200

/** Makes ConfigMaps of each module. */
const renderer: Driver = {
  descriptor: workloadDescriptor,
  provision: async () => ({
    outputs: { values: {}, secrets: {} },
    objects: objectNames.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })),
  }),
  async deprovision() {},
}

const web = {
  profile: 'quartermaster/default-module',
  spec: { containers: { main: { id: 'main', image: 'web:1' } } },
  externals: {},
}

/** Deploys a set with or without the workload. */
function deploy({ fake }: OperatorWorld, number: number, isUsed: boolean): void {
  const setName = `shop.${isUsed ? 'with' : 'without'}`
  const modules: Record<string, FreeForm> = isUsed ? { web } : {}
  const set = { applicationName: 'shop', modules, shared: {} }
  fake.put(DeploymentSet, newObject(DeploymentSet, { namespace, name: setName }, set))
  const creationTimestamp = new Date().toISOString()
  const metadata = { namespace, name: `shop.dev.${number}`, finalizers: [finalizer], creationTimestamp }
  const spec = { environmentName: 'shop.dev', setName }
  fake.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
}

const death = anyDeath({ min: 5, max: 40 })

test('a workload has its objects if and only if the last deployment uses it, wherever the operator dies', async () => {
  const deployments = fc.array(
    fc.record({ isUsed: fc.boolean(), pauseMs: fc.integer({ min: 0, max: 60 }) }),
    {
      minLength: 2,
      maxLength: 5,
    },
  )
  await fc.assert(
    fc.asyncProperty(deployments, death, fc.integer(), async (all, end, seed) => {
      const random = createRandom(seed)
      const world = createOperatorWorld([renderer], {
        latencyMs: () => answerMs.least + random.below(answerMs.more),
      })
      const list = () => world.fake.store.list(EnvironmentDeployment, namespace)
      const existing = () => objectNames.filter((name) => world.objects.get('ConfigMap', name))
      world.start(end)
      try {
        for (const [at, { isUsed, pauseMs }] of all.entries()) {
          deploy(world, at, isUsed)
          await setTimeout(pauseMs)
        }
        await world.until(() => list().every(isFinished))
        expect(list().filter((each) => !isReady(each))).toEqual([])
        const expected = all.at(-1)?.isUsed ? objectNames : []
        await world.until(() => existing().length === expected.length)
        await setTimeout(settlesMs)
        expect(existing()).toEqual(expected)
      } finally {
        world.close()
      }
    }),
    { numRuns: casesOf(60), endOnFailure: true },
  )
})

test('a workload that is used again before its removal has ended gets back what was deleted', async () => {
  const world = createOperatorWorld([renderer])
  const { objects } = world
  const isThere = (name: string) => objects.get('ConfigMap', name) !== undefined
  const ended = async (number: number) => expect(await world.hasSucceeded(`shop.dev.${number}`)).toBe(true)
  world.start()
  try {
    deploy(world, 1, true)
    await ended(1)
    const { metadata } = objects.get('ConfigMap', 'two') ?? {}
    if (!metadata) throw new Error('no object is there')
    objects.replaceMetadata('ConfigMap', 'two', { ...metadata, finalizers: ['example.test/keeps'] })
    deploy(world, 2, false)
    await ended(2)
    await world.until(() => !isThere('one') && !isThere('three'))
    deploy(world, 3, true)
    const { finalizers: _, ...released } = objects.get('ConfigMap', 'two')?.metadata ?? metadata
    objects.replaceMetadata('ConfigMap', 'two', released)
    await ended(3)
    await world.until(() => objectNames.every(isThere))
  } finally {
    world.close()
  }
})

test('an unused workload has no objects, also when its first provision failed after some of them', async () => {
  const world = createOperatorWorld([renderer])
  world.objects.before = ({ metadata }) => {
    if (metadata.name === 'three') throw new Stalled('Rejected', 'refused', undefined, 60)
  }
  world.start()
  deploy(world, 1, true)
  expect(await world.hasSucceeded('shop.dev.1')).toBe(false)
  expect(objectNames.filter((name) => world.objects.get('ConfigMap', name))).toEqual(['one', 'two'])
  deploy(world, 2, false)
  expect(await world.hasSucceeded('shop.dev.2')).toBe(true)
  await setTimeout(settlesMs)
  expect(objectNames.filter((name) => world.objects.get('ConfigMap', name))).toEqual([])
  world.close()
})

test('the status of an unused workload records no objects and no inputs, so that a rollback renders them again', async () => {
  const world = createOperatorWorld([renderer])
  world.start()
  try {
    deploy(world, 1, true)
    expect(await world.hasSucceeded('shop.dev.1')).toBe(true)
    deploy(world, 2, false)
    const status = () => world.resources()[0]?.status
    await world.until(() => conditionOf({ status: status() }, 'Unused') !== undefined)
    expect([status()?.objects, status()?.inputsHash]).toEqual([undefined, undefined])
  } finally {
    world.close()
  }
})
