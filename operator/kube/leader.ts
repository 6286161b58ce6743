import type { KubeObject } from '../api/kind.ts'
import type { Log } from '../log.ts'
import { ApiError, type KubeClient } from './client.ts'
import { readObject } from './cluster.ts'
import { leaseResource, pathOf } from './resource.ts'

/** Times of an election, in milliseconds; the lease outlives a leader that is silent by `leaseMs`. */
export interface ElectionTimes {
  readonly leaseMs: number
  /** A leader that could not renew for this long stops by itself, before anybody else may begin. */
  readonly renewDeadlineMs: number
  readonly retryMs: number
}

export interface Election {
  /** Whether this process may act; judged by the local clock, never by comparing clocks. */
  isLeader(): boolean
  /** Resolves when this process leads. */
  readonly elected: Promise<void>
  /** Resolves when leadership was lost: the process must end. */
  readonly lost: Promise<void>
  /** Gives the lease up, so that another process takes over at once. */
  release(): Promise<void>
}

interface Lease extends KubeObject {
  readonly spec: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}

export const defaultElectionTimes: ElectionTimes = {
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2_000,
}

/** Takes part in the election of one leader by a Lease; every write is guarded by its resourceVersion. */
export function startElection(options: {
  client: KubeClient
  log: Log
  namespace: string
  name: string
  identity: string
  times?: ElectionTimes
}): Election {
  const { client, log, namespace, name, identity, times = defaultElectionTimes } = options
  const path = pathOf(leaseResource, namespace, name)
  const patienceMs = times.retryMs * 2
  const elected = signal()
  const lost = signal()
  let renewedAt: number | undefined
  let stopped = false
  // What another holder last showed, and when we saw it change: its clock is not ours.
  let rival: { readonly shown: string; readonly since: number } | undefined
  let timer: NodeJS.Timeout
  let deadline: NodeJS.Timeout
  let current: Promise<void> = Promise.resolve()

  const isLeader = () =>
    !stopped && renewedAt !== undefined && performance.now() - renewedAt < times.renewDeadlineMs

  async function step() {
    const begun = performance.now()
    if (!(await tryToHold()) || stopped) return
    const isNew = renewedAt === undefined
    // An answer that comes after the deadline is none: what was not begun meanwhile would never be.
    const isLate = performance.now() - (renewedAt ?? begun) >= times.renewDeadlineMs
    if (isLate) return isNew ? undefined : lose()
    renewedAt = begun
    clearTimeout(deadline)
    deadline = setTimeout(lose, begun + times.renewDeadlineMs - performance.now())
    if (!isNew) return
    log.info('leading', { identity })
    elected.resolve()
  }

  function lose() {
    if (stopped) return
    stopped = true
    log.error('leadership lost', { identity })
    lost.resolve()
  }

  async function tryToHold(): Promise<boolean> {
    const lease = await readLease()
    if (!lease) return write('POST', pathOf(leaseResource, namespace), leaseOf(undefined))
    if (isTaken(lease)) return false
    return write('PUT', path, leaseOf(lease))
  }

  function isTaken(lease: Lease): boolean {
    const { holderIdentity = '', renewTime = '', leaseDurationSeconds = times.leaseMs / 1000 } = lease.spec
    if (holderIdentity === '' || holderIdentity === identity) return false
    const shown = `${holderIdentity} ${renewTime} ${lease.metadata.resourceVersion}`
    if (rival?.shown !== shown) rival = { shown, since: performance.now() }
    return performance.now() - rival.since < leaseDurationSeconds * 1000
  }

  function leaseOf(before: Lease | undefined): object {
    const now = microTime()
    const isOurs = before?.spec.holderIdentity === identity
    return {
      apiVersion: leaseResource.apiVersion,
      kind: leaseResource.kind,
      metadata: { name, namespace, resourceVersion: before?.metadata.resourceVersion },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(times.leaseMs / 1000),
        acquireTime: isOurs ? before.spec.acquireTime : now,
        renewTime: now,
        leaseTransitions: (before?.spec.leaseTransitions ?? 0) + (isOurs || !before ? 0 : 1),
      },
    }
  }

  async function readLease(): Promise<Lease | undefined> {
    // One answer that does not come must not cost the leadership: there is time for another question.
    return (await readObject(client, leaseResource, namespace, name, patienceMs)) as Lease | undefined // addressed as one
  }

  async function write(method: string, at: string, body: object): Promise<boolean> {
    try {
      await client.request(method, at, { body, timeoutMs: patienceMs })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return false
      throw error
    }
  }

  async function run() {
    while (!stopped) {
      current = step().catch((error: unknown) => log.warn('could not reach the lease', { error }))
      await current
      if (renewedAt !== undefined && !isLeader()) return lose()
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, times.retryMs)
      })
    }
  }

  void run()
  return {
    isLeader,
    elected: elected.promise,
    lost: lost.promise,
    async release() {
      const wasLeader = isLeader()
      stopped = true
      clearTimeout(timer)
      clearTimeout(deadline)
      // A renewal under way would make the release lose its race.
      await current
      if (!wasLeader) return
      const lease = await readLease()
      if (lease?.spec.holderIdentity !== identity) return
      await write('PUT', path, {
        ...lease,
        spec: { ...lease.spec, holderIdentity: '', renewTime: microTime() },
      })
    },
  }
}

/** A MicroTime: the API server insists on six digits of a second. */
function microTime(): string {
  return new Date().toISOString().replace(/(\.\d{3})Z$/, '$1000Z')
}

function signal() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
