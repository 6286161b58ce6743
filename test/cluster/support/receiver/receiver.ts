import type { ServerResponse } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { issueCertificate } from '../../../../dev/development-authority.ts'
import { eventually } from '../client.ts'

/** A call as it arrived. */
export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** How calls are answered: with a status, or by hand. */
export type Answer = number | ((response: ServerResponse, call: ReceivedCall) => void)

/** Never answers. */
export const hang: Answer = () => {}

/** Answers 200 with an endless body. */
export const flood: Answer = (response) => {
  response.writeHead(200)
  const more = setInterval(() => response.write('x'.repeat(65_536)), 1)
  response.on('close', () => clearInterval(more))
}

/** Sends the caller somewhere else. */
export const redirectTo =
  (status: number, location: string): Answer =>
  (response) =>
    response.writeHead(status, { location }).end()

/** An HTTPS server on this machine that writes down all calls. */
export interface Receiver {
  readonly port: number
  /** The address of a path, as a webhook names it. */
  url(path: string): string
  /** Answers calls of a path in this order, then repeats the last answer; 200 by default. */
  answer(path: string, ...answers: readonly Answer[]): void
  /** Calls of a path, or all, oldest first. */
  calls(path?: string): readonly ReceivedCall[]
  /** Waits for so many calls of a path. */
  awaitCalls(path: string, count: number, withinMs?: number): Promise<readonly ReceivedCall[]>
  /** TCP connections so far. */
  readonly connections: number
  close(): Promise<void>
}

/** A receiver under `localhost`, with a certificate of the development authority in `directory` or with other options. */
export async function startReceiver(directory: string, options?: ServerOptions): Promise<Receiver> {
  const calls: ReceivedCall[] = []
  const answers = new Map<string, Answer[]>()
  const sockets = new Set<Socket>()
  let connections = 0

  const server = createServer(options ?? (await trustedBy(directory)), (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const { method = '', url: path = '', rawHeaders } = request
      const headers = request.headers as Record<string, string> // none that is a list
      const call = { method, path, headers, rawHeaders, body: Buffer.concat(chunks).toString() }
      calls.push(call)
      const queue = answers.get(path) ?? []
      const answer = (queue.length > 1 ? queue.shift() : queue[0]) ?? 200
      if (typeof answer === 'number') response.writeHead(answer).end()
      else answer(response, call)
    })
  })
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', 4096, resolve)
  })
  const { port } = server.address() as AddressInfo // a server over TCP
  const callsOf = (path?: string) => (path === undefined ? calls : calls.filter((each) => each.path === path))

  return {
    port,
    url: (path) => `localhost:${port}${path}`,
    answer(path, ...given) {
      answers.set(path, [...given])
    },
    calls: callsOf,
    awaitCalls: (path, count, withinMs = 30_000) =>
      eventually(`${count} calls of '${path}'`, withinMs, async () => {
        const found = callsOf(path)
        if (found.length < count) throw new Error(`there are ${found.length}`)
        return found
      }),
    get connections() {
      return connections
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

async function trustedBy(directory: string): Promise<ServerOptions> {
  const { crt, key } = await issueCertificate(directory, ['localhost'])
  return { cert: crt, key }
}
