import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { createClient, type KubeClient } from '../../../operator/kube/client.ts'
import { type Election, startElection } from '../../../operator/kube/leader.ts'
import { leaseResource, pathOf } from '../../../operator/kube/resource.ts'
import { silentLog } from '../../../operator/log.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts'
import { sharedCluster } from '../../support/shared-cluster.ts'
import { connectionThrough, uniqueName } from './support.ts'

const { access, operatorKubeconfig } = sharedCluster()
const namespace = 'quartermaster-system'
// Long enough for a machine that is busy with other tests.
const times = { leaseMs: 6000, renewDeadlineMs: 4000, retryMs: 200 }
const always = 1_000_000

interface Candidate {
  readonly election: Election
  readonly client: KubeClient
  readonly proxy: FaultProxy
}
const candidates: Candidate[] = []

afterEach(async () => {
  for (const { election, client, proxy } of candidates.splice(0)) {
    proxy.heal()
    await election.release()
    await client.close()
    await proxy.close()
  }
})

/** A candidate with a proxy of its own, so that it alone can lose the API server. */
async function candidate(name: string, identity: string): Promise<Candidate> {
  const proxy = await startFaultProxy(access)
  const client = createClient(await connectionThrough(proxy, operatorKubeconfig))
  const election = startElection({ client, log: silentLog, namespace, name, identity, times })
  const made = { election, client, proxy }
  candidates.push(made)
  return made
}

async function isSettled(promise: Promise<void>, withinMs: number): Promise<boolean> {
  const settled = promise.then(() => true)
  return Promise.race([settled, sleep(withinMs, false)])
}

/** The times at which a candidate claimed to lead, watched closely. */
function watchClaims({ election }: Candidate) {
  let lastClaim = 0
  const timer = setInterval(() => {
    if (election.isLeader()) lastClaim = performance.now()
  }, 5)
  return {
    get last() {
      return lastClaim
    },
    stop: () => clearInterval(timer),
  }
}

describe('of two candidates', () => {
  test('one leads, keeps leading, and hands over at once when it releases', async () => {
    const name = uniqueName('lease')
    const first = await candidate(name, 'first')
    await first.election.elected
    const second = await candidate(name, 'second')
    expect(await isSettled(second.election.elected, times.leaseMs + 500)).toBe(false)
    expect([first.election.isLeader(), second.election.isLeader()]).toEqual([true, false])
    await first.election.release()
    expect(first.election.isLeader()).toBe(false)
    // Less than a lease: nobody waits for an end that was announced.
    expect(await isSettled(second.election.elected, times.leaseMs / 2)).toBe(true)
    const { spec } = await apiCall<{ spec: object }>(access, 'GET', pathOf(leaseResource, namespace, name))
    expect(spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: expect.any(Number) })
  })

  test('never both lead, when both begin together', async () => {
    const name = uniqueName('lease')
    const both = await Promise.all([candidate(name, 'first'), candidate(name, 'second')])
    await Promise.race(both.map(({ election }) => election.elected))
    await sleep(times.retryMs * 4)
    expect(both.filter(({ election }) => election.isLeader())).toHaveLength(1)
  })

  test('the second follows one that died without a word, after the lease and not before', async () => {
    const name = uniqueName('lease')
    const first = await candidate(name, 'first')
    await first.election.elected
    await first.client.close()
    const begin = performance.now()
    const second = await candidate(name, 'second')
    await second.election.elected
    expect(performance.now() - begin).toBeGreaterThan(times.leaseMs - 50)
    expect(first.election.isLeader()).toBe(false)
  })
})

describe('a leader that cannot renew', () => {
  test.each<[rule: string, fault: Fault]>([
    ['because it is refused', { kind: 'answer', status: 500 }],
    ['because no answer comes', { kind: 'freeze' }],
    ['because its connections break', { kind: 'resetBefore' }],
  ])('%s: stops before another one begins, says so, and never leads again', async (_, fault) => {
    const name = uniqueName('lease')
    const first = await candidate(name, 'first')
    await first.election.elected
    const second = await candidate(name, 'second')
    const claims = watchClaims(first)
    first.proxy.inject(() => true, fault, always)
    expect(await isSettled(first.election.lost, times.renewDeadlineMs + times.leaseMs)).toBe(true)
    expect(first.election.isLeader()).toBe(false)
    await second.election.elected
    const takenOver = performance.now()
    first.proxy.heal()
    await sleep(times.retryMs * 3)
    claims.stop()
    expect(claims.last).toBeGreaterThan(0)
    expect(claims.last).toBeLessThan(takenOver)
    expect([first.election.isLeader(), second.election.isLeader()]).toEqual([false, true])
  })

  test.each<[rule: string, fault: Fault, times: number]>([
    ['is refused for a shorter time than the deadline', { kind: 'answer', status: 500 }, 3],
    ['misses one answer', { kind: 'freeze' }, 1],
  ])('and %s goes on leading', async (_, fault, faults) => {
    const first = await candidate(uniqueName('lease'), 'first')
    await first.election.elected
    first.proxy.inject(() => true, fault, faults)
    expect(await isSettled(first.election.lost, times.renewDeadlineMs * 2)).toBe(false)
    expect(first.election.isLeader()).toBe(true)
  })

  test('does not lead from the deadline on, even while nothing of it runs', async () => {
    const { election } = await candidate(uniqueName('lease'), 'frozen')
    await election.elected
    const end = performance.now() + times.renewDeadlineMs + 50
    // As a paused process: no timer fires and no answer is read.
    while (performance.now() < end);
    expect(election.isLeader()).toBe(false)
    await sleep(times.retryMs * 3)
    expect(election.isLeader()).toBe(false)
    expect(await isSettled(election.lost, times.leaseMs)).toBe(true)
  })
})
