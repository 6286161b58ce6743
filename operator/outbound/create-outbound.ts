import { X509Certificate } from 'node:crypto'
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { Agent, buildConnector, Pool } from 'undici'
import { explain } from './explain.ts'
import { checkHeaders } from './headers.ts'
import type { Outbound, OutboundRequest } from './outbound.ts'
import { plainHeaders, readBody } from './read-answer.ts'
import { createTargetRules, portOf, type TargetRules } from './target.ts'

/** Resolves all addresses of a name, as `lookup` of `node:dns` does. */
export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Settings of outbound calls. */
export interface OutboundSettings {
  /** Exceptions of the cluster administrator: ranges, addresses, host names. */
  readonly allowed: readonly string[]
  /** Additional trusted certificate authorities (PEM). */
  readonly ca?: string
  readonly lookup?: Resolve
  /** Milliseconds for name resolution, connection and TLS together; 3,000 by default. */
  readonly connectMs?: number
}

/** Creates the client of outbound calls; throws when a setting is not valid. */
export function createOutbound(settings: OutboundSettings): Outbound {
  const { allowed, ca, lookup = systemLookup, connectMs = 3000 } = settings
  const rules = createTargetRules(allowed)
  const secureContext = trustIn(ca)
  const agent = new Agent({
    factory: (origin) =>
      new Pool(origin, {
        allowH2: false,
        connect: buildConnector({
          allowH2: false,
          timeout: connectMs,
          secureContext,
          rejectUnauthorized: true,
          lookup: checkedLookup(rules, lookup, portOf(new URL(origin))),
        }),
      }),
  })

  return {
    async request(request) {
      const { protocols = ['https:'], totalMs = 10_000, maxBytes = 1024 * 1024 } = request
      const url = rules.check(request.url, protocols)
      const headers = { ...checkHeaders(request.headers ?? {}), 'accept-encoding': 'identity' }
      const timeout = AbortSignal.timeout(totalMs)

      const explained = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await work()
        } catch (error) {
          const { signal } = request
          throw explain(error, { url, totalMs, isTimeout: timeout.aborted, isAborted: signal.aborted })
        }
      }

      const { statusCode, ...answer } = await explained(() =>
        agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: request.method as 'GET', // the type lists standard methods alone
          headers,
          body: request.body ?? null,
          signal: AbortSignal.any([request.signal, timeout]),
          // The signal bounds both.
          headersTimeout: 0,
          bodyTimeout: 0,
        }),
      )
      // The timeout may end the body before it is read.
      answer.body.on('error', () => {})
      const received = plainHeaders(answer.headers)
      await notifyHeaders(request, statusCode, received).catch((error: unknown) => {
        answer.body.destroy()
        throw error
      })
      const text = await explained(() => readBody(answer.body, received, maxBytes))
      return { status: statusCode, headers: received, text }
    },
    close: () => agent.destroy(),
  }
}

async function notifyHeaders(
  request: OutboundRequest,
  status: number,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  await request.onHeaders?.(status, headers)
}

/** A lookup that returns checked addresses alone; each connection uses the addresses that were checked for it. */
function checkedLookup(rules: TargetRules, lookup: Resolve, port: string): LookupFunction {
  return (host, options, answer) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return answer(error, [])
      try {
        rules.checkAddresses(
          host,
          port,
          addresses.map(({ address }) => address),
        )
      } catch (refusal) {
        return answer(refusal as Error, []) // checkAddresses throws nothing else
      }
      if (options.all) return answer(null, addresses)
      const [first] = addresses
      answer(null, first?.address ?? '', first?.family ?? 0)
    })
  }
}

/** The default authorities and the additional ones; built once, because reading the default ones is slow. */
function trustIn(ca: string | undefined): SecureContext {
  if (ca === undefined || ca.trim() === '') return createSecureContext({ minVersion: 'TLSv1.2' })
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)
  if (!certificates) throw new Error('the certificate authorities for outbound calls hold no certificate')
  // Throws for a broken certificate, which the context would ignore.
  const added = certificates.map((each) => new X509Certificate(each).toString())
  return createSecureContext({
    ca: [...getCACertificates('default'), ...added],
    minVersion: 'TLSv1.2',
  })
}
