import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rule } from './misbehave.ts'
import { type Answer, failure } from './wire.ts'

/** A call that shall go wrong. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Does what the call asks for. */
  operate(): Answer
  /** Writes an answer, with the headers that all have. */
  send(answer: Answer): void
}

/** Treats a call as the rule says. */
export async function misbehave(rule: Rule, exchange: Exchange): Promise<void> {
  if (rule.do === 'slow') return answerSlowly(rule, exchange)
  if (rule.commit === 'before') exchange.operate()
  deeds[rule.do](rule, exchange)
  if (rule.commit === 'never' || rule.commit === 'before') return
  await sleep(rule.delayMs, undefined, { ref: false })
  exchange.operate()
}

async function answerSlowly(rule: Rule, { operate, send }: Exchange): Promise<void> {
  const early = rule.commit === 'before' ? operate() : undefined
  await sleep(rule.delayMs, undefined, { ref: false })
  if (rule.commit === 'never') return send(failure(rule.status, rule.errors))
  send(early ?? operate())
}

const deeds: Readonly<Record<Exclude<Rule['do'], 'slow'>, (rule: Rule, exchange: Exchange) => void>> = {
  status({ status, errors, retryAfter }, { send }) {
    const headers: Record<string, string> = {}
    if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
    send({ ...failure(status, errors), headers })
  },
  redirect({ status, location }, { send }) {
    send({ status, body: undefined, headers: { location } })
  },
  reset(_, { request }) {
    request.socket.resetAndDestroy()
  },
  hang() {},
  garbage(_, { response }) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":{"id":"0123')
  },
  flood({ delayMs }, { response }) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"success":true,"errors":[],"messages":[],"result":["')
    const drop = 'x'.repeat(16 * 1024)
    const drip = setInterval(() => {
      // A reader that does not read gets no more.
      if (!response.writableNeedDrain) response.write(drop)
    }, delayMs).unref()
    response.on('close', () => clearInterval(drip))
  },
}
