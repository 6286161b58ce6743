import type { Credentials } from '../client/connection.ts'

/** Times of an election, in milliseconds; the lease outlives a leader that is silent by `leaseMs`. */
export interface ElectionTimes {
  readonly leaseMs: number
  /** A leader that could not renew for this long stops by itself, before another process may begin. */
  readonly renewDeadlineMs: number
  readonly retryMs: number
  /** A main thread that has shown no sign of life for this long counts as dead, and its process is killed. */
  readonly stuckMs: number
}

/** Which lease an election is about, and who takes part. */
export interface LeaseOptions {
  readonly namespace: string
  readonly name: string
  readonly identity: string
  readonly times: ElectionTimes
}

/** What the thread of the lease starts with. */
export interface LeaseWorkerData extends LeaseOptions {
  readonly origin: string
  readonly pathPrefix: string
  /** Memory of the shared times. */
  readonly memory: SharedArrayBuffer
}

/** What the main thread tells the thread of the lease. */
export type LeaseRequest =
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  | { readonly kind: 'release' }

/** What the thread of the lease tells the main thread. */
export type LeaseEvent =
  | { readonly kind: 'elected' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'warning'; readonly message: string; readonly error: unknown }

/** Two points in time that both threads write and read at once, whatever the other thread does. */
export interface SharedTimes {
  /** When the lease was last renewed; 0 while it is not held. */
  renewedAt: number
  /** When the main thread last showed that it runs. */
  aliveAt: number
}

/** Memory for shared times. */
export function createMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)
}

/** The shared times that are kept in `memory`. */
export function sharedTimes(memory: SharedArrayBuffer): SharedTimes {
  const cells = new BigInt64Array(memory)
  const read = (index: number) => Number(Atomics.load(cells, index))
  const write = (index: number, value: number) => void Atomics.store(cells, index, BigInt(Math.floor(value)))
  return {
    get renewedAt() {
      return read(0)
    },
    set renewedAt(value) {
      write(0, value)
    },
    get aliveAt() {
      return read(1)
    },
    set aliveAt(value) {
      write(1, value)
    },
  }
}

/** Milliseconds of a clock that never jumps and is the same in all threads, unlike `performance.now()`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
