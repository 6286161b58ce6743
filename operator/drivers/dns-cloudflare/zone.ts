import { Stalled, Waiting, withoutSideEffects } from '../../domain/base/errors.ts'
import type { ZoneApi } from './api.ts'
import { CloudflareError, rateLimited } from './api-error.ts'
import { type Batcher, createBatcher, type Pending as PendingOf } from './batcher.ts'
import { type DesiredRecord, decide, isPureCreation } from './decide.ts'
import { toDriverError, unknownOutcome, wrongZone } from './errors.ts'
import type { ZoneMemory } from './memory.ts'
import { isInZone } from './name.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { ExistingRecord } from './record.ts'
import { type Task as TaskOf, writeChanges } from './write-changes.ts'
import { createZoneNameReader } from './zone-name.ts'

/** One zone, called with one token. */
export interface Zone {
  /** Resolves when the records of the name are as desired. */
  ensure(desired: DesiredRecord, signal: AbortSignal): Promise<void>
  readonly isIdle: boolean
  close(): void
}

interface ZoneOptions {
  readonly zoneId: string
  readonly api: ZoneApi
  readonly memory: ZoneMemory
  readonly rateLimiter: RateLimiter
  /** The key of the token in the rate limiter. */
  readonly tokenKey: string
  /** Monotonic milliseconds. */
  readonly clock: () => number
  /** A batch begins after this long without a new record. */
  readonly collectMs: number
}

type Pending = PendingOf<DesiredRecord>

interface Task extends TaskOf {
  readonly pending: Pending
  /** The error to report after the change is written. */
  readonly error?: Error
}

/** The list that a decision takes. */
type NeededList = 'newer list' | 'list of the name'

interface Listing {
  readonly begunAt: number
  readonly byName: ReadonlyMap<string, readonly ExistingRecord[]>
  readonly isPaged: boolean
  readonly hasMoved: boolean
}

/** An error that is repeated, without a call, until its time is over. */
interface Denial {
  readonly error: Error
  readonly until: number
}

const maxOperations = 200
/** With this many records, further ones would save few lists. */
const enoughForBatch = maxOperations * 5
/** A list of at most this age is reused to create records. */
const reuseMs = 10_000
const denialMs = 5 * 60_000
const existsRetrySeconds = 5

/** A zone that makes records as desired in batches: one list, one decision for each name, and few calls for the changes. */
export function createZone(options: ZoneOptions): Zone {
  return new BatchedZone(options)
}

class BatchedZone implements Zone {
  readonly #options: ZoneOptions
  readonly #batcher: Batcher<DesiredRecord>
  /** Maximum operations in a call; the provider may lower it. */
  readonly #size = { batch: maxOperations }
  #listing: Listing | undefined
  readonly #readZoneName: (signal: AbortSignal) => Promise<string | undefined>
  #denied: Denial | undefined
  #deniedWrites: Denial | undefined

