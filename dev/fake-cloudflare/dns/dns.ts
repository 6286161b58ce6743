import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import dnsPacket, { type DecodedPacket, type Packet, type Question } from 'dns-packet'
import type { Resolution } from './resolve.ts'

/** A DNS server on one port, by UDP and TCP. */
export interface DnsServer {
  readonly port: number
  close(): Promise<void>
}

const { AUTHORITATIVE_ANSWER, RECURSION_DESIRED, TRUNCATED_RESPONSE, decode, encode } = dnsPacket
const codes = { NOERROR: 0, FORMERR: 1, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const
const udpBytes = 512
const idleMs = 10_000
const attempts = 20

/** Listens on a port (0 for a free one) and answers with what `answer` says. */
export async function startDns(
  host: string,
  port: number,
  answer: (question: Question) => Resolution,
): Promise<DnsServer> {
  const { tcp, udp } = await listen(host, port, port === 0 ? attempts : 1)
  const connections = new Set<Socket>()
  udp.on('error', () => {})
  udp.on('message', (message, peer) => {
    const reply = replyTo(message, answer, true)
    if (reply) udp.send(reply, peer.port, peer.address)
  })
  tcp.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    serveConnection(socket, answer)
  })
  return {
    port: udp.address().port,
    async close() {
      for (const socket of connections) socket.destroy()
      await Promise.all([
        new Promise<void>((resolve) => void udp.close(() => resolve())),
        new Promise<void>((resolve) => void tcp.close(() => resolve())),
      ])
    },
  }
}

/** The port that is free for TCP may be taken for UDP: then another is tried. */
async function listen(host: string, port: number, left: number): Promise<{ tcp: Server; udp: UdpSocket }> {
  const tcp = createServer().listen(port, host)
  await once(tcp, 'listening')
  const address = tcp.address()
  const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  udp.bind(typeof address === 'object' ? (address?.port ?? port) : port, host)
  try {
    await once(udp, 'listening')
    return { tcp, udp }
  } catch (error) {
    udp.close()
    tcp.close()
    if (left <= 1) throw error
    return listen(host, port, left - 1)
  }
}

function serveConnection(socket: Socket, answer: (question: Question) => Resolution): void {
  let waiting = Buffer.alloc(0)
  socket.setTimeout(idleMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
      const end = 2 + waiting.readUInt16BE(0)
      const reply = replyTo(waiting.subarray(2, end), answer, false)
      waiting = waiting.subarray(end)
      if (!reply) continue
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      socket.write(Buffer.concat([length, reply]))
    }
  })
}

/** The reply to a message; none to what is no question. */
function replyTo(
  message: Buffer,
  answer: (question: Question) => Resolution,
  isDatagram: boolean,
): Buffer | undefined {
  const query = decoded(message)
  if (query === undefined) return formatError(message)
  if (query.type !== 'query') return undefined
  const reply = replyPacket(query, answer)
  const bytes = encode(reply)
  if (!isDatagram || bytes.length <= acceptedBytes(query)) return bytes
  return encode({
    ...reply,
    flags: (reply.flags ?? 0) | TRUNCATED_RESPONSE,
    answers: [],
    authorities: [],
  })
}

function replyPacket(query: DecodedPacket, answer: (question: Question) => Resolution): Packet {
  const questions = query.questions ?? []
  const [question] = questions
  const flags = (query.flags ?? 0) & RECURSION_DESIRED
  const reply = { type: 'response', id: query.id ?? 0, questions } as const
  if ((((query.flags ?? 0) >> 11) & 0xf) !== 0) return { ...reply, flags: flags | codes.NOTIMP }
  if (!question || questions.length > 1) return { ...reply, flags: flags | codes.FORMERR }
  const { rcode, answers, authorities } = answer(question)
  const authority = rcode === 'REFUSED' ? 0 : AUTHORITATIVE_ANSWER
  return {
    ...reply,
    flags: flags | authority | codes[rcode],
    answers: [...answers],
    authorities: [...authorities],
    additionals: hasOptions(query)
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: 1232,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  }
}

function hasOptions(query: DecodedPacket): boolean {
  return (query.additionals ?? []).some(({ type }) => type === 'OPT')
}

function acceptedBytes(query: DecodedPacket): number {
  const options = (query.additionals ?? []).find((each) => each.type === 'OPT')
  return Math.max(udpBytes, options?.udpPayloadSize ?? 0)
}

function decoded(message: Buffer): DecodedPacket | undefined {
  try {
    return decode(message)
  } catch {
    return undefined
  }
}

function formatError(message: Buffer): Buffer | undefined {
  if (message.length < 12) return undefined
  return encode({ type: 'response', id: message.readUInt16BE(0), flags: codes.FORMERR })
}
