import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../log.ts'
import type { Connection } from '../client/connection.ts'
import type { Credentials } from '../client/credentials.ts'
import {
  createMemory,
  type ElectionTimes,
  type LeaseEvent,
  type LeaseRequest,
  type LeaseWorkerData,
  monotonicMs,
  sharedTimes,
} from './lease-messages.ts'

export interface Election {
  /** Whether this process leads, by the local clock. */
  isLeader(): boolean
  /** Resolves when this process leads. */
  readonly elected: Promise<void>
  /** Resolves when this process no longer leads, and must end. */
  readonly lost: Promise<void>
  /** Releases the lease, so that another process can acquire it at once. */
  release(): Promise<void>
}

/** The times of an election with a lease of this length. */
export function electionTimes(leaseMs: number): ElectionTimes {
  return { leaseMs, renewDeadlineMs: leaseMs * (2 / 3), retryMs: leaseMs / 7.5, stuckMs: leaseMs * 4 }
}

/**
 * Takes part in the election of one leader by a Lease. A separate thread renews it, so that long work does not cost the
 * leadership; this thread sends the credentials and heartbeats.
 */
export function startElection(options: {
  connection: Connection
  log: Log
  namespace: string
  name: string
  identity: string
  times: ElectionTimes
}): Election {
  const { connection, log, namespace, name, identity, times } = options
  const memory = createMemory()
  const shared = sharedTimes(memory)
  const elected = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let isOver = false
  let sent: Credentials | undefined
  shared.aliveAt = monotonicMs()
  const { origin, pathPrefix } = connection
  const worker = startWorker({ origin, pathPrefix, memory, namespace, name, identity, times })
  const send = (request: LeaseRequest) => worker.postMessage(request)

  async function sendHeartbeat() {
    shared.aliveAt = monotonicMs()
    await sendCredentials()
  }

  async function sendCredentials(refused?: Credentials) {
    try {
      const credentials = await connection.credentials(refused)
      if (credentials === sent || isOver) return
      sent = credentials
      send({ kind: 'credentials', credentials })
    } catch (error) {
      log.warn('could not read the credentials for the lease', { error })
    }
  }

  function lose() {
    if (isOver) return
    isOver = true
    log.error('leadership lost', { identity })
    lost.resolve()
  }

  worker.on('message', (event: LeaseEvent) => {
    if (event.kind === 'warning') log.warn(event.message, { error: event.error })
    else if (event.kind === 'lost') lose()
    else if (event.kind === 'refused') void sendCredentials(sent)
    else {
      log.info('leading', { identity })
      elected.resolve()
    }
  })
  worker.on('error', (error) => log.error('the lease thread failed', { error }))
  worker.once('exit', () => {
    clearInterval(heartbeat)
    lose()
    ended.resolve()
  })
  const heartbeat = setInterval(() => void sendHeartbeat(), times.retryMs)
  void sendHeartbeat()

  return {
    isLeader() {
      const { renewedAt } = shared
      return !isOver && renewedAt > 0 && monotonicMs() - renewedAt < times.renewDeadlineMs
    },
    elected: elected.promise,
    lost: lost.promise,
    async release() {
      isOver = true
      send({ kind: 'release' })
      await ended.promise
    },
  }
}

function startWorker(workerData: LeaseWorkerData): Worker {
  const bundled = new URL('lease-worker.mjs', import.meta.url)
  const file = existsSync(bundled) ? bundled : new URL('lease-worker.ts', import.meta.url)
  return new Worker(file, {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
  })
}
