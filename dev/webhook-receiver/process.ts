import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { eventually } from '../control-plane/kubernetes.ts'
import { freePorts } from '../control-plane/processes.ts'
import { startService, stopService } from '../supervision.ts'
import type { ReceivedCall } from './calls.ts'

const startsWithinMs = 15_000
const name = 'webhook-receiver'

/** Where the receiver of webhook calls is. */
export interface RunningReceiver {
  /** `https://localhost:<port>`, by a certificate of the development authority. */
  readonly url: string
  received(): Promise<readonly ReceivedCall[]>
  /** Makes the secret known that signs the calls to a path. */
  trust(path: string, secret: string): Promise<void>
}

/** Starts the receiver as a separate process, in place of one that an earlier start left. */
export async function startReceiverProcess(directory: string, detached = false): Promise<RunningReceiver> {
  await stopReceiver(directory)
  const [port = 0] = await freePorts(1)
  await startService({
    binary: process.execPath,
    args: [join(import.meta.dirname, 'main.ts'), `--port=${port}`, `--directory=${directory}/`],
    logFile: join(directory, `${name}.log`),
    pidFile: join(directory, `${name}.pid`),
    detached,
  })
  const url = `https://localhost:${port}`
  const ca = await readFile(join(directory, 'ca.crt'), 'utf8')
  const received = async (): Promise<ReceivedCall[]> => JSON.parse(await ask(ca, 'GET', `${url}/__received`))
  await eventually(name, startsWithinMs, received)
  return {
    url,
    received,
    async trust(path, secret) {
      await ask(ca, 'POST', `${url}/__secrets`, { path, secret })
    },
  }
}

/** Ends the one that an earlier start left in this directory. */
export async function stopReceiver(directory: string): Promise<void> {
  await stopService(join(directory, `${name}.pid`), directory, 5000)
}

/** The body of an answer; `fetch` reads certificate authorities only when its process starts. */
async function ask(ca: string, method: string, url: string, body?: unknown): Promise<string> {
  const call = request(url, { method, ca, agent: false, family: 4 })
  call.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer]: IncomingMessage[] = await once(call, 'response')
  if (!answer) throw new Error(`no answer from '${url}'`)
  const said = await text(answer)
  if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.statusCode} ${said}`)
  return said
}
