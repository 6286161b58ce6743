import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Calls } from './calls.ts'
import type { Rule, Rules } from './rules.ts'

/** What the receiver keeps in mind. */
export interface Memory {
  readonly calls: Calls
  readonly rules: Rules
}

type Fields = Readonly<Record<string, unknown>>

const controls: Readonly<Record<string, (memory: Memory, body: Fields) => unknown>> = {
  'GET /__received': ({ calls }) => calls.all(),
  'DELETE /__received': ({ calls }) => calls.clear(),
  'POST /__secrets': ({ calls }, { path, secret }) => calls.trust(String(path), String(secret)),
  'GET /__misbehave': ({ rules }) => rules.show(),
  'POST /__misbehave': ({ rules }, body) => rules.add(body),
  'DELETE /__misbehave': ({ rules }) => rules.clear(),
}

/** Serves one request: a call, or of the hands behind the receiver. */
export async function serve(
  memory: Memory,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url: path = '/' } = request
  const body = await read(request)
  if (path.startsWith('/__')) return answerControl(memory, `${method} ${path}`, body, response)
  memory.calls.add({ method, path, headers: plainHeaders(request), body })
  const rule = memory.rules.next(path)
  if (rule) return deeds[rule.do](rule, request, response)
  response.writeHead(200).end()
}

function answerControl(memory: Memory, what: string, body: string, response: ServerResponse): void {
  const answer = (status: number, said: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  }
  const run = controls[what]
  if (!run) return answer(404, { message: `nothing is at '${what}'` })
  try {
    const fields: Fields = body === '' ? {} : JSON.parse(body)
    answer(200, run(memory, fields) ?? {})
  } catch (error) {
    answer(400, { message: error instanceof Error ? error.message : String(error) })
  }
}

type Deed = (rule: Rule, request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const deeds: Readonly<Record<Rule['do'], Deed>> = {
  status({ status }, _, response) {
    response.writeHead(status).end()
  },
  redirect({ status, location }, _, response) {
    response.writeHead(status, { location }).end()
  },
  async slow({ status, delayMs }, _, response) {
    await sleep(delayMs, undefined, { ref: false })
    if (!response.destroyed) response.writeHead(status).end()
  },
  hang() {},
  reset(_, request) {
    request.socket.destroy()
  },
  flood({ status }, _, response) {
    response.writeHead(status)
    const drop = 'x'.repeat(16 * 1024)
    const drip = setInterval(() => {
      // A reader that does not read gets no more.
      if (!response.writableNeedDrain) response.write(drop)
    }, 1).unref()
    response.on('close', () => clearInterval(drip))
  },
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function plainHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  )
}
