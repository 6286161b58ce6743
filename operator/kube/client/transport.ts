import {
  type AgentOptions,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { createSecureContext } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { Credentials } from './credentials.ts'

/** A request; `timeoutMs` limits each silence of the server. */
export interface OutgoingRequest {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** Keep-alive connections to one server. */
export interface Transport {
  /** Resolves with the head of the response; its body is the stream. */
  send(credentials: Credentials, request: OutgoingRequest): Promise<IncomingMessage>
  close(): void
}

const keepAliveMs = 60_000

/** A pool of at most `connections` connections to the server, replaced only when the certificates change. */
export function createTransport(origin: string, connections: number): Transport {
  const url = new URL(origin)
  const { protocol } = url
  const { hostname: host, port } = urlToHttpOptions(url) // without the brackets of IPv6
  let current: { readonly key: string; tls: Credentials['tls']; readonly agent: HttpAgent } | undefined
  let isClosed = false

  function agentOf({ tls }: Credentials): HttpAgent {
    if (current?.tls === tls) return current.agent
    const key = JSON.stringify(tls)
    if (current?.key === key) {
      current.tls = tls
      return current.agent
    }
    current = { key, tls, agent: openAgent(protocol, connections, tls) }
    return current.agent
  }

  return {
    async send(credentials, { body, timeoutMs, ...options }) {
      if (isClosed) throw new Error('the client is closed')
      const agent = agentOf(credentials)
      return new Promise((resolve, reject) => {
        const sent = request({ ...options, protocol, host, port, agent, timeout: timeoutMs })
        let received: IncomingMessage | undefined
        sent.on('response', (response) => {
          received = response
          resolve(response)
        })
        sent.on('error', reject)
        sent.on('timeout', () => {
          const error = new Error(`the API server was silent for ${timeoutMs} ms`)
          if (received) received.destroy(error)
          else sent.destroy(error)
        })
        sent.end(body)
      })
    },
    close() {
      isClosed = true
      current?.agent.destroy()
    },
  }
}

function openAgent(protocol: string, maxSockets: number, tls: Credentials['tls']): HttpAgent {
  const agent = newAgent(protocol, { keepAlive: true, maxSockets, timeout: keepAliveMs }, tls)
  // All connections are to the same server: Node would write all options of TLS into a name for each request.
  agent.getName = () => 'api-server'
  return agent
}

function newAgent(protocol: string, options: AgentOptions, tls: Credentials['tls']): HttpAgent {
  if (protocol === 'http:') return new HttpAgent(options)
  const { ca, cert, key, ...rest } = tls
  // One context for all connections: each would parse the certificates again and keep them.
  return new HttpsAgent({ ...options, ...rest, secureContext: createSecureContext({ ca, cert, key }) })
}

/** Reads the body as text; throws when the connection ends before the body does. */
export function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      text += part
    })
    response.on('end', () => resolve(text))
    response.on('error', reject)
  })
}
