import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer } from '../../../dev/close-server.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'

/** One answer; `hang` gives none, `break` ends the connection, `lose` does so when the work is done. */
export interface Answer {
  readonly status: number
  /** JSON, but a text as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
export type Misbehaviour = Answer | 'hang' | 'break' | 'lose' | 'endless'

/** One received request. */
export interface Entry {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A driver that follows the protocol, and its journal; `next` has answers that replace the usual ones. */
export interface HttpDriverServer {
  readonly target: string
  readonly journal: readonly Entry[]
  /** Ids of the existing instances. */
  readonly existing: ReadonlySet<string>
  /** The next answers, each once, in this order. */
  readonly next: Misbehaviour[]
  close(): Promise<void>
}

/** Knobs of the well-behaved part. */
export interface Behaviour {
  /** Outputs and manifests for an input. */
  readonly answer?: (input: FreeForm, id: string) => FreeForm
  /** Answers 202 with the whole outputs at first, and 200 only to a request with the cookie. */
  readonly createsInTwoSteps?: boolean
}

const header = 'set-humanitec-driver-cookie'

/** A reference driver on a separate port. */
export async function startHttpDriverServer(behaviour: Behaviour = {}): Promise<HttpDriverServer> {
  const { createsInTwoSteps = false, answer = echo } = behaviour
  const journal: Entry[] = []
  const existing = new Set<string>()
  const next: Misbehaviour[] = []

  function behave({ method, url, headers, body }: Entry): Answer {
    const id = url.replace(/\?.*$/, '').split('/').pop() ?? ''
    const cookie = headers['humanitec-driver-cookie']
    if (method === 'DELETE') {
      if (!existing.delete(id)) return { status: 404, body: 'not provisioned' }
      return { status: 204, headers: { [header]: '' } }
    }
    if (method !== 'PUT') return { status: 405 }
    const output = { id, ...answer(JSON.parse(body) as FreeForm, id) } // created by this gateway
    const isNew = !existing.has(id)
    existing.add(id)
    const status = createsInTwoSteps && (isNew || cookie === undefined) ? 202 : 200
    return { status, body: output, headers: { [header]: `made-${id.slice(0, 4)}` } }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const entry = { method, url, headers, body: Buffer.concat(chunks).toString() }
    journal.push(entry)
    const misbehaviour = next.shift()
    if (misbehaviour === 'lose') behave(entry)
    give(misbehaviour ?? behave(entry), request, response)
  }

  const server = createServer((request, response) => {
    void serve(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    target: `http://127.0.0.1:${(server.address() as AddressInfo).port}/driver`,
    journal,
    existing,
    next,
    close: () => closeServer(server),
  }
}

function give(answer: Misbehaviour, request: IncomingMessage, response: ServerResponse): void {
  if (answer === 'hang') return
  if (answer === 'break' || answer === 'lose') {
    request.socket.destroy()
    return
  }
  if (answer === 'endless') {
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.writeHead(200, { [header]: 'endless' }).on('drain', more)
    more()
    return
  }
  const { status, body, headers = {} } = answer
  const text = typeof body === 'string' || body === undefined ? (body ?? '') : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

function echo(input: FreeForm): FreeForm {
  const { values, secrets } = input.driver as { values: FreeForm; secrets: FreeForm } // created by this gateway
  return { type: input.type, resource: { values, secrets }, manifests: null }
}
