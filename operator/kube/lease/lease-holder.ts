import type { StoredObject } from '../../api/kind.ts'
import { isConflict, isNotFound } from '../client/api-error.ts'
import type { KubeClient } from '../client/client.ts'
import { leaseResource, pathOf } from '../client/resource.ts'
import { type LeaseEvent, type LeaseOptions, monotonicMs, type SharedTimes } from './lease-messages.ts'

/** Acquires the lease when it is free, and renews it. */
export interface LeaseHolder {
  /** Releases the lease, so that another process can acquire it at once. */
  release(): Promise<void>
}

/** The fields of a Lease that an election reads and writes. */
export interface Lease extends StoredObject {
  readonly spec: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}

export interface LeaseHolderOptions extends LeaseOptions {
  readonly client: KubeClient
  readonly shared: SharedTimes
  emit(event: LeaseEvent): void
  /** The main thread hangs, so the lease is not renewed. */
  onStuck(): void
}

/** Takes part in the election of one leader by a Lease; resourceVersion guards every write. */
export function holdLease(options: LeaseHolderOptions): LeaseHolder {
  const participant = new Participant(options)
  void participant.run()
  return participant
}

class Participant implements LeaseHolder {
  readonly #options: LeaseHolderOptions
  readonly #path: string
  #stopped = false
  /** The lease as another holder last wrote it, and when it changed by this process's clock. */
  #otherHolder: { readonly seen: string; readonly since: number } | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #renewDeadline: NodeJS.Timeout | undefined
  #current: Promise<void> = Promise.resolve()

  constructor(options: LeaseHolderOptions) {
    this.#options = options
    this.#path = pathOf(leaseResource, options.namespace, options.name)
  }

  async run(): Promise<void> {
    const { shared, times, emit, onStuck } = this.#options
    while (!this.#stopped) {
      if (monotonicMs() - shared.aliveAt > times.stuckMs) return onStuck()
      let isReached = true
      this.#current = this.#acquireOrRenew().catch((error: unknown) => {
        isReached = false
        emit({ kind: 'warning', message: 'could not reach the lease', error })
      })
      await this.#current
      if (this.#hasEverLed() && !this.#isLeader()) return this.#lose()
      // One that waits looks more often: after the leader has ended, every deployment waits for it.
      const isWaiting = isReached && !this.#hasEverLed()
      const pauseMs = isWaiting ? times.retryMs / 4 : times.retryMs
      await new Promise<void>((resolve) => {
        this.#retryTimer = setTimeout(resolve, pauseMs)
      })
    }
  }

  async release(): Promise<void> {
    const wasLeader = this.#isLeader()
    this.#stopped = true
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#renewDeadline)
    // A renewal in progress would make the release conflict.
    await this.#current
    if (!wasLeader) return
    const lease = await this.#read()
    if (lease?.spec.holderIdentity !== this.#options.identity) return
    const spec = { ...lease.spec, holderIdentity: '', renewTime: microTime() }
    await this.#write('PUT', this.#path, { ...lease, spec })
  }

  #hasEverLed(): boolean {
    return this.#options.shared.renewedAt > 0
  }

  #isLeader(): boolean {
    const { shared, times } = this.#options
    return !this.#stopped && this.#hasEverLed() && monotonicMs() - shared.renewedAt < times.renewDeadlineMs
  }

  async #acquireOrRenew(): Promise<void> {
    const { shared, times, emit } = this.#options
    const begun = monotonicMs()
    if (!(await this.#tryToHold()) || this.#stopped) return
    const isNew = !this.#hasEverLed()
    // A response after the deadline does not count: another process may lead by then.
    const isLate = monotonicMs() - (isNew ? begun : shared.renewedAt) >= times.renewDeadlineMs
    if (isLate) return isNew ? undefined : this.#lose()
    shared.renewedAt = begun
    clearTimeout(this.#renewDeadline)
    const remainingMs = begun + times.renewDeadlineMs - monotonicMs()
    this.#renewDeadline = setTimeout(() => this.#lose(), remainingMs)
    if (isNew) emit({ kind: 'elected' })
  }

  #lose(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#options.shared.renewedAt = 0
    this.#options.emit({ kind: 'lost' })
  }

  async #tryToHold(): Promise<boolean> {
    const lease = await this.#read()
    if (!lease)
      return this.#write('POST', pathOf(leaseResource, this.#options.namespace), this.#leaseAfter(undefined))
    if (this.#isHeldByOther(lease)) {
      // Another process took over while this machine slept and its clocks stood still.
      if (this.#hasEverLed()) this.#lose()
      return false
    }
    return this.#write('PUT', this.#path, this.#leaseAfter(lease))
  }

  #isHeldByOther({ metadata, spec }: Lease): boolean {
    const { identity, times } = this.#options
    const { holderIdentity = '', renewTime = '', leaseDurationSeconds = times.leaseMs / 1000 } = spec
    if (holderIdentity === '' || holderIdentity === identity) return false
    const seen = `${holderIdentity} ${renewTime} ${metadata.resourceVersion}`
    if (this.#otherHolder?.seen !== seen) this.#otherHolder = { seen, since: monotonicMs() }
    return monotonicMs() - this.#otherHolder.since < leaseDurationSeconds * 1000
  }

  #leaseAfter(before: Lease | undefined): object {
    const { namespace, name, identity, times } = this.#options
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

  /** Short enough for a second request before the leadership is lost. */
  #timeoutMs(): number {
    return this.#options.times.retryMs * 2
  }

  async #read(): Promise<Lease | undefined> {
    try {
      const options = { timeoutMs: this.#timeoutMs() }
      return (await this.#options.client.request('GET', this.#path, options)) as Lease // the path is of a Lease
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Returns false on a conflict. */
  async #write(method: string, path: string, body: object): Promise<boolean> {
    try {
      await this.#options.client.request(method, path, { body, timeoutMs: this.#timeoutMs() })
      return true
    } catch (error) {
      if (isConflict(error)) return false
      throw error
    }
  }
}

/** A MicroTime, which requires six digits of a second. */
function microTime(): string {
  return new Date().toISOString().replace(/(\.\d{3})Z$/, '$1000Z')
}
