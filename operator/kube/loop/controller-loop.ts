import type { Kind, ObjectOf } from '../../api/kind.ts'
import { hasReason, ReconcileError, Waiting } from '../../domain/base/errors.ts'
import type { Log, LogFields } from '../../log.ts'
import type { Cache } from '../cache/cache.ts'
import type { Cluster } from '../cache/cluster.ts'
import { onOrganization } from '../cache/store.ts'
import { isConflict, isNotFound } from '../client/api-error.ts'
import { explainRefusal, rejectedRetrySeconds } from '../client/explain-rejection.ts'
import { hasFinalizer, keyOf, namespacedName } from '../client/resource.ts'
import { type Backoff, type BackoffMs, createBackoff } from './backoff.ts'
import type { Controller, TraceReconcile, WorkContext } from './controller.ts'
import { addFinalizer, removeFinalizer } from './finalizer.ts'
import { FinalizerPace } from './finalizer-pace.ts'
import { createGracePeriod, type GracePeriod } from './grace-period.ts'
import { keptByOthers } from './other-finalizers.ts'
import { isSettled, outcomeOf, type ReconcileResult, resultOf } from './outcome.ts'
import { inTurns, type Pace } from './pace.ts'
import { needsReconcile } from './predicate.ts'
import { createQueue, type QueueMetrics, type WorkQueue } from './queue.ts'
import { QuotaWaits } from './quota-waits.ts'
import { RepeatedConflicts } from './repeated-conflicts.ts'
import { type Resync, startResync } from './resync.ts'
import { RetryPace } from './retry-pace.ts'
import { ShortWaits, waitingDelayMs } from './short-waits.ts'
import { attemptsOf, type Observed, statusOfError } from './status.ts'
import { StatusWriter } from './status-writer.ts'

/** What the loop of a kind reports. */
export interface LoopMetrics {
  reconciled(kind: string, result: ReconcileResult): void
  queueOf(kind: string): QueueMetrics
}

export interface LoopOptions {
  readonly log: Log
  readonly metrics?: LoopMetrics
  readonly trace?: TraceReconcile
  /** Whether this process leads; once false, the loop starts and writes nothing. */
  readonly isActive: () => boolean
  /** Shared by all loops of a process, so that together they leave time for other work. */
  readonly pace?: Pace
  /** How often every object is reconciled, in case an event was lost; 30 minutes by default. */
  readonly resyncMs?: number
  readonly backoffMs?: BackoffMs
  /** How long an object that does not fit the objects it refers to is Reconciling before it is Stalled. */
  readonly graceMs?: number
}

/** A running loop. */
export interface Loop {
  readonly queue: WorkQueue
  stop(): Promise<void>
}

/** The cache holds the newer object of a conflict within this time. */
const conflictDelayMs = 100

/** The work on an object was left to the next process. */
class Stopping extends Error {}

/** Starts the loop of a controller over all objects of its kind. */
export function startController<K extends Kind>(
  cluster: Cluster,
  controller: Controller<K>,
  options: LoopOptions,
): Loop {
  return new ControllerLoop(cluster, controller, options)
}

class ControllerLoop<K extends Kind> implements Loop {
  readonly queue: WorkQueue
  readonly #cluster: Cluster
  readonly #controller: Controller<K>
  readonly #options: LoopOptions
  readonly #cache: Cache<ObjectOf<K>>
  readonly #backoff: Backoff
  /** Failed writes of a status in a row. They are no attempts, which end a deployment. */
  readonly #unwritten: Backoff
  readonly #conflicts = new RepeatedConflicts()
  readonly #retryPace = new RetryPace()
  readonly #gracePeriod: GracePeriod
  readonly #shortWaits = new ShortWaits()
  readonly #finalizerPace = new FinalizerPace()
  readonly #resyncKeys = new Set<string>()
  readonly #quotaWaits: QuotaWaits
  readonly #resync: Resync
  #isStopping = false

