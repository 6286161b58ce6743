import { newObject, type ObjectMeta } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { Webhook, WebhookCall } from '../../../operator/api/webhook.ts'
import { webhookCallController } from '../../../operator/controllers/webhook/webhook-call.ts'
import { outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { nextStatus, statusOfError } from '../../../operator/kube/loop/status.ts'
import type { OutboundRequest } from '../../../operator/outbound/outbound.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { ready } from '../../api-gateway/support/objects.ts'
import { silentContext } from './context.ts'
import type { FakeObjects } from './fake-objects.ts'
import { signingSecret, webhook, withSecrets } from './webhooks.ts'

/** The secret that signs the calls of the webhook `hook`, and the name of its Secret. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
export const secretName = 'hook-webhook-signing'
export const daySeconds = 24 * 3600
const variables = { event: 'deployment.finished', status: 'succeeded', org_id: 'acme', app_id: 'shop' }

/** An operator that sends the one call `hook.1` of the webhook `hook`. */
export function createCallWorld() {
  const fake = createFakeCluster()

  const world = {
    cluster: fake as FakeCluster,
    objects: undefined as unknown as FakeObjects, // made by `reset`
    controller: undefined as unknown as ReturnType<typeof webhookCallController>, // made by `begin`
    /** A sent request. */
    requests: [] as OutboundRequest[],
    /** Answers each request with a status, or throws. */
    answer: async (_: OutboundRequest): Promise<number> => 200,
    /** The clock of the API server. */
    serverNow: () => Date.now(),

    reset(): void {
      fake.reset()
      Object.assign(world, withSecrets(fake))
      world.requests = []
      world.answer = async () => 200
      world.serverNow = () => Date.now()
      world.start()
    },

    /** Starts a process. */
    start(): void {
      world.controller = webhookCallController({
        cluster: world.cluster,
        outbound: {
          async request(request) {
            world.requests.push(request)
            return { status: await world.answer(request), headers: {}, text: 'secret words of the receiver' }
          },
          close: async () => {},
        },
        giveUpSeconds: daySeconds,
        keptSeconds: 3 * daySeconds,
        serverNow: () => world.serverNow(),
      })
    },

    putWebhook(
      spec: Partial<Webhook['spec']> = {},
      status: object = { ...ready, observedGeneration: 1 },
      metadata: Partial<ObjectMeta> = {},
    ) {
      world.objects.put(signingSecret(secretName, secret))
      return world.cluster.put(Webhook, { ...webhook('hook', spec, metadata), status } as Webhook) // as a status holds it
    },

    putCall(metadata: Partial<ObjectMeta> = {}, status: object = {}): WebhookCall {
      const own = { namespace: 'acme', name: 'hook.1', uid: 'call', generation: 1, ...agedBy(0), ...metadata }
      const spec = { webhookName: 'hook', eventId: 'event-1', event: 'deployment.finished', variables }
      const call = { ...newObject(WebhookCall, own, spec), status }
      return world.cluster.put(WebhookCall, call as WebhookCall) // as a status holds it
    },

    /** Asks for the call to be sent again. */
    redeliver(value: string): void {
      const { metadata } = world.now()
      const marks = { ...metadata.annotations, [annotations.redeliver]: value }
      world.cluster.put(WebhookCall, { ...world.now(), metadata: { ...metadata, annotations: marks } })
    },

    /** Reconciles the call, and writes its status as the loop does. */
    async reconcile() {
      const call = world.now()
      const write = (found: Parameters<typeof nextStatus<typeof WebhookCall>>[3]) =>
        world.cluster.replaceStatus(WebhookCall, call, nextStatus(WebhookCall, call.status ?? {}, 1, found))
      try {
        const observed = await world.controller.reconcile(call, silentContext())
        if (world.isThere()) await write({ observed, outcome: outcomeOf() })
        return outcomeOf()
      } catch (error) {
        const observed = statusOfError<typeof WebhookCall>(error)
        const outcome = outcomeOf(error)
        await write({ ...(observed ? { observed } : {}), outcome })
        return outcome
      }
    },

    isThere: () => world.cluster.store.get(WebhookCall, 'acme', 'hook.1') !== undefined,
    now(): WebhookCall {
      const call = world.cluster.store.get(WebhookCall, 'acme', 'hook.1')
      if (!call) throw new Error('the call is missing')
      return call
    },
  }
  return world
}

/** The time at which something was made so many seconds ago. */
export function agedBy(seconds: number): { readonly creationTimestamp: string } {
  return { creationTimestamp: new Date(Date.now() - seconds * 1000).toISOString() }
}
