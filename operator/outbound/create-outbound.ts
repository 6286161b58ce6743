import { X509Certificate } from 'node:crypto'
import { lookup as systemLookup } from 'node:dns'
import type { Resolve } from './agent.ts'
import { OutboundError } from './errors.ts'
import { explain } from './explain.ts'
import { checkHeaders } from './headers.ts'
import { createLargeAnswers } from './large-answers.ts'
import type { Outbound, OutboundRequest } from './outbound.ts'
import { plainHeaders, readBody } from './read-answer.ts'
import { createTargetRules } from './target.ts'
import { startTimeLimit } from './time-limit.ts'

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
  const authorities = certificatesIn(ca)
  const largeAnswers = createLargeAnswers()
  let opened: ReturnType<typeof open> | undefined

  /** Opened at the first request: the library needs 20 MiB, and an installation may never use it. */
  async function open() {
    const { openAgent } = await import('./agent.ts')
    return openAgent({ rules, authorities, lookup, connectMs })
  }

  return {
    async request(request) {
      const { owner = '', hold, protocols = ['https:'], totalMs = 10_000, maxBytes = 1024 * 1024 } = request
      const url = rules.check(request.url, protocols)
      const headers = { ...checkHeaders(request.headers ?? {}), 'accept-encoding': 'identity' }
      opened ??= open()
      const agent = await opened
      const limit = startTimeLimit(totalMs)
      const signal = AbortSignal.any([request.signal, limit.signal])

      const explained = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await work()
        } catch (error) {
          const { signal } = request
          throw explain(error, { url, totalMs, isTimeout: limit.signal.aborted, isAborted: signal.aborted })
        }
      }

      /** The server does not answer for the wait, so its time does not pass. */
      async function enterLarge(): Promise<() => void> {
        const longest = AbortSignal.timeout(totalMs)
        limit.pause()
        try {
          return await largeAnswers.enter(owner, AbortSignal.any([request.signal, longest]))
        } catch (error) {
          if (request.signal.aborted) throw error
          const message = `the large answer of '${url.host}' was not read: others were read for ${totalMs} ms`
          throw new OutboundError('Busy', message)
        } finally {
          limit.resume()
        }
      }

      try {
        const { statusCode, ...answer } = await explained(() =>
          agent.request({
            origin: url.origin,
            path: `${url.pathname}${url.search}`,
            method: request.method as 'GET', // the type lists standard methods alone
            headers,
            body: request.body ?? null,
            signal,
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
        const text = await explained(() => readBody(answer.body, received, { maxBytes, enterLarge, hold }))
        return { status: statusCode, headers: received, text }
      } finally {
        limit.end()
      }
    },
    async close() {
      // Requests after it are refused.
      opened ??= open()
      const agent = await opened
      await agent.destroy()
    },
  }
}

async function notifyHeaders(
  request: OutboundRequest,
  status: number,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  await request.onHeaders?.(status, headers)
}

/** The certificates in a text; throws for a broken one, which TLS would ignore. */
function certificatesIn(ca: string | undefined): string[] {
  if (ca === undefined || ca.trim() === '') return []
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)
  if (!certificates) throw new Error('the certificate authorities for outbound calls hold no certificate')
  return certificates.map((each) => new X509Certificate(each).toString())
}
