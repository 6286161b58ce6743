import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './failure.ts'

/** One call to the driver under test. */
export interface Call {
  readonly method: string
  /** What follows the target, as it stands: nothing of it is normalised. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** `cut` ends the connection once all is sent; `drip` sends the body in small pieces. */
  readonly manner?: 'cut' | 'drip'
}

export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A call and what came of it; the answer is absent where none came. */
export interface Exchange {
  readonly call: Call
  readonly answer?: Answer
}

export interface Client {
  /** Every answer is an answer; throws a Failure where none comes in time. */
  send(call: Call): Promise<Answer>
  /** Sends, and leaves before the answer. */
  cut(call: Call): Promise<void>
  /** All calls so far, the last one last. */
  readonly exchanges: readonly Exchange[]
}

const maxAnswerBytes = 8 * 1024 * 1024
const maxHeaderBytes = 128 * 1024
const dripBytes = 16
const maxDrips = 10

/** Calls the driver at `target` and waits no longer than `timeoutMs` for each answer. */
export function createClient(target: string, timeoutMs: number): Client {
  const exchanges: Exchange[] = []
  return {
    exchanges,
    async send(call) {
      const index = exchanges.push({ call }) - 1
      const answer = await exchange(target, call, timeoutMs)
      if (answer === undefined) throw new Failure(`${call.method} was cut`)
      exchanges[index] = { call, answer }
      return answer
    },
    async cut(call) {
      exchanges.push({ call: { ...call, manner: 'cut' } })
      await exchange(target, { ...call, manner: 'cut' }, timeoutMs)
    },
  }
}

/** Undefined for a call that was cut. */
function exchange(target: string, call: Call, timeoutMs: number): Promise<Answer | undefined> {
  const url = new URL(target)
  const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>()
  const body = Buffer.from(call.body ?? '')
  const request = (url.protocol === 'https:' ? https : http).request({
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: call.method,
    path: `${url.pathname.replace(/\/+$/, '')}/${call.path}`,
    headers: {
      accept: 'application/json',
      ...(call.body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(body.length) }),
      ...call.headers,
    },
    agent: false,
    maxHeaderSize: maxHeaderBytes,
    // What a driver sends is judged by the cases, not by the parser.
    insecureHTTPParser: true,
  })
  const timer = setTimeout(() => {
    reject(
      new Failure(
        `no answer within ${timeoutMs / 1000} s; a driver that needs longer answers 202 and is asked again`,
      ),
    )
    request.destroy()
  }, timeoutMs)
  request.on('response', (response) => {
    readAll(response).then(
      (text) => resolve({ status: response.statusCode ?? 0, headers: headersOf(response), text }),
      (error: Error) => reject(new Failure(`the connection closed during the answer: ${error.message}`)),
    )
  })
  request.on('error', (error) =>
    call.manner === 'cut' ? resolve(undefined) : reject(new Failure(`no answer: ${reasonOf(error)}`)),
  )
  deliver(request, call, body, () => resolve(undefined)).catch((error: Error) => reject(error))
  return promise.finally(() => {
    clearTimeout(timer)
    if (call.manner === 'cut') request.destroy()
  })
}

async function deliver(
  request: http.ClientRequest,
  { manner }: Call,
  body: Buffer,
  cut: () => void,
): Promise<void> {
  if (manner === 'cut') {
    request.end(body, cut)
    return
  }
  if (manner === 'drip') {
    const size = Math.max(dripBytes, Math.ceil(body.length / maxDrips))
    for (let start = 0; start < body.length && !request.destroyed; start += size) {
      request.write(body.subarray(start, start + size))
      await sleep(20)
    }
    request.end()
    return
  }
  request.end(body)
}

async function readAll(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new Error(`it has more than ${maxAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function headersOf({ headers }: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function reasonOf(error: Error & { code?: string }): string {
  return error.message || error.code || error.name
}
