import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer } from '../../dev/close-server.ts'
import type { FreeForm } from '../../operator/api/schema.ts'
import { Stalled, Waiting } from '../../operator/domain/base/errors.ts'
import { isObject } from '../../operator/domain/base/json.ts'
import { problemsOfInputs } from '../../operator/domain/definition/definition.ts'
import type { Cookie, Driver, Provisioned, ProvisionRequest } from '../../operator/drivers/driver.ts'
import { context } from './builders.ts'

/** A driver as a separate server. */
export interface ServedDriver {
  /** As a registration names it; any resource type. */
  readonly target: string
  close(): Promise<void>
}

/** An answer to a caller of a driver. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface Remembered {
  readonly identity: FreeForm
  readonly account?: FreeForm
}

const idPattern = /^[a-z0-9][a-z0-9-]+[a-z0-9]$/

/** Serves one of our drivers by the protocol of third-party ones; it has no neighbours there. */
export async function serveDriver(driver: Driver): Promise<ServedDriver> {
  const remembered = new Map<string, Remembered>()
  return serve(async (request, id) => {
    if (!idPattern.test(id))
      return refusal(400, 'InvalidId', 'the id holds other characters than a-z, 0-9, -')
    const { cookie, header } = cookieOf(request)
    if (request.method === 'DELETE') {
      const { identity = {}, account } = remembered.get(id) ?? {}
      const subject = { ...subjectOf(id, 'unknown'), identity, cookie, ...(account ? { account } : {}) }
      return replyOf(async () => {
        await driver.deprovision(subject)
        remembered.delete(id)
        return { status: 204 }
      })
    }
    if (request.method !== 'PUT') return refusal(405, 'MethodNotAllowed', 'there are PUT and DELETE')

    const body = jsonOf(await textOf(request))
    if (body === undefined) return refusal(400, 'InvalidBody', 'the body is no JSON')
    const inputs = inputsOf(body)
    if (!inputs) return refusal(422, 'InvalidBody', `'driver' is missing`)
    const [fault] = problemsOfInputs(driver.descriptor, inputs)
    if (fault !== undefined) return refusal(422, 'InvalidInputs', fault)
    return replyOf(async () => {
      const provision = { ...subjectOf(id, inputs.type), ...inputs, cookie }
      const { account } = inputs
      remembered.set(id, {
        identity: (await driver.identify?.(provision)) ?? {},
        ...(account ? { account } : {}),
      })
      const provisioned = await driver.provision(provision)
      return { status: 200, body: await bodyOf(id, inputs.type, provisioned), headers: header() }
    })
  })
}

/** A server on this machine that answers JSON; `answer` gets the last part of the path. */
export async function serve(
  answer: (request: IncomingMessage, id: string) => Promise<Reply>,
): Promise<ServedDriver> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const id = (request.url ?? '').split('/').slice(2).join('/')
    const reply = await answer(request, id).catch(() => refusal(500, 'Internal', 'it went wrong'))
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(reply.body === undefined ? undefined : text)
  }
  const server = createServer((request, response) => {
    void handle(request, response)
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  return {
    target: `http://127.0.0.1:${(server.address() as AddressInfo).port}/any`, // listens on a port
    close: () => closeServer(server),
  }
}

/** The whole body as text. */
export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Undefined for invalid JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An error as the protocol has it. */
export function refusal(status: number, error: string, message: string): Reply {
  return { status, body: { error, message } }
}

function subjectOf(guResId: string, type: string) {
  return {
    guResId,
    context: context(),
    type,
    class: 'default',
    resourceId: `shared.${type}`,
    namespace: 'acme--shop--dev',
    signal: AbortSignal.timeout(10_000),
  }
}

/** The account's credentials are among the secrets. */
function inputsOf(body: unknown) {
  if (!isObject(body) || !isObject(body.driver)) return undefined
  const { values = {}, secrets: given = {} } = body.driver
  const { resource: params = {}, type } = body
  if (!isObject(values) || !isObject(given) || !isObject(params) || typeof type !== 'string') return undefined
  const { account, ...secrets } = given
  const inputs: Pick<ProvisionRequest, 'values' | 'secrets' | 'params' | 'account' | 'neighbours' | 'type'> =
    {
      type,
      values,
      secrets,
      params,
      neighbours: {},
      ...(isObject(account) ? { account } : {}),
    }
  return inputs
}

async function bodyOf(id: string, type: string, { outputs, objects, outputsFrom }: Provisioned) {
  const { values, secrets } = outputsFrom ? await outputsFrom(objects, {}) : outputs
  return {
    id,
    type,
    resource: { values, secrets },
    manifests: objects.map((data) => ({ location: 'namespace', data })),
  }
}

async function replyOf(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Waiting) return { status: 202, body: { status: 'creating' } }
    if (error instanceof Stalled) return refusal(400, error.reason, error.message)
    throw error
  }
}

function cookieOf({ headers }: IncomingMessage): { cookie: Cookie; header: () => Record<string, string> } {
  let written: string | undefined
  const sent = headers['humanitec-driver-cookie']
  let current = typeof sent === 'string' ? Buffer.from(sent, 'base64').toString('utf8') : undefined
  return {
    cookie: {
      async read() {
        return current
      },
      async write(text) {
        current = text
        written = text === undefined ? '' : Buffer.from(text).toString('base64')
      },
    },
    header: (): Record<string, string> =>
      written === undefined ? {} : { 'set-humanitec-driver-cookie': written },
  }
}
