import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { leaseResource, pathOf } from '../../../operator/kube/client/resource.ts'
import { type Election, electionTimes, startElection } from '../../../operator/kube/lease/leader.ts'
import { silentLog } from '../../../operator/log.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { connectionThrough, uniqueName } from './support.ts'

const { access, operatorKubeconfig } = sharedCluster()
const namespace = 'quartermaster-system'
// Long enough for a machine that is busy with other tests.
const times = { ...electionTimes(9000), stuckMs: 60_000 }
/** For leaders that must not lose the lease, even if the machine is very busy. */
const patient = electionTimes(24_000)
const always = 1_000_000

interface Candidate {
  readonly election: Election
  readonly proxy: FaultProxy
}
const candidates: Candidate[] = []
const children: ReturnType<typeof spawnLeading>[] = []

afterAll(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const { election, proxy } of candidates.splice(0)) {
    proxy.heal()
    await election.release()
    await proxy.close()
  }
})

function spawnLeading(options: string) {
  const script = join(import.meta.dirname, 'leading-process.ts')
  return spawn(process.execPath, [script, options], { stdio: ['pipe', 'pipe', 'inherit'] })
}

/** Another process, once it leads. */
async function leadingProcess(name: string, stuckMs: number): Promise<ReturnType<typeof spawnLeading>> {
  const options = {
    kubeconfig: operatorKubeconfig,
    namespace,
    name,
    identity: 'other',
    times: { ...times, stuckMs },
  }
  const child = spawnLeading(JSON.stringify(options))
  children.push(child)
  await once(child.stdout, 'data')
  return child
}

/** Blocks this thread. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** A candidate with a separate proxy, so that it alone can lose the API server. */
async function candidate(
  name: string,
  identity: string,
  { isDirect = false, its = times } = {},
): Promise<Candidate> {
  const proxy = await startFaultProxy(access)
  // The proxy runs in this thread, so nothing passes while this thread is blocked.
  const connection = isDirect
    ? await loadConnection({ kubeconfig: operatorKubeconfig })
    : await connectionThrough(proxy, operatorKubeconfig)
  const election = startElection({ connection, log: silentLog, namespace, name, identity, times: its })
  const made = { election, proxy }
  candidates.push(made)
  return made
}

async function isSettled(promise: Promise<void>, withinMs: number): Promise<boolean> {
  const settled = promise.then(() => true)
  return Promise.race([settled, sleep(withinMs, false)])
}

/** The times at which a candidate was the leader, sampled closely. */
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
  test.concurrent('one leads, keeps leading, and hands over at once when it releases', async () => {
    const name = uniqueName('lease')
    const first = await candidate(name, 'first', { its: patient })
    await first.election.elected
    const second = await candidate(name, 'second', { its: patient })
    expect(await isSettled(second.election.elected, patient.leaseMs + 500)).toBe(false)
    expect([first.election.isLeader(), second.election.isLeader()]).toEqual([true, false])
    await first.election.release()
    expect(first.election.isLeader()).toBe(false)
    // Less than a lease: a released lease needs no wait.
    expect(await isSettled(second.election.elected, patient.leaseMs / 2)).toBe(true)
    const { spec } = await apiCall<{ spec: object }>(access, 'GET', pathOf(leaseResource, namespace, name))
    expect(spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: expect.any(Number) })
  })

  test.concurrent('never both lead, when both begin together', async () => {
    const name = uniqueName('lease')
    const both = await Promise.all([candidate(name, 'first'), candidate(name, 'second')])
    await Promise.race(both.map(({ election }) => election.elected))
    await sleep(times.retryMs * 4)
    expect(both.filter(({ election }) => election.isLeader())).toHaveLength(1)
  })

  test.concurrent('the second follows one that died without a word, when the lease has ended and not before', async () => {
    const name = uniqueName('lease')
    const first = await leadingProcess(name, times.stuckMs)
    first.kill('SIGKILL')
    await once(first, 'exit')
    const second = await candidate(name, 'second')
    const path = pathOf(leaseResource, namespace, name)
    type Lease = { spec: { holderIdentity: string; acquireTime: string; renewTime: string } }
    const left = await apiCall<Lease>(access, 'GET', path)
    await second.election.elected
    const taken = await apiCall<Lease>(access, 'GET', path)
    expect(taken.spec.holderIdentity).toBe('second')
    const end = Date.parse(left.spec.renewTime) + times.leaseMs
    expect(Date.parse(taken.spec.acquireTime)).toBeGreaterThanOrEqual(end)
  })
})

describe('a leader that cannot renew', () => {
  test.concurrent.each<[rule: string, fault: Fault]>([
    ['because it is refused', { kind: 'answer', status: 500 }],
    ['because no answer arrives', { kind: 'freeze' }],
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

  test.concurrent.each<[rule: string, fault: Fault, times: number]>([
    ['is refused for a shorter time than the deadline', { kind: 'answer', status: 500 }, 3],
    ['misses one answer', { kind: 'freeze' }, 1],
  ])('and %s is still the leader', async (_, fault, faults) => {
    const first = await candidate(uniqueName('lease'), 'first', { its: patient })
    await first.election.elected
    first.proxy.inject(() => true, fault, faults)
    expect(await isSettled(first.election.lost, patient.renewDeadlineMs + patient.retryMs)).toBe(false)
    expect(first.election.isLeader()).toBe(true)
  })
})

// These block this thread, so they run after the tests above, which wait at the same time.
describe('a leader whose loop is blocked', () => {
  test('for longer than the lease: stays the leader, and no other one begins', async () => {
    const name = uniqueName('lease')
    const first = await candidate(name, 'first', { isDirect: true })
    await first.election.elected
    const second = await candidate(name, 'second', { isDirect: true })
    block(times.leaseMs + times.renewDeadlineMs)
    expect(first.election.isLeader()).toBe(true)
    expect(await isSettled(second.election.elected, times.retryMs * 3)).toBe(false)
    expect(await isSettled(first.election.lost, times.retryMs)).toBe(false)
  })

  test('does not lead from the deadline on', async () => {
    const { election } = await candidate(uniqueName('lease'), 'frozen')
    await election.elected
    block(times.renewDeadlineMs + times.retryMs * 2 + 50)
    expect(election.isLeader()).toBe(false)
    await sleep(times.retryMs * 3)
    expect(election.isLeader()).toBe(false)
    expect(await isSettled(election.lost, times.leaseMs)).toBe(true)
  })

  test('for ever: is killed, and then followed', async () => {
    const name = uniqueName('lease')
    const stuck = await leadingProcess(name, times.leaseMs * 2)
    const second = await candidate(name, 'second')
    const ended = once(stuck, 'exit')
    stuck.stdin.write('block\n')
    expect(await isSettled(second.election.elected, times.leaseMs)).toBe(false)
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(second.election.isLeader()).toBe(false)
    await second.election.elected
  })
})
