import type { Reason } from '../../api/reasons/reasons.ts'
import { Webhook, WebhookCall } from '../../api/webhook.ts'
import { ReconcileError, Stalled, Waiting } from '../../domain/base/errors.ts'
import {
  bodyOf,
  isCallOf,
  problemOfSigningSecret,
  problemsOfWebhook,
  redeliveryOf,
  signatureOf,
  signingKey,
  targetOf,
} from '../../domain/deployment/webhook.ts'
import { redact } from '../../domain/secret/redact.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { type Controller, type WorkContext, watchKind } from '../../kube/loop/controller.ts'
import { conditionOf, isReady } from '../../kube/loop/outcome.ts'
import type { Observed } from '../../kube/loop/status.ts'
import { InvalidHeader, TargetRefused } from '../../outbound/errors.ts'
import type { Outbound, OutboundRequest } from '../../outbound/outbound.ts'
import { observedOf } from '../objects/observed.ts'
import { createSecretReader } from '../shared/secrets.ts'
import { signingSecretOf } from './webhook.ts'

type CallStatus = Observed<typeof WebhookCall>

const totalMs = 10_000
const maxAnswerBytes = 65_536
const gone = 410
const secretRetrySeconds = 60

/** What the controller of webhook calls depends on. */
export interface CallTools {
  readonly cluster: Cluster
  readonly outbound: Outbound
  /** A call that is not delivered after this time is given up. */
  readonly giveUpSeconds: number
  /** A finished call is deleted after this time. */
  readonly keptSeconds: number
  /** Milliseconds since 1970 by the clock of the API server: it sets the times of creation, and all processes have the same. */
  readonly serverNow: () => number
}

/** Sends calls, with back-off, until the receiver accepts them: at least once, and always under the same id. */
export function webhookCallController(tools: CallTools): Controller<typeof WebhookCall> {
  const { store } = tools.cluster
  return {
    kind: WebhookCall,
    isRun: true,
    // Requests run outside of the workers.
    workers: 8,
    watches: [
      watchKind(store.cacheOf(Webhook), ({ before, after }) => {
        if (!after || before?.status === after.status) return []
        const calls = store.byIndex(WebhookCall, 'webhook', scoped(after, after.metadata.name))
        return calls.filter((each) => !isFinished(each)).map(keyOf)
      }),
    ],
    reconcile: (call, context) =>
      isFinished(call) ? finishedStatus(call, tools) : deliver(call, tools, context),
  }
}

/** Deletes a call that finished long ago; returns the status of a finished call, or throws the error that it ended with. */
async function finishedStatus(
  call: WebhookCall,
  { cluster, keptSeconds, serverNow }: CallTools,
): Promise<CallStatus> {
  const status = seenBefore(call)
  const age = (serverNow() - Date.parse(status.finishTime ?? '')) / 1000
  if (age > keptSeconds) await cluster.remove(WebhookCall, call)
  const stalled = conditionOf(call, 'Stalled')
  if (stalled?.status === 'True') throw new Stalled(stalled.reason, stalled.message, status)
  return status
}

async function deliver(
  call: WebhookCall,
  tools: CallTools,
  context: Pick<WorkContext<typeof WebhookCall>, 'releaseWorker'>,
): Promise<CallStatus> {
  const { namespace } = call.metadata
  const attempt: CallStatus = { redelivery: redeliveryOf(call), attempts: call.status?.attempts }
  const webhook = tools.cluster.store.get(Webhook, namespace, call.spec.webhookName)
  if (!webhook || !isCallOf(webhook, call))
    throw givenUp('WebhookNotFound', `the webhook '${call.spec.webhookName}' is deleted`, attempt, tools)
  if (webhook.spec.disabled) throw givenUp('Disabled', 'the webhook is disabled', attempt, tools)
  if (!isCallable(webhook)) throw notReady(call, webhook, attempt, tools)
  const responseStatus = await context.releaseWorker(() => send(call, webhook, attempt, tools))
  return { ...attempt, attempts: undefined, responseStatus, finishTime: timeOf(tools) }
}

/** The error for a webhook that cannot be called. A change that is not judged yet may have corrected it. */
function notReady(
  call: WebhookCall,
  { metadata, status }: Webhook,
  attempt: CallStatus,
  tools: CallTools,
): Error {
  const message = `waiting for the webhook '${metadata.name}' to be ready`
  const wait = new Waiting('WebhookNotReady', message, undefined, seenBefore(call))
  const isJudged = metadata.deletionTimestamp || status?.observedGeneration === metadata.generation
  return isJudged ? bounded(call, wait, attempt, tools) : wait
}

