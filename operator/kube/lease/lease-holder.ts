import type { KubeObject } from '../../api/kind.ts'
import { ApiError, type KubeClient } from '../client/client.ts'
import { leaseResource, pathOf } from '../client/resource.ts'
import { type LeaseEvent, type LeaseOptions, monotonicMs, type SharedTimes } from './lease-messages.ts'

/** Takes the lease when it is free, and renews it. */
export interface LeaseHolder {
  /** Gives the lease up, so that another process takes over at once. */
  release(): Promise<void>
}

/** A Lease, as far as an election reads and writes it. */
export interface Lease extends KubeObject {
  readonly spec: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}

/** Takes part in the election of one leader by a Lease; every write is guarded by its resourceVersion. */
export function holdLease(
  options: LeaseOptions & {
    readonly client: KubeClient
    readonly shared: SharedTimes
    emit(event: LeaseEvent): void
    /** The main thread does nothing any more, so the lease is not renewed. */
    onStuck(): void
  },
): LeaseHolder {
  const { client, namespace, name, identity, times, shared, emit, onStuck } = options
  const path = pathOf(leaseResource, namespace, name)
  // One answer that does not come must not cost the leadership: there is time for another question.
  const patienceMs = times.retryMs * 2
  const hasEverLed = () => shared.renewedAt > 0
  let stopped = false
  // What another holder last showed, and when we saw it change: its clock is not ours.
  let rival: { readonly shown: string; readonly since: number } | undefined
  let timer: NodeJS.Timeout
  let deadline: NodeJS.Timeout
  let current: Promise<void> = Promise.resolve()

  const isLeader = () => !stopped && hasEverLed() && monotonicMs() - shared.renewedAt < times.renewDeadlineMs

  async function step() {
    const begun = monotonicMs()
    if (!(await tryToHold()) || stopped) return
    const isNew = !hasEverLed()
    // An answer that comes after the deadline is none: what was not begun meanwhile would never be.
    const isLate = monotonicMs() - (isNew ? begun : shared.renewedAt) >= times.renewDeadlineMs
    if (isLate) return isNew ? undefined : lose()
    shared.renewedAt = begun
    clearTimeout(deadline)
    deadline = setTimeout(lose, begun + times.renewDeadlineMs - monotonicMs())
    if (isNew) emit({ kind: 'elected' })
  }

  function lose() {
    if (stopped) return
    stopped = true
    shared.renewedAt = 0
    emit({ kind: 'lost' })
  }

  async function tryToHold(): Promise<boolean> {
    const lease = await readLease()
    if (!lease) return write('POST', pathOf(leaseResource, namespace), leaseOf(undefined))
    if (isTaken(lease)) {
      // Another process took over while this machine was asleep, and no clock of it moved.
      if (hasEverLed()) lose()
      return false
    }
    return write('PUT', path, leaseOf(lease))
  }

  function isTaken(lease: Lease): boolean {
    const { holderIdentity = '', renewTime = '', leaseDurationSeconds = times.leaseMs / 1000 } = lease.spec
    if (holderIdentity === '' || holderIdentity === identity) return false
    const shown = `${holderIdentity} ${renewTime} ${lease.metadata.resourceVersion}`
    if (rival?.shown !== shown) rival = { shown, since: monotonicMs() }
    return monotonicMs() - rival.since < leaseDurationSeconds * 1000
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
    try {
      return (await client.request('GET', path, { timeoutMs: patienceMs })) as Lease // addressed as one
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
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
      if (monotonicMs() - shared.aliveAt > times.stuckMs) return onStuck()
      current = step().catch((error: unknown) => {
        emit({ kind: 'warning', message: 'could not reach the lease', error })
      })
      await current
      if (hasEverLed() && !isLeader()) return lose()
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, times.retryMs)
      })
    }
  }

  void run()
  return {
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
