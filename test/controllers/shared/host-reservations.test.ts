import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import {
  createHostReservations,
  type HostReservations,
} from '../../../operator/controllers/shared/host-reservations.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { keyOf } from '../../../operator/kube/client/resource.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource, context } from '../../support/builders.ts'

const cluster = createFakeCluster()
let claims: HostReservations
let woken: string[]

beforeEach(() => {
  cluster.reset()
  start()
})

/** Another process, which knows only what the cluster keeps. */
function start() {
  claims = createHostReservations(cluster)
  woken = []
  claims.onFreed((key) => woken.push(key))
}

/** A resource of an organization, with these claims in its status. */
function resource(organizationId: string, resourceId: string, known?: readonly string[]): ActiveResource {
  const made = activeResource({ type: 'dns', resourceId }, { context: context({ organizationId }) })
  return cluster.put(ActiveResource, { ...made, ...(known ? { status: { claims: [...known] } } : {}) })
}

function writeStatus({ metadata }: ActiveResource, known: readonly string[]) {
  cluster.setStatus(ActiveResource, metadata.namespace ?? '', metadata.name, { claims: [...known] })
}

function drop({ metadata }: ActiveResource) {
  cluster.drop(ActiveResource, metadata.namespace ?? '', metadata.name)
}

/** What became of a claim. */
function outcome(one: ActiveResource, names: readonly string[]): string {
  try {
    claims.take(one, names)
    return 'taken'
  } catch (error) {
    return error instanceof Stalled ? error.reason : String(error)
  }
}

