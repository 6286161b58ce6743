import { randomUUID } from 'node:crypto'
import { annotations } from '../../../operator/api/names.ts'
import { integer, list, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { type Webhook, WebhookCall } from '../../../operator/api/webhook.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isCallOf, redeliveryOf } from '../../../operator/domain/deployment/webhook.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { accepted, type Endpoint, endpoint } from '../../endpoint.ts'
import { acceptedShape, named } from '../../response/shapes.ts'
import { createdAt, organizationKey } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { findWebhook, webhookAccess } from './webhook-shape.ts'

const tag = 'Webhooks'
const callsPath = '/orgs/{org_id}/apps/{app_id}/webhooks/{webhook_id}/calls'

const callShape = named(
  'WebhookCall',
  object(
    {
      id: string('ID of the call.', { maxLength: 253 }),
      event: string('Event: `<scope>.<type>`.', { maxLength: 63 }),
      event_id: string('ID of the event, which the receiver gets in the header `webhook-id`.', {
        maxLength: 64,
      }),
      status: oneOf(
        ['pending', 'delivered', 'failed'],
        'Delivery state. `failed` means that no further attempt is made.',
      ),
      attempts: integer('Number of consecutive failed attempts, also when delivery is given up.'),
      created_at: time('Time when it was created.'),
    },
    {
      response_status: integer('HTTP status of the last response.'),
      message: string('Why it is not delivered.', { maxLength: 32_768 }),
      finished_at: time('Time when it was delivered or failed.'),
      next_attempt_at: time('Time of the next attempt.'),
    },
    'Delivery of one event to a webhook.',
  ),
)

function callsOf(store: Store, webhook: Webhook): readonly WebhookCall[] {
  const { namespace, name } = webhook.metadata
  return store
    .byIndex(WebhookCall, 'webhook', organizationKey(namespace, name))
    .filter((call) => !call.metadata.deletionTimestamp && isCallOf(webhook, call))
}

/** Newest first; calls created in the same second are ordered by the event. */
function stateOf(call: WebhookCall): 'pending' | 'delivered' | 'failed' {
  const { status } = call
  const redelivery = redeliveryOf(call)
  const isAgain = redelivery !== undefined && redelivery !== status?.redelivery
  if (!status?.finishTime || isAgain) return 'pending'
  return conditionOf(call, 'Stalled')?.status === 'True' ? 'failed' : 'delivered'
}

function toCall(call: WebhookCall) {
  const { metadata, spec, status } = call
  const state = stateOf(call)
  const { attempts = 0, responseStatus, finishTime, nextAttemptTime } = status ?? {}
  const message = state === 'delivered' ? '' : (conditionOf(call, 'Ready')?.message ?? '')
  return {
    id: metadata.name,
    event: spec.event,
    event_id: spec.eventId,
    status: state,
    attempts,
    created_at: createdAt(call),
    response_status: responseStatus,
    message: message || undefined,
    finished_at: state === 'pending' ? undefined : finishTime,
    next_attempt_at: state === 'pending' ? nextAttemptTime : undefined,
  }
}

/** Calls of webhooks. */
export const webhookCalls: readonly Endpoint[] = [
  listEndpoint({
    path: callsPath,
    summary: 'List the calls of a webhook, newest first',
    tag,
    access: webhookAccess,
    response: list(callShape, 'Calls.'),
    find: ({ params }, { cluster: { store } }) => callsOf(store, findWebhook(store, params)),
    positionOf: (call) => [createdAt(call), call.spec.variables['triggered_at'] ?? '', call.metadata.name],
    isDescending: true,
    show: toCall,
  }),
  endpoint({
    method: 'post',
    path: `${callsPath}/{call_id}/redeliver`,
    summary: 'Redeliver a webhook call',
    tag,
    access: webhookAccess,
    responses: { 202: acceptedShape },
    async handle({ params }, { cluster }) {
      const calls = callsOf(cluster.store, findWebhook(cluster.store, params))
      const call = calls.find(({ metadata }) => metadata.name === params.call_id)
      if (!call) throw new Problem('NotFound', `call '${params.call_id}' not found`)
      const mark = { [annotations.redeliver]: randomUUID() }
      await cluster.patch(WebhookCall, call, { metadata: { uid: call.metadata.uid, annotations: mark } })
      return accepted
    },
  }),
]
