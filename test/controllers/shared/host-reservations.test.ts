import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { HostReservations } from '../../../operator/controllers/shared/host-reservations.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, context } from '../../support/builders.ts'

const cluster = createFakeCluster()
let reservations: HostReservations
let enqueued: string[]

beforeEach(() => {
  cluster.reset()
  start()
})

/** A new process, which knows only the state in the cluster. */
function start() {
  reservations = new HostReservations(cluster)
  enqueued = []
  reservations.onFreed((key) => enqueued.push(key))
}

/** A resource of an organization, with these reserved hosts in its status. */
function resource(organizationId: string, resourceId: string, known?: readonly string[]): ActiveResource {
  const made = activeResource({ type: 'dns', resourceId }, { context: context({ organizationId }) })
  return cluster.put(ActiveResource, { ...made, ...(known ? { status: { reservedHosts: [...known] } } : {}) })
}

function writeStatus({ metadata }: ActiveResource, known: readonly string[]) {
  cluster.setStatus(ActiveResource, metadata.namespace, metadata.name, { reservedHosts: [...known] })
}

function drop({ metadata }: ActiveResource) {
  cluster.drop(ActiveResource, metadata.namespace, metadata.name)
}

/** The outcome of a reservation. */
function outcome(one: ActiveResource, names: readonly string[]): string {
  try {
    reservations.reserve(one, names)
    return 'reserved'
  } catch (error) {
    return error instanceof Stalled ? error.reason : String(error)
  }
}

describe('a name that two organizations reserve', () => {
  test('stays with the first; the second gets the name in its message, and not the owner', () => {
    reservations.reserve(resource('acme', 'a'), ['shop.test'])
    const second = resource('globex', 'b')
    expect(outcome(second, ['shop.test'])).toBe('Conflict')
    expect(() => reservations.reserve(second, ['shop.test'])).toThrow("host 'shop.test'")
    expect(() => reservations.reserve(second, ['shop.test'])).not.toThrow('acme')
  })

  test('at the same moment is reserved for one of them', async () => {
    const both = [resource('acme', 'a'), resource('globex', 'b')]
    const outcomes = await Promise.all(both.map(async (each) => outcome(each, ['shop.test'])))
    expect(outcomes.toSorted()).toEqual(['Conflict', 'reserved'])
  })

  test('is refused with all that is reserved with it', () => {
    reservations.reserve(resource('acme', 'a'), ['shop.test'])
    expect(outcome(resource('globex', 'b'), ['other.test', 'shop.test'])).toBe('Conflict')
    expect(outcome(resource('acme', 'c'), ['other.test'])).toBe('reserved')
  })

  test.each<[rule: string, hold: () => void]>([
    [
      'it was taken and is not yet in a status',
      () => reservations.reserve(resource('acme', 'a'), ['shop.test']),
    ],
    [
      'it is in a status after a restart',
      () => {
        resource('acme', 'a', ['shop.test'])
        start()
      },
    ],
    [
      'it went from taken to the status',
      () => {
        const first = resource('acme', 'a')
        reservations.reserve(first, ['shop.test'])
        writeStatus(first, ['shop.test'])
      },
    ],
    [
      'a status that was written in between does not name it yet',
      () => {
        const first = resource('acme', 'a')
        reservations.reserve(first, ['shop.test'])
        writeStatus(first, [])
      },
    ],
    [
      'its owner is being deleted, and still exists',
      () => {
        const first = resource('acme', 'a', ['shop.test'])
        const metadata = { ...first.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
        cluster.put(ActiveResource, { ...first, metadata })
      },
    ],
  ])('is held when %s', (_, hold) => {
    hold()
    expect(outcome(resource('globex', 'b'), ['shop.test'])).toBe('Conflict')
  })
})

describe('a wildcard and a name one label below it', () => {
  const [wildcard, below] = ['*.shop.test', 'a.shop.test']

  test.each<[rule: string, first: string, second: string, expected: string]>([
    ['are in conflict', wildcard, below, 'Conflict'],
    ['are in conflict the other way round', below, wildcard, 'Conflict'],
    ['are not when it is two labels below', wildcard, 'a.b.shop.test', 'reserved'],
    ['are not the other way round', 'a.b.shop.test', wildcard, 'reserved'],
    ['are not when it is the name itself', wildcard, 'shop.test', 'reserved'],
    ['are not when the wildcard is of another level', wildcard, '*.test', 'reserved'],
  ])('%s', (_, first, second, expected) => {
    resource('acme', 'a', [first])
    expect(outcome(resource('globex', 'b'), [second])).toBe(expected)
    cluster.reset()
    start()
    reservations.reserve(resource('acme', 'a'), [first])
    expect(outcome(resource('globex', 'b'), [second])).toBe(expected)
  })

  test('are not within one organization', () => {
    resource('acme', 'a', [wildcard])
    expect(outcome(resource('acme', 'b'), [below])).toBe('reserved')
  })

  test('stay with both who had them before', () => {
    const first = resource('acme', 'a', [wildcard])
    const second = resource('globex', 'b', [below])
    expect([outcome(first, [wildcard]), outcome(second, [below])]).toEqual(['reserved', 'reserved'])
  })

  test.each([
    ['the wildcard', wildcard, below],
    ['the name', below, wildcard],
  ])('are free again, and the others are enqueued, when the owner of %s is deleted', (_, first, second) => {
    const holder = resource('acme', 'a', [first])
    const loser = resource('globex', 'b')
    expect(outcome(loser, [second])).toBe('Conflict')
    drop(holder)
    expect(enqueued).toEqual([keyOf(loser)])
    expect(outcome(loser, [second])).toBe('reserved')
  })
})

test('one organization can reserve a name many times', () => {
  resource('acme', 'a', ['shop.test'])
  reservations.reserve(resource('acme', 'b'), ['shop.test'])
  expect(outcome(resource('acme', 'c'), ['shop.test'])).toBe('reserved')
})

describe('a name is free again, and the others are enqueued, when its owner', () => {
  test.each<[rule: string, known: string[] | undefined, act: (first: ActiveResource) => void]>([
    ['is deleted', ['shop.test'], drop],
    ['is deleted before its status named it', undefined, drop],
    [
      'reserves another, and its status says so',
      ['shop.test'],
      (first) => {
        reservations.reserve(first, ['other.test'])
        writeStatus(first, ['other.test'])
      },
    ],
    ['changes its mind before its status named it', undefined, (first) => reservations.reserve(first, [])],
    [
      'changes its name, and another organization has the new one',
      undefined,
      (first) => {
        resource('globex', 'c', ['other.test'])
        expect(outcome(first, ['other.test'])).toBe('Conflict')
      },
    ],
  ])('%s', (_, known, act) => {
    const first = resource('acme', 'a', known)
    reservations.reserve(first, ['shop.test'])
    const second = resource('globex', 'b')
    expect(outcome(second, ['shop.test'])).toBe('Conflict')
    expect(enqueued).toEqual([])
    act(first)
    expect(enqueued).toContain(keyOf(second))
    expect(outcome(second, ['shop.test'])).toBe('reserved')
  })

  test('the name stays while another resource of the organization holds it', () => {
    const first = resource('acme', 'a', ['shop.test'])
    resource('acme', 'c', ['shop.test'])
    drop(first)
    expect(outcome(resource('globex', 'b'), ['shop.test'])).toBe('Conflict')
  })
})
