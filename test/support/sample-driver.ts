import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FreeForm } from '../../operator/api/schema.ts'
import { isObject } from '../../operator/domain/base/json.ts'
import { jsonOf, type Reply, refusal, type ServedDriver, serve, textOf } from './serve-driver.ts'

/** Everything that a driver can do wrong and that the contract suite has to find. */
export interface Defects {
  readonly put?: (reply: Reply, seen: Seen) => Reply | Promise<Reply>
  readonly delete?: (reply: Reply, seen: Seen) => Reply | Promise<Reply>
  readonly anything?: (reply: Reply, seen: Seen) => Reply | Promise<Reply>
  /** Whether it makes a new password whenever it has no cookie to know it from. */
  readonly forgets?: 'always' | 'without cookie'
  readonly ignoresUpdates?: boolean
  readonly sharesOneState?: boolean
  readonly answersAtOnce?: boolean
}

/** The input of a defect. */
export interface Seen {
  readonly request: IncomingMessage
  readonly id: string
  readonly text: string
  readonly knewIt: boolean
}

interface Bucket {
  readonly password: string
  values: FreeForm
  ready: boolean
}

const soon = {
  current_time: '2030-01-01T00:00:00Z',
  estimated_completion_time: '2030-01-01T00:00:00.020Z',
}

/** A small driver that keeps the contract, but for the defects that it is given. */
export async function serveSampleDriver(defects: Defects = {}): Promise<ServedDriver> {
  const buckets = new Map<string, Bucket>()
  return serve(async (request, id) => {
    const text = await textOf(request)
    const key = defects.sharesOneState ? 'the one' : id
    const seen = { request, id, text, knewIt: buckets.has(key) }
    const reply = answer(request, id, text)
    const bend =
      request.method === 'PUT' ? defects.put : request.method === 'DELETE' ? defects.delete : undefined
    const bent = bend ? await bend(reply, seen) : reply
    return defects.anything ? defects.anything(bent, seen) : bent

    function answer(request: IncomingMessage, id: string, text: string): Reply {
      if (!/^[0-9a-f]{40}$/.test(id)) return refusal(400, 'RES-100', 'the id is none')
      if (request.method === 'DELETE') {
        buckets.delete(key)
        return { status: 204 }
      }
      if (request.method !== 'PUT') return refusal(405, 'RES-105', 'there are PUT and DELETE')
      const body = jsonOf(text)
      if (!isObject(body)) return refusal(400, 'RES-101', 'the body is no JSON object')
      const { driver, type } = body
      if (!isObject(driver) || !isObject(driver.values)) return refusal(422, 'RES-102', `'driver' is missing`)
      const { region = 'north', contract_text } = driver.values
      if (typeof region !== 'string') return refusal(422, 'RES-103', `'region' is no text`)
      return provision(id, type, { region, ...(contract_text ? { contract_text } : {}) }, request)
    }

    function provision(id: string, type: unknown, values: FreeForm, request: IncomingMessage): Reply {
      const cookie = request.headers['humanitec-driver-cookie']
      const forgets = defects.forgets === 'always' || (defects.forgets === 'without cookie' && !cookie)
      const known = buckets.get(key)
      const ready = known?.ready ?? false
      const bucket =
        known && !forgets ? known : { password: randomUUID(), values, ready: defects.answersAtOnce ?? ready }
      buckets.set(key, bucket)
      if (!defects.ignoresUpdates) bucket.values = values
      const headers = { 'set-humanitec-driver-cookie': Buffer.from(id).toString('base64') }
      if (!bucket.ready) {
        bucket.ready = true
        return { status: 202, headers, body: { status: 'creating', ...soon } }
      }
      const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `bucket-${id}` } }
      return {
        status: 200,
        headers,
        body: {
          id,
          type,
          resource: {
            values: { ...bucket.values, bucket: defects.sharesOneState ? 'bucket' : `bucket-${id}` },
            secrets: { password: bucket.password },
          },
          manifests: [{ location: 'namespace', data: manifest }],
        },
      }
    }
  })
}

/** A 200 with its body bent; anything else as it is. */
export function bendOutputs(bend: (body: FreeForm) => unknown) {
  return (reply: Reply): Reply =>
    reply.status === 200 && isObject(reply.body)
      ? { ...reply, body: bend(structuredClone(reply.body)) }
      : reply
}

/** Never, as far as a caller can see. */
export async function hang(reply: Reply): Promise<Reply> {
  await sleep(20_000, undefined, { ref: false })
  return reply
}