  constructor(options: ZoneOptions) {
    this.#options = options
    this.#readZoneName = createZoneNameReader(options.api, options.clock, denialMs)
    this.#batcher = createBatcher<DesiredRecord>({
      clock: options.clock,
      collectMs: options.collectMs,
      enough: enoughForBatch,
      keyOf: ({ name }) => name,
      run: (batch, signal) => this.#run(batch, signal),
    })
  }

  get isIdle(): boolean {
    return this.#batcher.isIdle
  }

  async ensure(desired: DesiredRecord, signal: AbortSignal): Promise<void> {
    const error = this.#knownError(desired)
    if (error) throw withoutSideEffects(error)
    await this.#batcher.add(desired, signal)
  }

  close(): void {
    this.#batcher.close()
  }

  /** The error of a call that would fail now. */
  #knownError(desired: DesiredRecord): Error | undefined {
    const { memory, rateLimiter, tokenKey } = this.#options
    const unsettled = memory.unsettledSeconds(desired)
    if (unsettled !== undefined) return unknownOutcome(desired.name, unsettled)
    const seconds = rateLimiter.pausedSeconds(tokenKey)
    if (seconds !== undefined) return toDriverError(rateLimited(seconds))
    return this.#errorOf(this.#denied)
  }

  async #run(batch: readonly Pending[], signal: AbortSignal): Promise<void> {
    try {
      await this.#ensureAll(batch, signal)
    } catch (cause) {
      const error = toDriverError(cause)
      if (!(cause instanceof CloudflareError)) throw error
      if (error instanceof Stalled) this.#denied = this.#denial(error)
      // Written records are settled by then; for the others only lists were read.
      throw withoutSideEffects(error)
    } finally {
      this.#options.memory.prune()
    }
  }

  async #ensureAll(batch: readonly Pending[], signal: AbortSignal): Promise<void> {
    const reusable =
      this.#listing && this.#options.clock() - this.#listing.begunAt <= reuseMs ? this.#listing : undefined
    let left = batch
    if (reusable) left = await this.#ensureBy(reusable, left, signal)
    // A second list shows what another client changed after the first one.
    for (let round = 0; round < 2 && left.length > 0; round += 1) {
      this.#listing = await this.#list(signal)
      left = await this.#ensureBy(this.#listing, left, signal)
    }
    for (const { item, settle } of left) {
      const message = `the provider's list of records is late: it lacks one of the name '${item.name}', or shows one that is gone`
      settle(withoutSideEffects(new Waiting('RecordExists', message, existsRetrySeconds)))
    }
  }

  async #list(signal: AbortSignal, ofName?: string): Promise<Listing> {
    const begunAt = this.#options.clock()
    const { records, isPaged, hasMoved } = await this.#options.api.list(signal, ofName)
    const isWhole = ofName === undefined
    return {
      begunAt,
      byName: Map.groupBy(records, ({ name }) => name),
      isPaged: isPaged && isWhole,
      hasMoved: hasMoved && isWhole,
    }
  }

  /** Settles or writes the records for which this list suffices; returns the others. */
  async #ensureBy(
    listing: Listing,
    batch: readonly Pending[],
    signal: AbortSignal,
  ): Promise<readonly Pending[]> {
    const { zoneId, api, memory } = this.#options
    const again: Pending[] = []
    const unlisted: Pending[] = []
    const tasks: Task[] = []
    for (const pending of batch) {
      if (!pending.isOpen) continue
      const result = this.#decide(pending, listing)
      if (result === 'newer list') again.push(pending)
      else if (result === 'list of the name') unlisted.push(pending)
      else if (result !== 'settled') tasks.push(result)
    }
    const failed = await writeChanges(await this.#allowed(tasks, signal), {
      zoneId,
      api,
      memory,
      signal,
      size: this.#size,
      isOpen: ({ pending }) => pending.isOpen,
      settle: (task, error) => task.pending.settle(error ?? task.error),
      onDenied: (error) => {
        this.#deniedWrites = this.#denial(toDriverError(error))
      },
    })
    again.push(...failed.map(({ pending }) => pending))
    // One list for each: nothing else that this list decides waits for them, and grows old.
    for (const pending of unlisted) {
      if (!pending.isOpen) continue
      const ofName = await this.#list(signal, pending.item.name)
      again.push(...(await this.#ensureBy(ofName, [pending], signal)))
    }
    return again
  }

  /** Returns the change to write or which list it takes; settles the record otherwise. */
  #decide(pending: Pending, listing: Listing): Task | NeededList | 'settled' {
    const { memory } = this.#options
    const { item: desired } = pending
    const unsettled = memory.unsettledSeconds(desired)
    if (unsettled !== undefined) {
      pending.settle(withoutSideEffects(unknownOutcome(desired.name, unsettled)))
      return 'settled'
    }
    const decision = decide(desired, memory.corrected(desired.name, listing.byName.get(desired.name) ?? []))
    const isCreation = decision.kind === 'change' && isPureCreation(decision.change)
    const isFresh = listing.begunAt >= pending.addedAt
    if (!isFresh && (!isCreation || memory.isUnsure(desired))) return 'newer list'
    if (isCreation && listing.hasMoved) return 'list of the name'
    if (decision.kind === 'change') return { pending, desired, change: decision.change }
    const isAbsent = decision.kind === 'absent'
    if (isAbsent && listing.isPaged && memory.doubtSeconds(desired, listing.begunAt) === 0)
      return 'list of the name'
    if (decision.kind !== 'conflict') {
      this.#settleUnchanged(pending, listing, isAbsent)
      return 'settled'
    }
    const error = new Stalled('Conflict', decision.message)
    if (decision.change) return { pending, desired, change: decision.change, error }
    pending.settle(withoutSideEffects(error))
    return 'settled'
  }

  /** A list may be late, so absence is confirmed by a later one. */
  #settleUnchanged(pending: Pending, listing: Listing, isAbsent: boolean): void {
    const { memory } = this.#options
    const { item: desired } = pending
    const seconds = isAbsent ? memory.doubtSeconds(desired, listing.begunAt) : 0
    if (seconds > 0) {
      const message = `confirming that no record of the name '${desired.name}' exists, since lists of the provider may be late`
      pending.settle(new Waiting('ConfirmingAbsence', message, seconds))
      return
    }
    memory.settled(desired, isAbsent)
    pending.settle()
  }

  /** The tasks that are not known to fail; settles the others. */
  async #allowed(tasks: readonly Task[], signal: AbortSignal): Promise<readonly Task[]> {
    const error = this.#errorOf(this.#deniedWrites)
    if (error) {
      for (const { pending } of tasks) pending.settle(withoutSideEffects(error))
      return []
    }
    if (tasks.every(({ change }) => change.posts.length === 0)) return tasks
    const name = await this.#readZoneName(signal)
    if (name === undefined) return tasks
    return tasks.filter(({ pending, desired, change }) => {
      const isInside = change.posts.every((post) => isInZone(post.name, name))
      if (!isInside) pending.settle(withoutSideEffects(wrongZone(desired.name, this.#options.zoneId, name)))
      return isInside
    })
  }

  #denial(error: Error): Denial {
    return { error, until: this.#options.clock() + denialMs }
  }

  #errorOf(denial: Denial | undefined): Error | undefined {
    return denial && this.#options.clock() < denial.until ? denial.error : undefined
  }
}
