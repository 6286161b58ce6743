import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { quantile, rounded } from '../statistics.ts'

/** Latencies of a load, in milliseconds. */
export interface Latencies {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}

/** A load of GET requests on one server. */
export interface Load {
  readonly url: string
  /** Asked for in turn. */
  readonly paths: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly seconds: number
  readonly connections?: number
}

/** Sums latencies up. */
export function latenciesOf(values: readonly number[]): Latencies {
  const at = (share: number) => rounded(quantile(values, share), 2)
  return { count: values.length, p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), maxMs: at(1) }
}

/**
 * Requests at fixed times, whether or not earlier ones are answered. A latency counts from the time at which the
 * request was due, so that a blocked server does not hide how long others would have waited.
 */
export async function openLoop(load: Load, perSecond: number): Promise<Latencies> {
  const { ask, close } = openClient(load)
  const latencies: number[] = []
  const underWay = new Set<Promise<void>>()
  const begun = performance.now()
  const count = Math.round(perSecond * load.seconds)
  for (let sent = 0; sent < count; ) {
    const due = begun + (sent * 1000) / perSecond
    if (performance.now() < due) {
      await sleep(1)
      continue
    }
    const answered = ask(sent).then(() => {
      latencies.push(performance.now() - due)
      underWay.delete(answered)
    })
    underWay.add(answered)
    sent += 1
  }
  await Promise.all(underWay)
  await close()
  return latenciesOf(latencies)
}

/** Requests one after the other on every connection; answers how many were answered in a second. */
export async function closedLoop(load: Load): Promise<number> {
  const { connections = defaultConnections } = load
  const { ask, close } = openClient(load)
  const begun = performance.now()
  const end = begun + load.seconds * 1000
  let count = 0
  const workers = Array.from({ length: connections }, async () => {
    while (performance.now() < end) {
      await ask(count)
      count += 1
    }
  })
  await Promise.all(workers)
  const seconds = (performance.now() - begun) / 1000
  await close()
  return rounded(count / seconds, 0)
}

const defaultConnections = 50

function openClient({ url, paths, headers, connections = defaultConnections }: Load) {
  const pool = new Pool(url, { connections, pipelining: 1 })
  return {
    async ask(index: number): Promise<void> {
      const path = paths[index % paths.length] ?? '/'
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { ...headers } })
      await body.dump({ limit: Number.POSITIVE_INFINITY })
      if (statusCode !== 200) throw new Error(`'${path}' was answered with ${statusCode}`)
    },
    close: () => pool.close(),
  }
}
