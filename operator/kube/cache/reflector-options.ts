import type { StoredObject } from '../../api/kind.ts'
import type { PausesMs } from './watch-pauses.ts'

/** Keeps a cache equal to the API server until it is stopped. */
export interface Reflector {
  /** Resolves when the cache holds the first complete list; rejects when that is forbidden, see `failIfForbidden`. */
  readonly synced: Promise<void>
  /**
   * Waits until the cache holds the first complete list. Tries again at once after an attempt that failed; throws the error of
   * the next one that fails, or the last error after `mostMs`.
   */
  waitForList(mostMs: number): Promise<void>
  /** Throws the error of the API server if it forbids to list or watch; after such an error, tries again first. */
  ensureAllowed(): Promise<void>
  /** Plural name of what is watched. */
  readonly resource: string
  /** The cache reflects all writes up to this version; undefined while a list is due. */
  readonly position: string | undefined
  /** Milliseconds since the last line from the API server. */
  silentMs(): number
  /** Milliseconds since the API server last sent anything, a refusal included. */
  unansweredMs(): number
  /** Ends a pause after failures: the API server may answer by now. */
  tryAgain(): void
  stop(): void
}

export interface ReflectorOptions {
  /** All namespaces when absent. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Reads metadata alone, for kinds of which only the change matters. */
  readonly metadataOnly?: boolean
  /** What the cache keeps of each object; all of it when absent. */
  keep?(object: StoredObject): StoredObject
  /** Ends, instead of retrying, when the API server forbids the first list. */
  readonly failIfForbidden?: boolean
  /** A stream without a line for this long is dead; the API server sends a bookmark each minute. */
  readonly idleMs?: number
  /** How often a complete list is read, in case an event was lost. */
  readonly relistMs?: number
  readonly pausesMs?: Partial<PausesMs>
  /** Called when the API server has not served the kind in this version for some time, after it did. */
  onUnserved?(): void
  /** Called when a watch works after failures. */
  onRecovered?(): void
}
