import { afterEach, expect, test } from '@jest/globals'
import { labels } from '../../../operator/api/names.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { environmentNamespace } from '../../../operator/domain/resource/identity.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { context, definition, driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createOperatorWorld, type OperatorWorld, type Wanted } from '../support/operator-world.ts'

const ownNamespace = environmentNamespace(context())
const opened = ['one', 'two'] as const

/** Makes a ConfigMap of the name of the resource in the namespace of the environment. */
const maker: Driver = {
  descriptor: driver('maker'),
  async provision({ resourceId, namespace }) {
    const name = resourceId.replace('shared.', '')
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }
    return { outputs: { values: { name }, secrets: {} }, objects: [object] }
  },
  async deprovision() {},
}

const namer: Driver = {
  descriptor: driver('namer'),
  provision: async ({ values: { namespace } }) => ({
    outputs: { values: { namespace }, secrets: {} },
    objects: [],
  }),
  async deprovision() {},
}

/** A deployment: which namespace a definition names, whether that definition refers to the first resource, and all resources. */
interface Step {
  readonly namespace: (typeof opened)[number] | undefined
  readonly refers: boolean
  readonly needs: readonly (readonly number[])[]
}

const steps = fc.array(
  fc.record({
    namespace: fc.constantFrom(undefined, ...opened),
    refers: fc.boolean(),
    needs: fc.array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 4 },
)

function wantedOf({ needs }: Step): Wanted[] {
  return needs.map((each, index) => ({
    id: `r${index}`,
    dependsOn: [...new Set(index === 0 ? [] : each.map((at) => `r${at % index}`))],
  }))
}

let world: OperatorWorld
afterEach(() => world?.close())

function makeWorld(): void {
  world = createOperatorWorld([maker, namer])
  for (const name of opened)
    world.objects.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { [labels.accepts]: 'acme' } },
    })
}

function deploy(name: string, step: Step): void {
  const { namespace, refers } = step
  if (namespace === undefined) world.fake.drop(ResourceDefinition, 'acme', 'namer')
  else {
    const needs = refers ? "${resources['s3.default#shared.r0'].outputs.name}" : ''
    const driverInputs = { values: { namespace, needs } }
    const spec = { driverType: 'quartermaster/namer', driverInputs }
    world.fake.put(ResourceDefinition, definition('namer', 'k8s-namespace', spec))
  }
  world.deploy(name, wantedOf(step))
}

/** Where each ConfigMap is; a resource that a deployment leaves out keeps its own. */
function places(step: Step): (readonly string[])[] {
  const all = [ownNamespace, ...opened]
  return wantedOf(step).map(({ id }) =>
    all.filter((namespace) => world.objects.inNamespace(namespace).some((each) => each.metadata.name === id)),
  )
}

/** What the namespace depends on is in the one that the operator makes. */
function expectedPlaces(step: Step): string[][] {
  const { namespace = ownNamespace, refers } = step
  return wantedOf(step).map((_, index) => [refers && index === 0 ? ownNamespace : namespace])
}

test('when a deployment succeeds, the objects are in the namespace that its definitions name, and nowhere else', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      makeWorld()
      world.start()
      for (const [index, step] of all.entries()) {
        deploy(`deployment-${index}`, step)
        expect(await world.hasSucceeded(`deployment-${index}`)).toBe(true)
        expect(places(step)).toEqual(expectedPlaces(step))
      }
      world.removeEnvironment()
      await world.untilGone()
      for (const namespace of opened) expect(world.objects.inNamespace(namespace)).toEqual([])
      world.close()
    }),
    { numRuns: casesOf(300), endOnFailure: true },
  )
})

test('also when a process dies at any request', async () => {
  const needs = [[], [0], []]
  const moves: [from: Step['namespace'], to: Step['namespace']][] = [
    [undefined, 'one'],
    ['one', 'two'],
    ['two', undefined],
  ]
  for (const [from, to] of moves)
    for (const moment of ['before', 'after'] as const) {
      let isKilled = true
      for (let at = 1; isKilled; at += 1) {
        makeWorld()
        world.start()
        deploy('first', { namespace: from, refers: false, needs })
        expect(await world.hasSucceeded('first')).toBe(true)
        const process = world.start({ at, moment })
        const step = { namespace: to, refers: false, needs }
        deploy('second', step)
        expect([at, await world.hasSucceeded('second')]).toEqual([at, true])
        expect([at, places(step)]).toEqual([at, expectedPlaces(step)])
        isKilled = !process.isAlive
        world.close()
      }
    }
})
