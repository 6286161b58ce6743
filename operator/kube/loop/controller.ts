import type { Kind, KubeObject, ObjectOf } from '../../api/kind.ts'
import { finalizer } from '../../api/names.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { Failed, Stalled, Waiting } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { cutTo } from '../../domain/base/size.ts'
import type { Log } from '../../log.ts'
import type { Cache, Change } from '../cache/cache.ts'
import { type Cluster, isGone } from '../cache/cluster.ts'
import { ApiError, isRefusedForGood } from '../client/client.ts'
import { keyOf } from '../client/resource.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { Pace } from './pace.ts'
import { createQueue, type WorkQueue } from './queue.ts'
import { createSettling } from './settling.ts'
import { attemptsOf, isStatedIn, nextStatus, type Observed, statusOfError } from './status.ts'

/** One run of a reconcile. */
export interface ReconcileContext<K extends Kind> {
  /** Writes what is known so far, as not ready yet: for facts that must not be lost when the process dies. */
  report(observed: Observed<K>, message: string): Promise<void>
  /** Runs a part that waits for somebody else; other objects have their turn meanwhile. */
  releaseWorker<T>(work: () => Promise<T>): Promise<T>
  /** Whether it is time for the look that every object gets from time to time. */
  readonly isResync: boolean
}

/** A loop over the objects of one kind. It returns what it saw, or throws; only the loop writes status. */
export interface Controller<K extends Kind = Kind> {
  readonly kind: K
  /** Objects worked on at the same time; 64 when not given. */
  readonly workers?: number
  reconcile(object: ObjectOf<K>, context: ReconcileContext<K>): Promise<Observed<K>>
  /** Takes away what stands behind an object that is being deleted; afterwards the object may go. */
  finalize?(object: ObjectOf<K>, context: Pick<ReconcileContext<K>, 'releaseWorker'>): Promise<void>
  /** Other objects whose changes concern objects of this kind. */
  readonly watches?: readonly Watch[]
}

/** Keys, as `namespace/name`, of the objects that a change of another object concerns. */
export interface Watch {
  subscribe(enqueue: (keys: readonly string[]) => void): void
}

/** Wakes objects when objects of another kind change. */
export function watchKind<K extends Kind>(
  cache: Cache<ObjectOf<K>>,
  mapFunc: (change: Change<ObjectOf<K>>) => readonly string[],
): Watch {
  return { subscribe: (enqueue) => cache.subscribe((change) => enqueue(mapFunc(change))) }
}

/** Counts of a loop, for metrics and the benchmark. */
export interface LoopMetrics {
  reconciled(kind: string, result: 'ready' | 'waiting' | 'stalled' | 'failed'): void
}

export interface LoopOptions {
  readonly log: Log
  readonly metrics?: LoopMetrics
  /** False from the moment on when another process may have taken over: nothing is begun or written any more. */
  readonly isActive: () => boolean
  /** Shared by all loops of a process: together they leave room for other work. */
  readonly pace?: Pace
  /** A look at every object, this often, in case something was missed. */
  readonly resyncMs?: number
  readonly backoffMs?: { readonly first: number; readonly most: number }
  /** How long an object that does not fit those beside it is reconciling before it is stalled. */
  readonly settleMs?: number
}

/** A running loop. */
export interface Loop {
  readonly queue: WorkQueue
  stop(): Promise<void>
}

/** An object that waits shortly is not worth a write: what it waits for usually comes within this time. */
const patienceMs = 2000

/** The newer object of a lost race is here within this time. */
const raceDelayMs = 100

/** What one look came to, and the next one. */
interface Found<K extends Kind> {
  readonly observed?: Observed<K>
  readonly outcome: Outcome
  readonly attempts?: number
  readonly delay?: number
}

