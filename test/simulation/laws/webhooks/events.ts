import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import type { StoredObject } from '../../../../operator/api/kind.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import {
  deploymentEvents,
  environmentEvents,
  type WebhookEvent,
} from '../../../../operator/domain/deployment/events.ts'
import { hasFinalizer } from '../../../../operator/kube/client/resource.ts'
import { conditionOf } from '../../../../operator/kube/loop/outcome.ts'
import type { Change } from '../../server/storage.ts'
import { objectsOf } from '../../surroundings.ts'
import { kubectlWebhook } from '../../users/names.ts'
import type { World } from '../../world.ts'
import { type Law, nameOf, problemsOf, type WriteLaw } from '../law.ts'

/** An event, and the write that it is. */
interface Occurred extends WebhookEvent {
  readonly version: number
  readonly namespace: string | undefined
  /** Kind and name of its object. */
  readonly object: string
}

/** A webhook that exists or existed. */
interface Known {
  readonly version: number
  readonly webhook: Webhook
}

function eventsOf(object: StoredObject): readonly WebhookEvent[] {
  if (object.kind === Environment.kind) return environmentEvents(object as unknown as Environment) // as its kind says
  if (object.kind !== EnvironmentDeployment.kind) return []
  return deploymentEvents(object as unknown as EnvironmentDeployment) // as its kind says
}

/** The laws that each webhook of kubectl gets each event after its creation, with the memory that they need. */
export function eventLaws(): { readonly writes: WriteLaw; readonly quiet: readonly Law[] } {
  const occurred = new Map<string, Occurred>()
  const webhooks = new Map<string, Known>()
  /** Uids of objects that ended before. */
  const unseen = new Set<string>()

  function note({ served, type, version, before, object }: Change): void {
    const { uid, namespace, deletionTimestamp } = object.metadata
    if (served.kind === Webhook.kind && type === 'ADDED')
      webhooks.set(uid, { version, webhook: object as unknown as Webhook }) // as its kind says
    const events = eventsOf(object)
    // What ends before the operator has seen it has no events.
    const isUnseen = type === 'DELETED' ? !before?.metadata.deletionTimestamp : !hasFinalizer(object)
    if (isUnseen && (type === 'DELETED' || deletionTimestamp)) unseen.add(uid)
    if (unseen.has(uid)) for (const { id } of events) occurred.delete(id)
    else
      for (const each of events)
        if (!occurred.has(each.id))
          occurred.set(each.id, { ...each, version, namespace, object: nameOf(object) })
  }

  const isOf = ({ metadata, spec }: Webhook, { namespace, applicationName }: Occurred) =>
    metadata.namespace === namespace && spec.applicationName === applicationName

  function missing(webhook: Webhook, { outside }: World): Occurred | undefined {
    const known = webhooks.get(webhook.metadata.uid)
    const sent = new Set(
      outside.deliveries.filter(({ url }) => url.endsWith(webhook.spec.url)).map(({ id }) => id),
    )
    return [...occurred.values()].find(
      (each) => isOf(webhook, each) && known && each.version > known.version && !sent.has(each.id),
    )
  }

  return {
    writes: {
      law: 'Each event has an object.',
      problem(change) {
        note(change)
        return undefined
      },
    },
    quiet: [
      {
        law: 'A webhook gets each event after its creation.',
        findings(world) {
          const { quotas, allQuotas, limits } = world.features
          if (quotas || allQuotas || limits) return []
          const ready = objectsOf(world, Webhook).filter(
            (each) =>
              each.metadata.name.startsWith(kubectlWebhook) &&
              each.metadata.deletionTimestamp === undefined &&
              conditionOf(each, 'Ready')?.status === 'True',
          )
          return problemsOf(ready, (each) => {
            const lost = missing(each, world)
            return lost && `it did not get ${lost.scope}.${lost.type} of ${lost.object} at ${lost.at}`
          })
        },
      },
      {
        law: 'A webhook gets no event from before its creation.',
        findings: ({ outside }) =>
          outside.deliveries.flatMap(({ id, url }) => {
            const event = occurred.get(id)
            if (!event) return []
            const isOlder = [...webhooks.values()].some(
              ({ version, webhook }) =>
                isOf(webhook, event) &&
                url.endsWith(webhook.spec.url) &&
                // After a compaction of the API server only the second is known.
                (version < event.version ||
                  Date.parse(webhook.metadata.creationTimestamp) <= Date.parse(event.at)),
            )
            if (isOlder) return []
            return [{ object: event.object, detail: `${event.scope}.${event.type} was sent to ${url}` }]
          }),
      },
    ],
  }
}
