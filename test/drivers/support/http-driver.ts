import { afterEach, beforeEach } from '@jest/globals'
import type {
  Cookie,
  DeprovisionRequest,
  Driver,
  ProvisionRequest,
} from '../../../operator/drivers/driver.ts'
import { echoDescriptor } from '../../../operator/drivers/echo/descriptor.ts'
import { createHttpDriver } from '../../../operator/drivers/http/driver.ts'
import { createOutbound } from '../../../operator/outbound/create-outbound.ts'
import type { Outbound } from '../../../operator/outbound/outbound.ts'
import { provisionRequest } from './contract.ts'
import { type Behaviour, type HttpDriverServer, startHttpDriverServer } from './http-driver-server.ts'

/** The header by which a driver gives its cookie. */
export const setCookie = 'set-humanitec-driver-cookie'

/** A cookie that is kept in memory, and its writes. */
interface KeptCookie extends Cookie {
  text: string | undefined
  readonly writes: (string | undefined)[]
}

/** A server, the driver that asks it, and the cookie between them; new ones for each test. */
export interface Bench {
  server: HttpDriverServer
  cookie: KeptCookie
  /** Lets the server behave otherwise. */
  use(behaviour: Behaviour): Promise<void>
  /** One that polls a busy driver without limit, or for so long. */
  driver(target?: string, withinMs?: number): Driver
  provisionOf(changes?: Partial<ProvisionRequest>): ProvisionRequest
  deprovisionOf(): DeprovisionRequest
}

/** Puts the bench up for every test of the file. */
export function openBench(): Bench {
  let outbound: Outbound
  const bench = {
    async use(behaviour: Behaviour) {
      await bench.server.close()
      bench.server = await startHttpDriverServer(behaviour)
    },
    driver(target = bench.server.target, withinMs = 60_000) {
      const descriptor = { ...echoDescriptor, name: 'acme/s3', remote: true, keepsCookie: true }
      return createHttpDriver({ descriptor, target, outbound, poll: { firstMs: 2, mostMs: 10, withinMs } })
    },
    provisionOf: (changes: Partial<ProvisionRequest> = {}) =>
      provisionRequest('s3', { cookie: bench.cookie, ...changes }),
    deprovisionOf() {
      const { guResId, context, type, class: resourceClass, resourceId, signal } = bench.provisionOf()
      const subject = { guResId, context, type, class: resourceClass, resourceId, signal }
      return { ...subject, identity: {}, cookie: bench.cookie }
    },
  } as Partial<Bench> as Bench // the rest runs before each test
  beforeEach(async () => {
    outbound = createOutbound({ allowed: ['127.0.0.0/8'] })
    bench.cookie = keepCookie()
    bench.server = await startHttpDriverServer()
  })
  afterEach(async () => {
    await outbound.close()
    await bench.server.close()
  })
  return bench
}

function keepCookie(): KeptCookie {
  const writes: (string | undefined)[] = []
  const kept: KeptCookie = {
    text: undefined,
    writes,
    read: async () => kept.text,
    async write(next) {
      kept.text = next
      writes.push(next)
    },
  }
  return kept
}

/** The error of a call. */
export async function failureOf(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: Error) => error,
  )
}

/** A future time, in the form of hints. */
export function inFuture(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}
