import { beforeEach, describe, expect, test } from '@jest/globals'
import {
  type ActiveResource as Resource,
  ActiveResource as resourceKind,
} from '../../../operator/api/active-resource.ts'
import { ReconcileError, Stalled, Waiting, withoutSideEffects } from '../../../operator/domain/base/errors.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { ApiError, isConflict } from '../../../operator/kube/client/api-error.ts'
import { activeResource, driver } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createWorld, type World } from '../support/world.ts'

/** The end of a create call; only after the first two it is certain that no instance exists. */
const outcomes = ['refused', 'limited', 'made', 'lost after it was made', 'lost before it was made'] as const
type Outcome = (typeof outcomes)[number]
const isSure = (outcome: Outcome) => outcome === 'refused' || outcome === 'limited'

/** A call for an instance of that name; `isUnwritten` when the loop does not write its outcome. */
interface Move {
  readonly name: 'x' | 'y'
  readonly outcome: Outcome
  readonly isUnwritten: boolean
  readonly thenRestarts: boolean
}

/** The behaviour of the driver in the current run. */
const hands: Pick<Driver, 'provision' | 'deprovision'> = {
  provision: async () => ({ outputs: { values: {}, secrets: {} }, objects: [] }),
  deprovision: async () => {},
}
const world = createWorld([
  {
    descriptor: driver('remote', { remote: true }),
    identify: ({ values }) => ({ name: values['name'] }),
    provision: (request) => hands.provision(request),
    deprovision: (request) => hands.deprovision(request),
  },
])
let runs = 0

/** A resource, a provider that stores instances by name, and an account whose credentials it can refuse. */
function makeWorld() {
  const live = new Set<string>()
  let next: Outcome = 'made'
  let refusesDeletion = false
  let noted: object | undefined
  const refusal = () => new Stalled('Unauthorized', 'the provider does not accept the token')
  Object.assign(hands, {
    async provision({ values }) {
      noted = world.statusOf(resource)
      if (next === 'refused') throw withoutSideEffects(refusal())
      if (next === 'limited') throw withoutSideEffects(new Waiting('RateLimited', 'too many calls', 1))
      if (next !== 'lost before it was made') live.add(String(values['name']))
      if (next !== 'made') throw new ReconcileError('ProviderUnavailable', 'no answer')
      return { outputs: { values: {}, secrets: {} }, objects: [] }
    },
    async deprovision({ identity }) {
      if (refusesDeletion) throw withoutSideEffects(refusal())
      live.delete(String(identity['name']))
    },
  } satisfies typeof hands)
  runs += 1
  let resource = activeResource(
    { type: 'dns', resourceId: `shared.dns-${runs}` },
    {},
    { uid: `resource-${runs}` },
  )

  return {
    live,
    async move({ name, outcome, isUnwritten, thenRestarts }: Move) {
      const definition = {
        definitionName: 'dns',
        driverType: 'quartermaster/remote',
        driverInputs: { values: { name } },
      }
      const status = world.statusOf(resource)
      resource = { ...resource, spec: { ...resource.spec, definition }, status }
      world.put(resource)
      next = outcome
      noted = undefined
      await world.reconcile(resource)
      const wasCalled = noted !== undefined
      if (wasCalled && isUnwritten && isSure(outcome))
        world.cluster.setStatus(resourceKind, 'acme', resource.metadata.name, noted ?? {})
      if (thenRestarts) world.restart()
      return wasCalled
    },
    /** The former process makes an instance, and records it. */
    formerMakes(name: 'x' | 'y') {
      const provisioned = { driverType: 'quartermaster/remote', identity: { name } }
      live.add(name)
      world.cluster.setStatus(resourceKind, 'acme', resource.metadata.name, { provisioned })
    },
    /** Deletes; answers whether the resource went although the provider refuses everything. */
    async endsWithoutProvider() {
      world.remove(resource)
      refusesDeletion = true
      await world.reconcile(resource)
      return world.now(resource) === undefined
    },
    async endsWithProvider() {
      refusesDeletion = false
      await world.reconcile(resource)
      return world.now(resource) === undefined
    },
  }
}

const move = fc.record<Move>({
  name: fc.constantFrom('x', 'y'),
  outcome: fc.oneof(
    { arbitrary: fc.constantFrom('refused', 'limited'), weight: 3 },
    { arbitrary: fc.constantFrom(...outcomes), weight: 1 },
  ),
  isUnwritten: fc.boolean(),
  thenRestarts: fc.boolean(),
})

test('a resource needs its provider in order to be deleted exactly when a call may have made something', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 6 }), async (moves) => {
      const world = makeWorld()
      let mayHaveMade = false
      for (const each of moves) {
        if (!(await world.move(each))) continue
        // A process that ends before it wrote that nothing was made leaves that open.
        const isForgotten = each.isUnwritten && each.thenRestarts
        if (!isSure(each.outcome) || isForgotten) mayHaveMade = true
      }
      expect(await world.endsWithoutProvider()).toBe(!mayHaveMade)
      if (mayHaveMade) expect(await world.endsWithProvider()).toBe(true)
      expect([...world.live]).toEqual([])
    }),
    { numRuns: casesOf(150) },
  )
})

