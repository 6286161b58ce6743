import { type FakeCloudflare, startFakeCloudflare } from '../../../dev/fake-cloudflare/server.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import {
  createDnsCloudflare,
  type DnsCloudflare,
  type DnsCloudflareSettings,
} from '../../../operator/drivers/dns-cloudflare/driver.ts'
import type { DeprovisionRequest, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { context } from '../../support/builders.ts'
import { type Made, wildcardCertificate } from '../../support/certificates.ts'

/** Digits of the installation under test. */
export const installationId = '0a1b2c3d'

/** The parts of a record that a resource decides. */
export interface Shown {
  readonly type: string
  readonly name: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
  readonly comment: string | null
}

/** A fake provider with one zone, and drivers that talk to it. */
export interface DnsWorld {
  readonly fake: FakeCloudflare
  readonly certificate: Made
  /** A driver as a new process has it; ended with the world. */
  process(settings?: Partial<DnsCloudflareSettings>): DnsCloudflare
  request(changes?: RequestChanges): ProvisionRequest
  /** A request for the nth resource. */
  numbered(n: number, values?: FreeForm): ProvisionRequest
  /** Provisions resources 0 to `count` - 1 at once. */
  provisionAll(
    driver: DnsCloudflare,
    count: number,
    values?: FreeForm,
  ): Promise<PromiseSettledResult<unknown>[]>
  deprovisionOf(request: ProvisionRequest, changes?: Partial<DeprovisionRequest>): DeprovisionRequest
  shown(): Shown[]
  control(method: string, path: string, body?: unknown): Promise<FreeForm>
  misbehave(rule: FreeForm, listingDelayMs?: number): Promise<void>
  /** Method and end of the path of the calls so far, which are forgotten. */
  takeCalls(): Promise<string[]>
  /** Everything is forgotten but the token. */
  reset(): Promise<void>
  close(): Promise<void>
}

type RequestChanges = Partial<Omit<ProvisionRequest, 'values'>> & { readonly values?: FreeForm }

/** Tries a call again as the caller of a driver does. */
export async function eventually(call: () => Promise<unknown>, stepMs = 100): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await call()
      return
    } catch (error) {
      if (attempt > 300) throw error
      await new Promise((resolve) => setTimeout(resolve, stepMs))
    }
  }
}

/** Times so short that tests need not wait. */
export const hasty = { collectMs: 5, settleMs: 200, confirmMs: 100, timeoutMs: 2000 }

/** `given` is a certificate for the zone `example.test`, where one is there already. */
export async function startDnsWorld(given?: Made): Promise<DnsWorld> {
  const fake = await startFakeCloudflare()
  const certificate = given ?? (await wildcardCertificate(fake.zoneName))
  const drivers: DnsCloudflare[] = []
  let seen = 0

  async function control(method: string, path: string, body?: unknown): Promise<FreeForm> {
    const response = await fetch(`${fake.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as FreeForm // always an object or a list
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }

  const world: DnsWorld = {
    fake,
    certificate,
    control,
    numbered: (n, values = {}) => world.request({ guResId: numberedId(n), values }),
    provisionAll: (driver, count, values) =>
      Promise.allSettled(numbers(count).map((n) => driver.provision(world.numbered(n, values)))),
    process(settings = {}) {
      const driver = createDnsCloudflare({
        installationId,
        loadbalancer: '192.0.2.10',
        baseUrl: `${fake.url}/client/v4`,
        ...hasty,
        ...settings,
      })
      drivers.push(driver)
      return driver
    },
    request({ values, ...changes } = {}) {
      const tls = { 'tls.crt': certificate.crt, 'tls.key': certificate.key }
      return {
        guResId: 'a'.repeat(40),
        context: context(),
        type: 'dns',
        class: 'default',
        resourceId: 'shared.dns',
        namespace: 'acme--shop--dev',
        signal: new AbortController().signal,
        params: {},
        neighbours: {},
        values: { zone_id: fake.zoneId, domain: fake.zoneName, ...values },
        secrets: { tls },
        account: { token: fake.token },
        ...changes,
      }
    },
    deprovisionOf(request, changes = {}) {
      const { values: _, secrets: __, params: ___, neighbours: ____, namespace: _____, ...subject } = request
      const driver = createDnsCloudflare({ installationId })
      return { ...subject, identity: driver.identify?.(request) as FreeForm, ...changes } // it is not asynchronous
    },
    shown: () =>
      fake.records().map(({ type, name, content, ttl, proxied, comment }) => ({
        type,
        name,
        content,
        ttl,
        proxied,
        comment,
      })),
    async misbehave(rule, listingDelayMs) {
      await control('POST', '/__misbehave', { rules: [rule], listingDelayMs })
    },
    async takeCalls() {
      const calls = fake.calls().slice(seen)
      seen += calls.length
      return calls.map(({ method, path }) => `${method} ${path.split('/').slice(3).join('/') || 'zone'}`)
    },
    async reset() {
      await control('DELETE', '/__misbehave')
      await control('POST', '/__reset')
      seen = 0
    },
    async close() {
      for (const driver of drivers) driver.close()
      await fake.close()
    },
  }
  return world
}

/** GUResID of the nth resource. */
export function numberedId(n: number): string {
  return n.toString(16).padStart(8, '0').padEnd(40, 'f')
}

/** 0 to `count` - 1. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n)
}

/** How many calls were done, and how many ended with each reason. */
export function reasonsOf(results: readonly PromiseSettledResult<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const each of results) {
    const reason = each.status === 'fulfilled' ? 'done' : String(each.reason.reason)
    counts[reason] = (counts[reason] ?? 0) + 1
  }
  return counts
}
