import type { Kind, KubeObject, ObjectOf } from '../../api/kind.ts'
import type { Cache, Change } from '../cache/cache.ts'
import type { Observed } from './status.ts'

/** One run of a reconcile or of a deletion. */
export interface WorkContext<K extends Kind> {
  /** Writes the facts known so far, as not ready yet, so that a crash does not lose them. */
  report(observed: Observed<K>, message: string): Promise<void>
  /** Runs a part that only waits, such as a call, outside the worker pool. */
  releaseWorker<T>(work: () => Promise<T>): Promise<T>
  /** Throws when the process is to end: between the requests of long work, which the next process completes. */
  throwIfStopping(): void
}

/** One run of a reconcile. */
export interface ReconcileContext<K extends Kind> extends WorkContext<K> {
  /** Calls `work` when the status that this reconcile returns is written. */
  afterWrite(work: () => void): void
  /** Whether this is the periodic reconcile that every object gets. */
  readonly isResync: boolean
}

/** Reconciles the objects of one kind: returns the status, or throws; only the loop writes it. */
export interface Controller<K extends Kind = Kind> {
  readonly kind: K
  /** What people call an object, for the log, if that is not its name. */
  describe?(object: ObjectOf<K>): string
  /** Maximum concurrent reconciles; 64 by default. */
  readonly workers?: number
  /** What the status must say before any other write to the object, also that of our finalizer; undefined if it says so. */
  firstFacts?(object: ObjectOf<K>): Observed<K> | undefined
  reconcile(object: ObjectOf<K>, context: ReconcileContext<K>): Promise<Observed<K>>
  /**
   * Cleans up after an object that is being deleted; the loop then removes the finalizer. With `later`, the loop does
   * nothing: a watch of the controller enqueues the object again.
   */
  finalize?(object: ObjectOf<K>, context: WorkContext<K>): Promise<'later' | void>
  /** Whether a status is the result of a run, which stays while others keep the deleted object. */
  readonly isRun?: boolean
  /** Sources of keys to reconcile, in addition to changes of this kind. */
  readonly watches?: readonly Watch[]
}

/** Runs one reconcile of an object, and measures it. */
export type TraceReconcile = (kind: Kind, object: KubeObject, work: () => Promise<void>) => Promise<void>

/** A source of keys to reconcile, as `namespace/name`. */
export interface Watch {
  subscribe(enqueue: (keys: readonly string[]) => void): void
}

/** Enqueues the keys that `mapFunc` returns for each change of another kind. */
export function watchKind<K extends Kind>(
  cache: Cache<ObjectOf<K>>,
  mapFunc: (change: Change<ObjectOf<K>>) => readonly string[],
): Watch {
  return { subscribe: (enqueue) => cache.subscribe((change) => enqueue(mapFunc(change))) }
}