describe('a name that two organizations claim', () => {
  test('stays with the first; the second is told the name, and not whose it is', () => {
    claims.take(resource('acme', 'a'), ['host/shop.test'])
    const second = resource('globex', 'b')
    expect(outcome(second, ['host/shop.test'])).toBe('Conflict')
    expect(() => claims.take(second, ['host/shop.test'])).toThrow("host 'shop.test'")
    expect(() => claims.take(second, ['host/shop.test'])).not.toThrow('acme')
  })

  test('at the same moment goes to one of them', async () => {
    const both = [resource('acme', 'a'), resource('globex', 'b')]
    const outcomes = await Promise.all(both.map(async (each) => outcome(each, ['host/shop.test'])))
    expect(outcomes.toSorted()).toEqual(['Conflict', 'taken'])
  })

  test('is refused with all that is claimed beside it', () => {
    claims.take(resource('acme', 'a'), ['host/shop.test'])
    expect(outcome(resource('globex', 'b'), ['host/other.test', 'host/shop.test'])).toBe('Conflict')
    expect(outcome(resource('acme', 'c'), ['host/other.test'])).toBe('taken')
  })

  test.each<[rule: string, hold: () => void]>([
    ['it was taken and is not yet in a status', () => claims.take(resource('acme', 'a'), ['host/shop.test'])],
    [
      'it is in a status after a restart',
      () => {
        resource('acme', 'a', ['host/shop.test'])
        start()
      },
    ],
    [
      'it went from taken to the status',
      () => {
        const first = resource('acme', 'a')
        claims.take(first, ['host/shop.test'])
        writeStatus(first, ['host/shop.test'])
      },
    ],
    [
      'a status that was written in between does not name it yet',
      () => {
        const first = resource('acme', 'a')
        claims.take(first, ['host/shop.test'])
        writeStatus(first, [])
      },
    ],
    [
      'its holder is being deleted, and not gone yet',
      () => {
        const first = resource('acme', 'a', ['host/shop.test'])
        const metadata = { ...first.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
        cluster.put(ActiveResource, { ...first, metadata })
      },
    ],
  ])('is held when %s', (_, hold) => {
    hold()
    expect(outcome(resource('globex', 'b'), ['host/shop.test'])).toBe('Conflict')
  })
})

describe('a wildcard and a name one label below it', () => {
  const [wildcard, below] = ['host/*.shop.test', 'host/a.shop.test']

  test.each<[rule: string, first: string, second: string, expected: string]>([
    ['are in conflict', wildcard, below, 'Conflict'],
    ['are in conflict the other way round', below, wildcard, 'Conflict'],
    ['are not when it is two labels below', wildcard, 'host/a.b.shop.test', 'taken'],
    ['are not the other way round', 'host/a.b.shop.test', wildcard, 'taken'],
    ['are not when it is the name itself', wildcard, 'host/shop.test', 'taken'],
    ['are not when the wildcard is of another level', wildcard, 'host/*.test', 'taken'],
    ['are not for another sort', 'zone/*.shop.test', below, 'taken'],
  ])('%s', (_, first, second, expected) => {
    resource('acme', 'a', [first])
    expect(outcome(resource('globex', 'b'), [second])).toBe(expected)
    cluster.reset()
    start()
    claims.take(resource('acme', 'a'), [first])
    expect(outcome(resource('globex', 'b'), [second])).toBe(expected)
  })

  test('are not within one organization', () => {
    resource('acme', 'a', [wildcard])
    expect(outcome(resource('acme', 'b'), [below])).toBe('taken')
  })

  test('stay with both who had them before', () => {
    const first = resource('acme', 'a', [wildcard])
    const second = resource('globex', 'b', [below])
    expect([outcome(first, [wildcard]), outcome(second, [below])]).toEqual(['taken', 'taken'])
  })

  test.each([
    ['the wildcard', wildcard, below],
    ['the name', below, wildcard],
  ])('are free again, and whoever lost is woken, when the holder of %s goes', (_, first, second) => {
    const holder = resource('acme', 'a', [first])
    const loser = resource('globex', 'b')
    expect(outcome(loser, [second])).toBe('Conflict')
    drop(holder)
    expect(woken).toEqual([keyOf(loser)])
    expect(outcome(loser, [second])).toBe('taken')
  })
})

describe('for what stands already', () => {
  test('the names are kept that no other organization holds, and nothing is refused', () => {
    resource('globex', 'b', ['host/b.test'])
    const first = resource('acme', 'a')
    expect(claims.keep(first, ['host/a.test', 'host/b.test'])).toEqual(['host/a.test'])
    expect(outcome(resource('globex', 'c'), ['host/a.test'])).toBe('Conflict')
    expect(outcome(resource('globex', 'd'), ['host/b.test'])).toBe('taken')
  })

  test('nothing is let go that was taken', () => {
    const first = resource('acme', 'a')
    claims.take(first, ['host/new.test'])
    claims.keep(first, ['host/old.test'])
    for (const name of ['host/new.test', 'host/old.test'])
      expect(outcome(resource('globex', 'b'), [name])).toBe('Conflict')
  })
})

test('one organization may claim a name as often as it likes', () => {
  resource('acme', 'a', ['host/shop.test'])
  claims.take(resource('acme', 'b'), ['host/shop.test'])
  expect(outcome(resource('acme', 'c'), ['host/shop.test'])).toBe('taken')
})

describe('a name is free again, and whoever lost it is woken, when its holder', () => {
  test.each<[rule: string, known: string[] | undefined, act: (first: ActiveResource) => void]>([
    ['goes', ['host/shop.test'], drop],
    ['goes before its status named it', undefined, drop],
    [
      'claims another, and its status says so',
      ['host/shop.test'],
      (first) => {
        claims.take(first, ['host/other.test'])
        writeStatus(first, ['host/other.test'])
      },
    ],
    ['changes its mind before its status named it', undefined, (first) => claims.take(first, [])],
    [
      'changes its mind, and loses what it wants instead',
      undefined,
      (first) => {
        resource('globex', 'c', ['host/other.test'])
        expect(outcome(first, ['host/other.test'])).toBe('Conflict')
      },
    ],
  ])('%s', (_, known, act) => {
    const first = resource('acme', 'a', known)
    claims.take(first, ['host/shop.test'])
    const second = resource('globex', 'b')
    expect(outcome(second, ['host/shop.test'])).toBe('Conflict')
    expect(woken).toEqual([])
    act(first)
    expect(woken).toContain(keyOf(second))
    expect(outcome(second, ['host/shop.test'])).toBe('taken')
  })

  test('the name stays while another resource of the organization holds it', () => {
    const first = resource('acme', 'a', ['host/shop.test'])
    resource('acme', 'c', ['host/shop.test'])
    drop(first)
    expect(outcome(resource('globex', 'b'), ['host/shop.test'])).toBe('Conflict')
  })
})
