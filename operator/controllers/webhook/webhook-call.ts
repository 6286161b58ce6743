import { annotations } from '../../api/names.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { Webhook, WebhookCall } from '../../api/webhook.ts'
import { Failed, Stalled, Waiting } from '../../domain/base/errors.ts'
import {
  bodyOf,
  faultOfSigningSecret,
  faultsOfWebhook,
  signatureOf,
  signingKey,
  targetOf,
} from '../../domain/deployment/webhook.ts'
import { redact } from '../../domain/secret/redact.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, watchKind } from '../../kube/loop/controller.ts'
import { conditionOf, isReady } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { InvalidHeader, TargetRefused } from '../../outbound/errors.ts'
import type { Outbound, OutboundRequest } from '../../outbound/outbound.ts'
import { createSecretReader } from '../shared/secrets.ts'
import { signingSecretOf } from './webhook.ts'

type Seen = Observed<typeof WebhookCall>

const totalMs = 10_000
const maxAnswerBytes = 65_536
const gone = 410
const secretRetrySeconds = 60

/** What the controller of webhook calls works with. */
export interface CallTools {
  readonly cluster: Cluster
  readonly outbound: Outbound
  /** A call that nobody took for so long is given up. */
  readonly giveUpSeconds: number
  /** A call that ended is kept for so long. */
  readonly keptSeconds: number
}

/** Sends calls until they are taken, with growing pauses, for a day; at least once, under an id that never changes. */
export function webhookCallController(tools: CallTools): Controller<typeof WebhookCall> {
  const { cluster, outbound } = tools
  const { store } = cluster
  return {
    kind: WebhookCall,
    // Sending waits apart; what is left to do is little.
    workers: 8,
    watches: [
      // What keeps a call from being sent may have been mended.
      watchKind(store.cacheOf(Webhook), ({ before, after }) =>
        after && before?.status !== after.status
          ? store
              .byIndex(WebhookCall, 'webhook', scoped(after, after.metadata.name))
              .filter((each) => !isOver(each))
              .map(keyOf)
          : [],
      ),
    ],
    async reconcile(call, context) {
      if (isOver(call)) return await ended(call)
      const redelivery = call.metadata.annotations?.[annotations.redeliver]
      const marked = redelivery === undefined ? {} : { redelivery }
      const webhook = store.get(Webhook, call.metadata.namespace ?? '', call.spec.webhookName)
      if (!webhook) throw givenUp('WebhookNotFound', `the webhook '${call.spec.webhookName}' is gone`, marked)
      if (webhook.spec.disabled) throw givenUp('Disabled', 'the webhook is disabled', marked)
      if (!isCallable(webhook))
        throw new Waiting('WebhookNotReady', `waiting for the webhook '${webhook.metadata.name}' to be ready`)
      const status = await context.releaseWorker(() => send(call, webhook, marked))
      return { ...marked, responseStatus: status, finishTime: new Date().toISOString() }
    },
  }

  /** An old call goes; any other stays as it ended. */
  async function ended(call: WebhookCall): Promise<Seen> {
    const { conditions: _, observedGeneration: __, ...seen } = call.status ?? {}
    const age = (Date.now() - Date.parse(seen.finishTime ?? '')) / 1000
    if (age > tools.keptSeconds) await cluster.remove(WebhookCall, call)
    const stalled = conditionOf(call, 'Stalled')
    if (stalled?.status === 'True') throw new Stalled(stalled.reason, stalled.message, seen)
    return seen
  }

  /** The HTTP status of whoever took it. */
  async function send(call: WebhookCall, webhook: Webhook, marked: Seen): Promise<number> {
    const { eventId, variables } = call.spec
    const secret = await signingSecretFor(webhook)
    const body = bodyOf(webhook.spec.payload, variables)
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'quartermaster-webhook',
      ...lowerCase(webhook.spec.headers ?? {}),
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secret, eventId, timestamp, body),
    }
    const secrets = [secret, webhook.spec.headers]
    try {
      const status = await statusOf({
        method: 'POST',
        url: targetOf(webhook.spec.url),
        headers,
        body,
        signal: AbortSignal.timeout(totalMs),
        totalMs,
        maxBytes: maxAnswerBytes,
      })
      if (status >= 200 && status < 300) return status
      const seen = { ...marked, responseStatus: status }
      if (status === gone) throw givenUp('Gone', 'the receiver says that it is gone for good: 410', seen)
      throw failed(call, `the receiver answered ${status}`, seen)
    } catch (error) {
      if (error instanceof Stalled || error instanceof Failed) throw error
      const message = redact(error instanceof Error ? error.message : String(error), secrets)
      if (error instanceof TargetRefused || error instanceof InvalidHeader)
        throw givenUp('TargetRefused', message, marked)
      throw failed(call, message, marked)
    }
  }

  /** The status decides; a body that is too long, or never ends, changes nothing about it. */
  async function statusOf(request: OutboundRequest): Promise<number> {
    let heard: number | undefined
    const onHeaders = async (status: number) => {
      heard = status
    }
    try {
      return (await outbound.request({ ...request, onHeaders })).status
    } catch (error) {
      if (heard === undefined) throw error
      return heard
    }
  }

  async function signingSecretFor(webhook: Webhook): Promise<string> {
    const name = signingSecretOf(webhook)
    const secret = await createSecretReader(cluster.client).read(webhook.metadata.namespace ?? '', name)
    const text = secret[signingKey]
    // The webhook was judged before somebody changed the Secret.
    const fault = faultOfSigningSecret(text)
    if (fault !== undefined)
      throw new Waiting(
        'InvalidSigningSecret',
        `waiting for the Secret '${name}': ${fault}`,
        secretRetrySeconds,
      )
    return String(text)
  }

  /** Tried again until it was tried for long enough; what somebody has sent again is tried once. */
  function failed({ metadata, status }: WebhookCall, message: string, seen: Seen): Error {
    const begun = Date.parse(metadata.creationTimestamp ?? '')
    const isTooLate = Date.now() - begun > tools.giveUpSeconds * 1000
    return isTooLate || status?.finishTime
      ? givenUp('GivenUp', `given up: ${message}`, seen)
      : new Failed('NotDelivered', message, seen)
  }
}

/** Whether it was taken or given up, and nobody asked for it to be sent again since. */
function isOver({ metadata, status }: WebhookCall): boolean {
  const redelivery = metadata.annotations?.[annotations.redeliver]
  return status?.finishTime !== undefined && (redelivery === undefined || redelivery === status.redelivery)
}

/** A webhook that is on its way out is not judged any more. */
function isCallable(webhook: Webhook): boolean {
  return webhook.metadata.deletionTimestamp ? faultsOfWebhook(webhook.spec).length === 0 : isReady(webhook)
}

function givenUp(reason: Reason, message: string, seen: Seen): Stalled {
  return new Stalled(reason, message, { ...seen, finishTime: new Date().toISOString() })
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