  constructor(cluster: Cluster, controller: Controller<K>, options: LoopOptions) {
    this.#cluster = cluster
    this.#controller = controller
    this.#options = options
    this.#cache = cluster.store.cacheOf(controller.kind)
    this.#backoff = createBackoff(options.backoffMs)
    this.#unwritten = createBackoff(options.backoffMs)
    this.#gracePeriod = createGracePeriod(options.graceMs ?? 60_000)
    const queueMetrics = options.metrics?.queueOf(controller.kind.kind)
    this.queue = createQueue(controller.workers ?? 64, (key) => this.#work(key), options.pace, queueMetrics)
    this.#quotaWaits = new QuotaWaits(cluster.store, (key) => this.queue.add(key))
    this.#watch()
    this.#resync = startResync(this.#cache, options.resyncMs ?? 1_800_000, (key) => {
      this.#resyncKeys.add(key)
      this.queue.add(key, 'low')
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#resync.stop()
    await this.queue.stop()
  }

  #watch(): void {
    const { queue } = this
    this.#cache.subscribe(({ before, after }) => {
      const latest = after ?? before
      // An object that is made again under the name has no earlier failures, nor has a new spec.
      if (before && !after) this.#forget(keyOf(before))
      else if (latest && before?.metadata.generation !== after?.metadata.generation)
        this.#backoff.reset(keyOf(latest))
      if (after && needsReconcile(before, after)) queue.add(keyOf(after))
    })
    onOrganization(this.#cluster.store, (namespace) => this.#lookAgain(this.#cache.inNamespace(namespace)))
    for (const watch of this.#controller.watches ?? []) {
      watch.subscribe((keys) => {
        for (const key of keys) queue.add(key, this.#shortWaits.has(key) ? 'high' : 'normal')
      })
    }
    this.#lookAgain(this.#cache.all())
  }

  /** Enqueues objects that may have changed unseen: unfinished ones before the others, which are most of them. */
  #lookAgain(objects: Iterable<ObjectOf<K>>): void {
    void inTurns(objects, (object) => this.queue.add(keyOf(object), isSettled(object) ? 'low' : 'normal'))
  }

  async #work(key: string): Promise<void> {
    const object = this.#cache.get(...namespacedName(key))
    if (!object) return this.#forget(key)
    const { store } = this.#cluster
    if (!this.#options.isActive() || !store.isOrganization(object.metadata.namespace)) return
    const isDeleting = object.metadata.deletionTimestamp !== undefined
    const kept = keptByOthers(object)
    if (isDeleting && !hasFinalizer(object) && (!kept || this.#controller.isRun)) return
    const work = () => {
      if (kept) return this.#finish(object, key, () => Promise.reject(kept))
      return isDeleting ? this.#finalizeOne(object, key) : this.#reconcileOne(object, key)
    }
    const { trace } = this.#options
    try {
      await (trace ? trace(this.#controller.kind, object, work) : work())
    } catch (error) {
      // The object changed or is gone: the next reconcile reads the newer one, so this is not a failure.
      const isOutdated = isConflict(error) || isNotFound(error)
      if (!isOutdated)
        this.#options.log.warn('could not write status', { ...this.#logFields(key, object), error })
      this.queue.addAfter(
        key,
        isOutdated ? conflictDelayMs : this.#unwritten.delayAfter(this.#unwritten.fail(key)),
      )
    }
  }

  #forget(key: string): void {
    this.#shortWaits.end(key)
    this.#backoff.reset(key)
    this.#unwritten.reset(key)
    this.#conflicts.forget(key)
    this.#resyncKeys.delete(key)
    this.#gracePeriod.forget(key)
    this.#finalizerPace.forget(key)
  }

  async #reconcileOne(found: ObjectOf<K>, key: string): Promise<void> {
    const { kind, finalize } = this.#controller
    const facts = this.#controller.firstFacts?.(found)
    if (facts) return this.#recordFacts(found, key, facts)
    let object = found
    try {
      if (finalize && !hasFinalizer(found))
        object = await addFinalizer(this.#cluster, kind, found, this.#finalizerPace)
    } catch (error) {
      if (!hasReason(error)) throw error
      return this.#finish(found, key, () => Promise.reject(error), rejectedRetrySeconds * 1000)
    }
    const afterWrite: (() => void)[] = []
    const isResync = this.#resyncKeys.delete(key)
    await this.#finish(object, key, (context) =>
      this.#controller.reconcile(object, {
        ...context,
        afterWrite: (work) => afterWrite.push(work),
        isResync,
      }),
    )
    for (const work of afterWrite) work()
  }

  /** Writes facts to the status, and continues with the version that has them. */
  async #recordFacts(object: ObjectOf<K>, key: string, observed: Observed<K>): Promise<void> {
    const writer = new StatusWriter(this.#cluster, this.#controller.kind, object, this.#options.isActive)
    await writer.write({ observed, outcome: outcomeOf(new Waiting('Progressing', 'recording the creation')) })
    this.#unwritten.reset(key)
    this.queue.add(key)
  }

  async #finalizeOne(object: ObjectOf<K>, key: string): Promise<void> {
    await this.#finish(object, key, async (context) => {
      if ((await this.#controller.finalize?.(object, context)) === 'later') return undefined
      await removeFinalizer(this.#cluster, this.#controller.kind, object)
      return undefined
    })
  }

  #contextOf(writer: StatusWriter<K>, key: string): WorkContext<K> {
    return {
      report: async (observed, message) => {
        // What is not recorded must not be done.
        if (!this.#options.isActive()) throw new Stopping()
        await writer.write({ observed, outcome: outcomeOf(new Waiting('Progressing', message)) })
      },
      releaseWorker: (work) => this.queue.releaseWorker(key, work),
      throwIfStopping: () => {
        if (this.#isStopping) throw new Stopping()
      },
    }
  }

  /** Runs the work, writes its outcome when that is new, and schedules the next attempt. */
  async #finish(
    object: ObjectOf<K>,
    key: string,
    run: (context: WorkContext<K>) => Promise<Observed<K> | undefined>,
    longestDelay?: number,
  ): Promise<void> {
    const writer = new StatusWriter(this.#cluster, this.#controller.kind, object, this.#options.isActive)
    const { observed, error: thrown } = await attempt(() => run(this.#contextOf(writer, key)))
    const error = this.#conflicts.explain(key, thrown)
    if ((error === undefined && observed === undefined) || error instanceof Stopping) return
    this.#quotaWaits.add(key, error)
    const work = object.metadata.deletionTimestamp === undefined ? 'reconcile' : 'deletion'
    const outcome = this.#gracePeriod.outcomeFor(key, object, outcomeOf(error, work))
    const isFailure = outcome.retry === 'backoff'
    const result = resultOf(outcome)
    this.#options.metrics?.reconciled(this.#controller.kind.kind, result)
    const logFields = this.#logFields(key, object)
    this.#options.log.debug('reconciled', { ...logFields, result, reason: outcome.reason })
    if (isFailure) this.#options.log.warn('reconcile failed', { ...logFields, ...errorFields(error) })
    const attempts = isFailure ? attemptsOf(object, this.#backoff.fail(key)) : undefined
    const delay = attempts === undefined ? undefined : this.#retryDelay(key, attempts, longestDelay)
    if (this.#shortWaits.isShort(key, object, outcome)) this.queue.addAfter(key, waitingDelayMs)
    else await writer.writeOrSayWhy({ observed: observed ?? statusOfError(error), outcome, attempts, delay })
    this.#unwritten.reset(key)
    if (!isFailure) this.#backoff.reset(key)
    if (outcome.ready !== 'Unknown') this.#shortWaits.end(key)
    const next = typeof outcome.retry === 'number' ? outcome.retry * 1000 : delay
    if (next !== undefined) this.queue.addAfter(key, next)
  }

  #retryDelay(key: string, attempts: number, longest = Number.POSITIVE_INFINITY): number {
    const [namespace] = namespacedName(key)
    return Math.max(Math.min(longest, this.#backoff.delayAfter(attempts)), this.#retryPace.reserve(namespace))
  }

  #logFields(key: string, object?: ObjectOf<K>): LogFields {
    const { kind, describe } = this.#controller
    return { kind: kind.kind, key, object: object && describe?.(object) }
  }
}

/** A failure with a reason needs no stack. */
function errorFields(error: unknown): LogFields {
  return error instanceof ReconcileError ? { reason: error.reason, cause: error.message } : { error }
}

async function attempt<T>(run: () => Promise<T>): Promise<{ observed?: T; error?: unknown }> {
  try {
    return { observed: await run() }
  } catch (error) {
    return { error: explainRefusal(error) ?? new Error('failed without a reason') }
  }
}
