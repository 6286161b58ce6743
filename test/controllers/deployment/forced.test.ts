import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import type { Driver, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { silentContext } from '../support/context.ts'
import { createOperatorWorld, type OperatorWorld, type Wanted } from '../support/operator-world.ts'
import { createWorld } from '../support/world.ts'

/** Ids of the resources in the order of the driver calls. */
let calls: string[] = []
/** Resources whose call has ended, and those whose call began before that of a dependency ended. */
let ended = new Set<string>()
let early: string[] = []
let refuses: (request: ProvisionRequest) => boolean = () => false
let edition = 1
/** Whether calls take longer than the requests of the operator. */
let isSlow = false
let world: OperatorWorld

const idOf = ({ resourceId }: ProvisionRequest) => resourceId.replace('shared.', '')

const maker: Driver = {
  descriptor: driver('maker'),
  async provision(request) {
    calls.push(idOf(request))
    const needs = Object.keys((request.values.needs ?? {}) as object) // a map of names
    if (needs.some((each) => !ended.has(each))) early.push(idOf(request))
    if (isSlow) await setTimeout(calls.length === 1 ? 20 : 1)
    if (refuses(request)) throw new Error('no')
    const name = `${idOf(request)}-${edition}`
    const metadata = { name: idOf(request), namespace: request.namespace }
    ended.add(idOf(request))
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { needs: request.values.needs } }
    return { outputs: { values: { name }, secrets: {} }, objects: [object] }
  },
  async deprovision() {},
}

/** A world with these resources, provisioned by a deployment. */
async function deployed(wanted: readonly Wanted[]): Promise<OperatorWorld> {
  calls = []
  refuses = () => false
  edition = 1
  isSlow = false
  const made = createOperatorWorld([maker])
  made.start()
  made.deploy('first', wanted)
  expect(await made.hasSucceeded('first')).toBe(true)
  calls = []
  ended = new Set()
  early = []
  made.log.length = 0
  return made
}

/** Resources without cycles: each depends on some of those before it. */
const graphs = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 }).map((rows) =>
  rows.map((row, index): Wanted => {
    const needs = new Set(index === 0 ? [] : row.map((each) => `r${each % index}`))
    return { id: `r${index}`, dependsOn: [...needs] }
  }),
)

const few: readonly Wanted[] = [
  { id: 'a' },
  { id: 'b', dependsOn: ['a'] },
  { id: 'c', dependsOn: ['b'] },
  { id: 'd' },
]

afterEach(() => world?.close())

describe('a deployment of mode full', () => {
  test('costs one request for each object when nothing changed, and no status', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (wanted) => {
        world = await deployed(wanted)
        world.deploy('again', wanted, { mode: 'full' })
        expect(await world.hasSucceeded('again')).toBe(true)
        const ofResources = world.log.filter((each) => !/ (Environment|EnvironmentDeployment) /.test(each))
        expect(ofResources.sort()).toEqual(wanted.map(({ id }) => `apply ConfigMap ${id}`).sort())
        world.close()
      }),
      { numRuns: 15, endOnFailure: true },
    )
  })

  test('provisions each resource once, dependencies first', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (wanted) => {
        world = await deployed(wanted)
        isSlow = true
        world.deploy('again', wanted, { mode: 'full' })
        expect(await world.hasSucceeded('again')).toBe(true)
        expect([...calls].sort()).toEqual(wanted.map(({ id }) => id).sort())
        expect(early).toEqual([])
        world.close()
      }),
      { numRuns: 15, endOnFailure: true },
    )
  })

  test('passes outputs that changed on to the dependents', async () => {
    world = await deployed(few)
    edition = 2
    world.deploy('again', few, { mode: 'full' })
    expect(await world.hasSucceeded('again')).toBe(true)
    expect(world.objects.get('ConfigMap', 'c')).toMatchObject({ data: { needs: { b: 'b-2' } } })
  })

  test('fails while a resource cannot be provisioned again, also one that was ready', async () => {
    world = await deployed(few)
    refuses = (request) => idOf(request) === 'c'
    world.deploy('again', few, { mode: 'full' })
    expect(await world.hasSucceeded('again')).toBe(false)
  })

  test('creates a resource again that is deleted meanwhile', async () => {
    world = await deployed(few)
    let isDeleted = false
    refuses = (request) => {
      if (isDeleted || idOf(request) !== 'd') return false
      isDeleted = true
      world.removeResource('d')
      return true
    }
    world.deploy('again', few, { mode: 'full' })
    expect(await world.hasSucceeded('again')).toBe(true)
    expect(world.ids().sort()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('provisions only new and changed resources in the deployment after it', async () => {
    world = await deployed(few)
    world.deploy('again', few, { mode: 'full' })
    await world.hasSucceeded('again')
    calls = []
    world.deploy('later', [...few, { id: 'e' }])
    expect(await world.hasSucceeded('later')).toBe(true)
    expect(calls).toEqual(['e'])
  })
})

test.each<[mode: 'full' | 'incremental', expected: string[]]>([
  ['full', ['again']],
  ['incremental', []],
])('a deployment of mode %s provisions what names the id of the deployment with %j', async (mode, ids) => {
  const wanted = [{ id: 'a', values: { run: '${context.deploy.id}' } }]
  world = await deployed(wanted)
  const seen: unknown[] = []
  refuses = ({ values }) => {
    seen.push(values.run)
    return false
  }
  world.deploy('again', wanted, { mode })
  expect(await world.hasSucceeded('again')).toBe(true)
  expect(seen).toEqual(ids)
})

describe.each(['before', 'after'] as const)(
  'a process that dies %s the server handles a request',
  (moment) => {
    test('never lets a deployment of mode full succeed before it provisioned every resource again', async () => {
      let isKilled = true
      for (let at = 1; isKilled; at += 1) {
        world = await deployed(few)
        const first = world.start({ at, moment })
        world.deploy('again', few, { mode: 'full' })
        expect(await world.hasSucceeded('again')).toBe(true)
        expect([at, [...new Set(calls)].sort()]).toEqual([at, ['a', 'b', 'c', 'd']])
        isKilled = !first.isAlive
        world.close()
      }
    })
  },
)

test('a periodic repair that changes nothing costs one request for each object, and no status', async () => {
  const repairing: Driver = { ...maker, descriptor: driver('maker', { repairs: true }) }
  const single = createWorld([repairing])
  const made = activeResource(
    { type: 's3', resourceId: 'shared.a' },
    { definition: { definitionName: 'a', driverType: 'quartermaster/maker' } },
  )
  single.put(made)
  expect(await single.reconcile(made)).toBeUndefined()
  single.log.length = 0
  const resource = single.now(made) ?? made
  const observed = await activeResourceController(single.tools).reconcile(
    resource,
    silentContext({ isResync: true }),
  )
  expect(single.log).toEqual(['apply ConfigMap a'])
  expect(resource.status).toMatchObject(JSON.parse(JSON.stringify(observed)))
})

test('a repair that changes the outputs of a resource reaches its dependents', async () => {
  world = await deployed(few)
  edition = 2
  world.objects.delete('ConfigMap', 'a')
  await world.until(() => JSON.stringify(world.objects.get('ConfigMap', 'b')).includes('a-2'))
})

test('a provision that failed is tried again by a new process, also with inputs that succeeded before', async () => {
  world = await deployed(few)
  refuses = () => true
  world.deploy('again', few, { mode: 'full' })
  expect(await world.hasSucceeded('again')).toBe(false)
  refuses = () => false
  calls = []
  world.start()
  await world.until(() => calls.includes('a') && calls.includes('d'))
})
