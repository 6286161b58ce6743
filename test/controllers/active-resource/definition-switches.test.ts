import { expect, test } from '@jest/globals'
import type { ActiveResource, ProvisionedInstance } from '../../../operator/api/active-resource.ts'
import { mostPredecessors } from '../../../operator/api/active-resource.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import { instancesOf } from '../../../operator/controllers/active-resource/instances/provisioned-instances.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { silentContext } from '../support/context.ts'
import { resourceTools } from '../support/resource-tools.ts'

type Status = NonNullable<ActiveResource['status']>

class Crash extends Error {}

/** Where a definition sends the resource. */
interface Target {
  readonly driver: 'one' | 'two'
  readonly zone: 'x' | 'y'
}

const nameOf = ({ driver: name, zone }: Target): string => `${name}/${zone}`

const cluster = createFakeCluster()

/** A resource with instances in an external world, and an operator that dies at given steps. */
function makeWorld(deaths: readonly number[]) {
  const live = new Set<string>()
  const mistakes: string[] = []
  let steps = 0
  let current: Target = { driver: 'one', zone: 'x' }
  let resource = activeResource({ type: 'dns', resourceId: 'shared.dns' })

  async function step() {
    await Promise.resolve()
    steps += 1
    if (deaths.includes(steps)) throw new Crash('the process died')
  }
  const makeDriver = (name: Target['driver']): Driver => ({
    descriptor: driver(name, { remote: true }),
    identify: ({ values }) => ({ zone: values['zone'] }),
    async provision({ values }) {
      await step()
      live.add(`${name}/${String(values['zone'])}`)
      await step()
      return { outputs: { values: { at: `${name}/${String(values['zone'])}` }, secrets: {} }, objects: [] }
    },
    async deprovision({ identity }) {
      await step()
      const thing = `${name}/${String(identity['zone'])}`
      const wanted = resource.metadata.deletionTimestamp ? undefined : nameOf(current)
      if (thing === wanted) mistakes.push(`deprovisioned '${thing}', which is wanted`)
      live.delete(thing)
      await step()
    },
  })
  const drivers = [makeDriver('one'), makeDriver('two')]
  const read = async () => resource as never // of the kind that is read
  const start = () => activeResourceController(resourceTools({ ...cluster, read }, drivers))

  async function persist(status: object) {
    await step()
    resource = { ...resource, status: JSON.parse(JSON.stringify(status)) as Status } // as the API server keeps it
    await step()
  }
  const context = silentContext<typeof ActiveResource>({ report: (observed) => persist(observed) })

  /** One reconcile of a process that may die during it; answers whether it ended. */
  async function look(): Promise<boolean> {
    const controller = start()
    try {
      if (resource.metadata.deletionTimestamp) await controller.finalize?.(resource, context)
      else await persist(await controller.reconcile(resource, context))
      return true
    } catch (error) {
      // The common loop treats an error of a driver as a failure, and so it does a death in it.
      if (error instanceof Crash || (error instanceof Error && error.message.includes('died'))) return false
      throw error
    }
  }
  return {
    live,
    mistakes,
    look,
    want(target: Target) {
      current = target
      const definition = {
        definitionName: target.driver,
        driverType: `quartermaster/${target.driver}`,
        driverInputs: { values: { zone: target.zone } },
      }
      resource = { ...resource, spec: { ...resource.spec, definition } }
    },
    remove() {
      const deletionTimestamp = '2026-01-01T00:00:00Z'
      resource = { ...resource, metadata: { ...resource.metadata, deletionTimestamp } }
    },
    existing: (): ProvisionedInstance | undefined => resource.status?.provisioned,
    status: () => resource.status,
  }
}

const target = fc.record<Target>({ driver: fc.constantFrom('one', 'two'), zone: fc.constantFrom('x', 'y') })
const moves = fc.array(fc.record({ target, looks: fc.integer({ min: 0, max: 2 }) }), {
  minLength: 1,
  maxLength: 12,
})
const deaths = fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 12 })

test('definitions switched back and forth, the operator killed anywhere: exactly one instance remains, and no instance in use was deleted', async () => {
  await fc.assert(
    fc.asyncProperty(moves, deaths, async (all, whenToDie) => {
      const world = makeWorld(whenToDie)
      for (const each of all) {
        world.want(each.target)
        for (let i = 0; i < each.looks; i++) await world.look()
      }
      while (!(await world.look()));
      const last = all.at(-1)?.target ?? { driver: 'one', zone: 'x' }
      expect([...world.live]).toEqual([nameOf(last)])
      expect(world.mistakes).toEqual([])
      expect(world.status()?.outputs).toEqual({ at: nameOf(last) })
      expect(world.status()?.predecessors).toBeUndefined()
    }),
    { numRuns: casesOf(400) },
  )
})

test('a resource deleted after switches and crashes leaves nothing behind', async () => {
  await fc.assert(
    fc.asyncProperty(moves, deaths, async (all, whenToDie) => {
      const world = makeWorld(whenToDie)
      for (const each of all) {
        world.want(each.target)
        for (let i = 0; i < each.looks; i++) await world.look()
      }
      world.remove()
      while (!(await world.look()));
      expect([...world.live]).toEqual([])
    }),
    { numRuns: casesOf(200) },
  )
})

test('a reconcile of the desired state provisions nothing', async () => {
  const world = makeWorld([])
  world.want({ driver: 'one', zone: 'x' })
  await world.look()
  const before = world.status()
  world.live.clear()
  await world.look()
  expect([...world.live]).toEqual([])
  expect(world.status()).toEqual(before)
})

type Given = Parameters<typeof instancesOf>

const driverType = 'quartermaster/echo'
const instance = (zone: number) => ({ driverType, identity: { zone } })

/** The instances of a call for a zone, when the status records the zones before `recorded`, the last one as current. */
function instancesFor(zone: number, recorded: number) {
  const zones = Array.from({ length: recorded }, (_, index) => instance(index))
  const status = { provisioned: zones.at(-1), predecessors: zones.slice(0, -1) }
  const resource = { ...activeResource({ type: 's3', resourceId: 'shared.files' }), status } as Given[0] // as a status holds it
  const call = { identity: { zone }, request: {}, secretNames: [] } as unknown as Given[1] // all that is asked for
  const found = { driver: { descriptor: {} }, recordedAs: { driverType } }
  const inputs = { inputsHash: 'h', found } as Given[2] // all that is asked for
  const tools = { vendors: ['quartermaster'], cluster: createFakeCluster() } as unknown as Given[3] // all that is asked for
  return instancesOf(resource, call, inputs, tools)
}

test('the status records as many earlier instances as its schema allows', () => {
  expect(instancesFor(mostPredecessors, mostPredecessors).predecessors).toHaveLength(mostPredecessors)
})

test('another instance is refused before its driver is called, and an earlier one can be used again', () => {
  const full = mostPredecessors + 1
  expect(() => instancesFor(full, full)).toThrow(expect.objectContaining({ reason: 'TooManyInstances' }))
  expect(instancesFor(3, full).predecessors).toHaveLength(mostPredecessors)
})
