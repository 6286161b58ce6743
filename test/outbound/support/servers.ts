import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { Resolve } from '../../../operator/outbound/agent.ts'
import { createOutbound, type OutboundSettings } from '../../../operator/outbound/create-outbound.ts'
import type { Outbound, OutboundRequest } from '../../../operator/outbound/outbound.ts'

/** A server on a separate port. */
export interface Listening {
  readonly port: number
  /** Connections that were accepted so far. */
  connections(): number
}

const cleanups: (() => Promise<unknown>)[] = []

/** Ends all that the test opened. */
export async function closeAll(): Promise<void> {
  await Promise.all(cleanups.splice(0).map((close) => close()))
}

/** Listens on an address of this host until `closeAll`. */
export async function listen(server: Server, address = '127.0.0.1', port = 0): Promise<Listening> {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count += 1
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve)
  })
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })
  return { port: (server.address() as AddressInfo).port, connections: () => count }
}

/** A server over HTTP, over HTTPS with `tls`. */
export async function serve(answer: RequestListener, tls?: TlsOptions, address?: string): Promise<Listening> {
  return listen(tls ? createSecureServer(tls, answer) : createServer(answer), address)
}

/** A listener that answers nothing and counts its connections. */
export async function canary(address = '127.0.0.1', port = 0): Promise<Listening> {
  return listen(
    createTcpServer((socket) => {
      socket.end()
    }),
    address,
    port,
  )
}

/** A guard until `closeAll`. */
export function guard(settings: Partial<OutboundSettings> = {}): Outbound {
  const outbound = createOutbound({ allowed: [], ...settings })
  cleanups.push(async () => outbound.close())
  return outbound
}

/** A resolver that answers these lists of addresses in order, and then the last one for ever. */
export function resolver(...turns: readonly (readonly string[])[]): Resolve & { asked: string[] } {
  const asked: string[] = []
  const resolve: Resolve = (host, _, answer) => {
    const turn = turns[Math.min(asked.length, turns.length - 1)] ?? []
    asked.push(host)
    const addresses = turn.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    process.nextTick(() => answer(null, addresses))
  }
  return Object.assign(resolve, { asked })
}

/** A GET over HTTP or HTTPS. */
export function get(url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest {
  const signal = new AbortController().signal
  return { method: 'GET', url, signal, protocols: ['http:', 'https:'], ...changes }
}

/** The body of a request, whole. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
