import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from '../client-steps.ts'
import { type Latencies, type Load, openLoop } from './load.ts'
import { readPaths } from './reads.ts'

/** A healthy client before and while many others hold their connections. */
export interface Slow {
  readonly sockets: number
  /** Those that the gateway still held when the healthy client ended. */
  readonly heldSockets: number
  readonly alone: Latencies
  readonly beside: Latencies
}

const perSecond = 200
const dripMs = 1000
const drips = 100

/** Opens sockets that send a byte from time to time, in the header or the body, or nothing at all. */
export async function measureSlow(
  stage: Stage,
  environmentId: string,
  { seconds, sockets }: { readonly seconds: number; readonly sockets: number },
): Promise<Slow> {
  const headers = { authorization: `Bearer ${stage.adminToken}` }
  const load: Load = { url: stage.gatewayUrl, paths: readPaths(environmentId), headers, seconds }
  const alone = await openLoop(load, perSecond)
  const { hostname, port } = new URL(stage.gatewayUrl)
  const open = new Set<Socket>()
  for (let index = 0; index < sockets; index += 1) {
    const socket = connect(Number(port), hostname)
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.resume()
    const beginning = beginnings[index % beginnings.length]
    if (beginning) socket.write(beginning)
    if (index % 200 === 0) await sleep(10)
  }
  let turn = 0
  // A few at a time, so that dripping does not hold up the healthy client, which lives in this process too.
  const drip = setInterval(() => {
    turn = (turn + 1) % drips
    let index = 0
    for (const socket of open) if (socket.bytesWritten > 0 && index++ % drips === turn) socket.write('x')
  }, dripMs / drips)
  const beside = await openLoop(load, perSecond)
  const heldSockets = open.size
  clearInterval(drip)
  for (const socket of open) socket.destroy()
  return { sockets, heldSockets, alone, beside }
}

const beginnings = [
  'GET /orgs HTTP/1.1\r\nHost: gateway\r\nX-Slow: ',
  'POST /auth/session HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"token":"',
  '',
]