/** Ends a call that waits for too long. One that is sent again at the request of a user waits as before. */
function bounded(call: WebhookCall, wait: Waiting, attempt: CallStatus, tools: CallTools): Error {
  if (call.status?.finishTime || !isTooLate(call, tools)) return wait
  return givenUp('GivenUp', `given up: ${wait.message}`, attempt, tools)
}

/** Sends the request and returns the HTTP status; throws unless the receiver accepted it. */
async function send(
  call: WebhookCall,
  webhook: Webhook,
  attempt: CallStatus,
  tools: CallTools,
): Promise<number> {
  const secret = await readSigningSecret(call, webhook, tools.cluster).catch((error: unknown) => {
    throw error instanceof Waiting ? bounded(call, error, attempt, tools) : error
  })
  const failure = { ...attempt, attempts: (attempt.attempts ?? 0) + 1 }
  try {
    const status = await statusOf(requestFor(call, webhook, secret), tools.outbound)
    if (status >= 200 && status < 300) return status
    const seen = { ...failure, responseStatus: status }
    if (status === gone)
      throw givenUp('Gone', 'the receiver answered 410 (Gone): the call is not repeated', seen, tools)
    throw failed(call, `the receiver answered ${status}`, seen, tools)
  } catch (error) {
    if (error instanceof Stalled || error instanceof ReconcileError) throw error
    const text = error instanceof Error ? error.message : String(error)
    const message = redact(text, [secret, webhook.spec.headers])
    if (error instanceof TargetRefused || error instanceof InvalidHeader)
      throw givenUp('TargetRefused', message, attempt, tools) // nothing was sent
    throw failed(call, message, failure, tools)
  }
}

function requestFor({ spec }: WebhookCall, webhook: Webhook, secret: string): OutboundRequest {
  const body = bodyOf(webhook.spec.payload, spec.variables)
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    method: 'POST',
    url: targetOf(webhook.spec.url),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'quartermaster-webhook',
      ...lowerCase(webhook.spec.headers ?? {}),
      'webhook-id': spec.eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secret, spec.eventId, timestamp, body),
    },
    body,
    signal: AbortSignal.timeout(totalMs),
    totalMs,
    maxBytes: maxAnswerBytes,
  }
}

/** Returns the HTTP status as soon as the headers are there, also when the body is too long or never ends. */
async function statusOf(request: OutboundRequest, outbound: Outbound): Promise<number> {
  let received: number | undefined
  const onHeaders = async (status: number) => {
    received = status
  }
  try {
    return (await outbound.request({ ...request, onHeaders })).status
  } catch (error) {
    if (received === undefined) throw error
    return received
  }
}

async function readSigningSecret(call: WebhookCall, webhook: Webhook, { client }: Cluster): Promise<string> {
  const name = signingSecretOf(webhook)
  const secret = await createSecretReader(client).read(webhook.metadata.namespace, name)
  const text = secret[signingKey]
  // The Secret may have changed since the webhook became ready.
  const problem = problemOfSigningSecret(text)
  if (problem === undefined) return String(text)
  throw new Waiting(
    'InvalidSigningSecret',
    `waiting for the Secret '${name}': ${problem}`,
    secretRetrySeconds,
    seenBefore(call),
  )
}

/** What the status says of a call that is not sent now, with the attempts so far. */
function seenBefore(call: WebhookCall): CallStatus {
  return { ...observedOf(call), attempts: call.status?.attempts }
}

/** Whether the time limit of a call is over. */
function isTooLate({ metadata }: WebhookCall, { giveUpSeconds, serverNow }: CallTools): boolean {
  return serverNow() - Date.parse(metadata.creationTimestamp) > giveUpSeconds * 1000
}

/** Returns the error to retry with; gives up after the time limit, and after one attempt of a redelivery. */
function failed(call: WebhookCall, message: string, seen: CallStatus, tools: CallTools): Error {
  return isTooLate(call, tools) || call.status?.finishTime
    ? givenUp('GivenUp', `given up: ${message}`, seen, tools)
    : new ReconcileError('NotDelivered', message, seen)
}

/** Whether the call was accepted or given up, and no redelivery is requested. */
function isFinished(call: WebhookCall): boolean {
  const { status } = call
  const redelivery = redeliveryOf(call)
  return status?.finishTime !== undefined && (redelivery === undefined || redelivery === status.redelivery)
}

/** A terminating webhook is no longer reconciled, so its conditions do not count. */
function isCallable(webhook: Webhook): boolean {
  return webhook.metadata.deletionTimestamp ? problemsOfWebhook(webhook.spec).length === 0 : isReady(webhook)
}

function givenUp(reason: Reason, message: string, seen: CallStatus, tools: CallTools): Stalled {
  return new Stalled(reason, message, { ...seen, finishTime: timeOf(tools) })
}

function timeOf({ serverNow }: CallTools): string {
  return new Date(serverNow()).toISOString()
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