/** Starts the loop of a controller over all objects of its kind. */
export function startController<K extends Kind>(
  cluster: Cluster,
  controller: Controller<K>,
  options: LoopOptions,
): Loop {
  const { log, metrics, isActive, resyncMs = 1_800_000, backoffMs = { first: 500, most: 300_000 } } = options
  const { kind } = controller
  const cache = cluster.store.cacheOf(kind)
  const waitingSince = new Map<string, { readonly reason: Reason; readonly at: number }>()
  const failures = new Map<string, number>()
  const resyncKeys = new Set<string>()
  const settling = createSettling(options.settleMs ?? 60_000)
  const queue = createQueue(controller.workers ?? 64, work, options.pace)

  async function work(key: string) {
    const object = objectAt(cache, key)
    if (!object) {
      waitingSince.delete(key)
      failures.delete(key)
      resyncKeys.delete(key)
      settling.forget(key)
      return
    }
    if (!isActive() || !cluster.store.isOrganization(object.metadata.namespace ?? '')) return
    const isDeleting = object.metadata.deletionTimestamp !== undefined
    if (isDeleting && !hasFinalizer(object)) return
    try {
      await (isDeleting ? finalizeOne(object, key) : reconcileOne(object, key))
    } catch (error) {
      // A write that lost a race is not a failure: look at the newer object.
      const isLost = isRace(error) || (error instanceof ApiError && error.status === 404)
      if (!isLost) log.warn('could not write status', { kind: kind.kind, key, error })
      queue.addAfter(key, isLost ? raceDelayMs : delayAfter(countFailure(key)))
    }
  }

  async function reconcileOne(object: ObjectOf<K>, key: string) {
    const held = controller.finalize && !hasFinalizer(object) ? await addFinalizer(object) : object
    const context: ReconcileContext<K> = {
      isResync: resyncKeys.delete(key),
      releaseWorker: (part) => queue.releaseWorker(key, part),
      report: async (observed, message) => {
        await write(held, { observed, outcome: outcomeOf(new Waiting('Progressing', message)) })
      },
    }
    await finish(held, key, () => controller.reconcile(held, context))
  }

  async function finalizeOne(object: ObjectOf<K>, key: string) {
    await finish(object, key, async () => {
      await controller.finalize?.(object, { releaseWorker: (part) => queue.releaseWorker(key, part) })
      await removeFinalizer(object)
      return undefined
    })
  }

  /** Runs the work, judges how it ended, writes the outcome if it is news, and sees to the next try. */
  async function finish(object: ObjectOf<K>, key: string, run: () => Promise<Observed<K> | undefined>) {
    const { observed, error } = await attempt(run)
    if (error === undefined && observed === undefined) return
    // What was decided was decided on an older object: decide anew, it is nobody's failure.
    if (isRace(error)) throw error
    const outcome = settling.outcomeFor(key, object, outcomeOf(error))
    metrics?.reconciled(kind.kind, resultOf(outcome))
    if (outcome.retry === 'backoff')
      log.warn('reconcile failed', { kind: kind.kind, key, ...logFieldsOf(error) })
    const { attempts, delay } = outcome.retry === 'backoff' ? noteFailure(object, key) : noFailure(key)
    const isPatient =
      outcome.ready === 'Unknown' && !isStatedIn(object, outcome) && isWithinPatience(key, outcome)
    if (isPatient) queue.addAfter(key, patienceMs)
    else await writeStatus(object, { observed: observed ?? statusOfError(error), outcome, attempts, delay })
    if (outcome.ready !== 'Unknown') waitingSince.delete(key)
    const next = typeof outcome.retry === 'number' ? outcome.retry * 1000 : delay
    if (next !== undefined) queue.addAfter(key, next)
  }

  /** Writes what came of it; of a status that will never be taken, that it is so. */
  async function writeStatus(object: ObjectOf<K>, found: Found<K>) {
    try {
      await write(object, found)
    } catch (error) {
      if (!isRefusedForGood(error)) throw error
      const message = `the cluster does not take the status: ${cutTo(error.message, 1000)}; it says: ${cutTo(found.outcome.message, 1000)}`
      await write(object, { outcome: outcomeOf(new Stalled('StatusRejected', message)) })
    }
  }

  function isWithinPatience(key: string, { reason }: Outcome): boolean {
    const since = waitingSince.get(key)
    if (since) return performance.now() - since.at < patienceMs
    waitingSince.set(key, { reason, at: performance.now() })
    return true
  }

  function noteFailure(object: ObjectOf<K>, key: string): { attempts?: number; delay?: number } {
    const attempts = attemptsOf(object, countFailure(key))
    return { attempts, delay: delayAfter(attempts) }
  }

  function noFailure(key: string): { attempts?: number; delay?: number } {
    failures.delete(key)
    return {}
  }

  function countFailure(key: string): number {
    const count = (failures.get(key) ?? 0) + 1
    failures.set(key, count)
    return count
  }

  function delayAfter(attempts: number): number {
    return (
      Math.min(backoffMs.most, backoffMs.first * 2 ** Math.min(attempts - 1, 20)) * (0.75 + Math.random() / 2)
    )
  }

  async function write(object: ObjectOf<K>, found: Found<K>) {
    if (!isActive()) return
    const before = (cache.get(object.metadata.namespace ?? '', object.metadata.name) ?? object).status ?? {}
    const after = nextStatus(kind, before, object.metadata.generation ?? 0, found)
    if (sameJson(before, after)) return
    await cluster.replaceStatus(kind, object, after, kind.kind)
  }

  async function addFinalizer(object: ObjectOf<K>): Promise<ObjectOf<K>> {
    const finalizers = [...(object.metadata.finalizers ?? []), finalizer]
    const { uid, resourceVersion } = object.metadata
    return cluster.patch(kind, object, { metadata: { uid, resourceVersion, finalizers } }, kind.kind)
  }

  async function removeFinalizer(object: ObjectOf<K>) {
    const { uid } = object.metadata
    const latest = cache.get(object.metadata.namespace ?? '', object.metadata.name) ?? object
    const finalizers = (latest.metadata.finalizers ?? []).filter((name) => name !== finalizer)
    const { resourceVersion } = latest.metadata
    try {
      await cluster.patch(kind, object, { metadata: { uid, resourceVersion, finalizers } }, kind.kind)
    } catch (error) {
      if (!isGone(error) || (error instanceof ApiError && error.status === 409)) throw error
    }
  }

  cache.subscribe(({ before, after }) => {
    // Status is written here and nowhere else: only changes of what is wanted call for a look.
    if (after && (!before || isNews(before, after))) queue.add(keyOf(after))
  })
  cluster.store.namespaces.subscribe(({ after }) => {
    if (after) for (const object of cache.inNamespace(after.metadata.name)) queue.add(keyOf(object))
  })
  for (const watch of controller.watches ?? []) {
    watch.subscribe((keys) => {
      for (const key of keys) queue.add(key)
    })
  }
  for (const object of cache.all()) queue.add(keyOf(object))
  const resync = setInterval(() => {
    for (const object of cache.all()) {
      resyncKeys.add(keyOf(object))
      queue.addAfter(keyOf(object), Math.random() * resyncMs * 0.5)
    }
  }, resyncMs)

  return {
    queue,
    async stop() {
      clearInterval(resync)
      await queue.stop()
    },
  }
}

