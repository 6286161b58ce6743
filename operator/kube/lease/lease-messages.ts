import type { Credentials } from '../client/credentials.ts'

/** Times of an election, in milliseconds; the lease outlives a leader that is silent by `leaseMs`. */
export interface ElectionTimes {
  readonly leaseMs: number
  /** A leader that could not renew for this long stops before another process may lead. */
  readonly renewDeadlineMs: number
  readonly retryMs: number
  /** A main thread without a heartbeat for this long hangs, and its process is killed. */
  readonly stuckMs: number
}

/** The lease of an election and the participant. */
export interface LeaseOptions {
  readonly namespace: string
  readonly name: string
  readonly identity: string
  readonly times: ElectionTimes
}

/** The data of the lease thread. */
export interface LeaseWorkerData extends LeaseOptions {
  readonly origin: string
  readonly pathPrefix: string
  /** Memory of the shared times. */
  readonly memory: SharedArrayBuffer
}

/** A message from the main thread to the lease thread. */
export type LeaseRequest =
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  | { readonly kind: 'release' }

/** A message from the lease thread to the main thread. */
export type LeaseEvent =
  | { readonly kind: 'elected' }
  | { readonly kind: 'lost' }
  /** The API server refuses the credentials. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'warning'; readonly message: string; readonly error: unknown }

/** Two times that both threads read and write without waiting for each other. */
export interface SharedTimes {
  /** When the lease was last renewed; 0 while it is not held. */
  renewedAt: number
  /** The last heartbeat of the main thread. */
  aliveAt: number
}

/** Memory for shared times. */
export function createMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)
}

/** The shared times in `memory`. */
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

/** Milliseconds of a monotonic clock that all threads share, unlike `performance.now()`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
