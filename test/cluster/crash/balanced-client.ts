import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../support/client.ts'

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of many shapes
  readonly body: any
}

/** How a client knows that a write whose answer it never got was done. */
interface Repetition {
  /** A key with which the gateway recognizes the repetition. */
  readonly key?: string
  /** A read that succeeds afterwards, or that finds nothing. */
  readonly isDone?: string
  readonly isGone?: string
}

/** A REST client behind a load balancer: each request is sent to one of several gateways, which may be killed. */
export interface BalancedClient {
  /** Connections that broke. */
  readonly broken: number
  /** Answers with a status of 500 or more, as `operation status body`. */
  readonly serverErrors: readonly string[]
  /** Sends a request again until a gateway answers. */
  send(operation: string, body?: unknown, key?: string): Promise<Answer>
  /** Does a write once, however often it must be sent; returns the body of the answer. */
  do(operation: string, body: unknown, repetition: Repetition): Promise<Answer['body']>
  /** Reads until it is there: the other gateway may not know it yet. */
  until(operation: string): Promise<void>
}

const patienceMs = 120_000
const pauseMs = 100

export function createBalancedClient(urls: () => readonly string[], token: string): BalancedClient {
  const serverErrors: string[] = []
  let broken = 0
  let turn = 0

  async function sendOnce(operation: string, body: unknown, key: string | undefined) {
    const [method = '', path = ''] = operation.split(' ')
    turn += 1
    const url = urls()[turn % urls().length] ?? ''
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    try {
      const answer = await fetch(url + path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      const text = await answer.text()
      if (answer.status >= 500) serverErrors.push(`${operation} ${answer.status} ${text}`)
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
    } catch {
      broken += 1
      return undefined
    }
  }

  const client: BalancedClient = {
    get broken() {
      return broken
    },
    serverErrors,
    async send(operation, body, key) {
      const deadline = Date.now() + patienceMs
      while (Date.now() < deadline) {
        const answer = await sendOnce(operation, body, key)
        if (answer) return answer
        await sleep(pauseMs)
      }
      throw new Error(`no gateway answered '${operation}'`)
    },
    async do(operation, body, { key, isDone, isGone }) {
      const answer = await eventually(`'${operation}'`, patienceMs, async () => {
        const found = await client.send(operation, body, key)
        if (found.status < 300) return found
        // An earlier try may have done it.
        if (isDone !== undefined && (await client.send(isDone)).status === 200) return found
        if (isGone !== undefined && (await client.send(isGone)).status === 404) return found
        throw new Error(`${found.status} ${JSON.stringify(found.body)}`)
      })
      return answer.body
    },
    async until(operation) {
      await eventually(`'${operation}'`, patienceMs, async () => {
        const { status } = await client.send(operation)
        return status === 200 || undefined
      })
    },
  }
  return client
}