/** A failure that has a name needs no stack. */
function logFieldsOf(error: unknown): object {
  return error instanceof Failed ? { reason: error.reason, message: error.message } : { error }
}

function isRace(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409
}

async function attempt<T>(run: () => Promise<T>): Promise<{ observed?: T; error?: unknown }> {
  try {
    return { observed: await run() }
  } catch (error) {
    return { error: error ?? new Error('failed without a reason') }
  }
}

function resultOf({ ready, also, retry }: Outcome) {
  if (ready === 'True') return 'ready'
  if (also === 'Stalled') return 'stalled'
  return retry === 'backoff' ? 'failed' : 'waiting'
}

function hasFinalizer(object: KubeObject): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false
}

function isNews(before: KubeObject, after: KubeObject): boolean {
  const [old, now] = [before.metadata, after.metadata]
  return (
    old.uid !== now.uid ||
    old.generation !== now.generation ||
    old.deletionTimestamp !== now.deletionTimestamp ||
    !sameEntries(old.annotations, now.annotations) ||
    // Our own finalizer coming is the echo of an own write; one that somebody took away must be put back.
    (hasFinalizer(before) && !hasFinalizer(after))
  )
}

function sameEntries(left: Record<string, string> = {}, right: Record<string, string> = {}): boolean {
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key])
}

function objectAt<T extends KubeObject>(cache: Cache<T>, key: string): T | undefined {
  const slash = key.indexOf('/')
  return cache.get(key.slice(0, slash), key.slice(slash + 1))
}