test.each(['x', 'y'] as const)(
  'an instance that the former process made is deprovisioned, although a call for %s began before its record arrived',
  async (name) => {
    const { live, move, endsWithoutProvider, endsWithProvider, formerMakes } = makeWorld()
    world.beforeStatus = () => {
      world.beforeStatus = () => {}
      formerMakes('x')
      throw new ApiError(409, 'Conflict', 'the object has been modified')
    }
    await move({ name, outcome: 'made', isUnwritten: false, thenRestarts: false })
    expect([...live]).toEqual(['x'])
    await move({ name, outcome: 'refused', isUnwritten: false, thenRestarts: false })
    expect(await endsWithoutProvider()).toBe(false)
    expect(await endsWithProvider()).toBe(true)
    expect([...live]).toEqual([])
  },
)

describe('a new process whose cache is late', () => {
  let later: World
  let calls: number
  let reads: number

  const repairing: Driver = {
    descriptor: driver('remote', { remote: true }),
    async provision() {
      calls += 1
      return { outputs: { values: {}, secrets: {} }, objects: [] }
    },
    async deprovision() {
      calls += 1
    },
  }

  /** A resource that the former process provisioned; the next reconcile calls the driver again, to repair it. */
  async function provisioned(): Promise<Resource> {
    const definition = { definitionName: 'x', driverType: 'quartermaster/remote' }
    const resource = later.put(activeResource({ type: 's3', resourceId: 'shared.a' }, { definition }))
    await later.reconcile(resource)
    forgetHash(resource)
    later.restart()
    calls = 0
    return resource
  }

  function forgetHash(resource: Resource): void {
    const { inputsHash: _, ...status } = later.statusOf(resource)
    later.cluster.setStatus(resourceKind, resource.metadata.namespace, resource.metadata.name, status)
  }

  beforeEach(() => {
    later = createWorld([repairing, { ...repairing, descriptor: driver('local') }])
    calls = 0
    reads = 0
  })

  test.each<[what: string, current: (known: Resource | undefined) => Resource | undefined]>([
    ['is gone', () => undefined],
    [
      'is being deleted',
      (known) =>
        known && { ...known, metadata: { ...known.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ],
    ['was made anew', (known) => known && { ...known, metadata: { ...known.metadata, uid: 'another' } }],
    ['has another spec', (known) => known && { ...known, metadata: { ...known.metadata, generation: 2 } }],
  ])('calls no driver for a resource that %s', async (_, current) => {
    const resource = await provisioned()
    const known = later.now(resource)
    later.cluster.read = (async () => current(known)) as typeof later.cluster.read // of the one kind that is read
    expect(isConflict(await later.reconcile(resource))).toBe(true)
    expect(calls).toBe(0)
  })

  test.each<
    [what: string, current: (known: Resource | undefined) => Resource | undefined, isCalled: boolean]
  >([
    ['deprovisions a resource that is being deleted', (known) => known, true],
    ['does not deprovision one that is gone', () => undefined, false],
    [
      'does not deprovision one that was made anew',
      (known) => known && { ...known, metadata: { ...known.metadata, uid: 'another' } },
      false,
    ],
  ])('%s', async (_, current, isCalled) => {
    const resource = await provisioned()
    later.remove(resource)
    const known = later.now(resource)
    later.cluster.read = (async () => current(known)) as typeof later.cluster.read // of the one kind that is read
    expect(isConflict(await later.reconcile(resource))).toBe(!isCalled)
    expect(calls).toBe(isCalled ? 1 : 0)
  })

  function countReads(): void {
    const { read } = later.cluster
    later.cluster.read = (...given) => {
      reads += 1
      return read(...given)
    }
  }

  test('looks at a resource once before it repairs it', async () => {
    const resource = await provisioned()
    countReads()
    expect(await later.reconcile(resource)).toBeUndefined()
    forgetHash(resource)
    expect(await later.reconcile(resource)).toBeUndefined()
    expect([calls, reads]).toEqual([2, 1])
  })

  test.each([
    ['that it makes', 'remote'],
    ['of which nothing is outside the cluster', 'local'],
  ])('does not look at a resource %s', async (_, driverName) => {
    countReads()
    const definition = { definitionName: 'x', driverType: `quartermaster/${driverName}` }
    const resource = later.put(activeResource({ type: 's3', resourceId: 'shared.a' }, { definition }))
    for (let times = 0; times < 2; times += 1) {
      expect(await later.reconcile(resource)).toBeUndefined()
      forgetHash(resource)
    }
    expect([calls, reads]).toEqual([2, 0])
  })
})
