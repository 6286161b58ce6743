import { expect } from '@jest/globals'
import type { Environment } from '../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import {
  deploymentEvents,
  environmentEvents,
  eventTypes,
  type WebhookEvent,
} from '../../../operator/domain/deployment/events.ts'
import { eventually, type Organization } from '../support/client.ts'
import type { ReceivedCall, Receiver } from '../support/receiver/receiver.ts'
import { hook } from '../support/receiver/webhooks.ts'

const name = 'all'
/** The Secret that the operator makes for the webhook. */
export const signingSecretName = `${name}-webhook-signing`
const deliveredWithinMs = 90_000
const payload = Object.fromEntries(
  eventTypes.flatMap(({ properties }) => properties).map((each) => [each, `\${${each}}`]),
)

/** The events of an organization, as they happen and as its webhook receives them. */
export interface Events {
  readonly path: string
  calls(): readonly ReceivedCall[]
  /** Notes the events so far of what exists. */
  note(): Promise<void>
  /** All calls for an event have the same body. */
  expectConsistent(): void
  /** The webhook receives what was noted and the end of each environment, and no end without a beginning. */
  expectAll(): Promise<void>
}

/** Makes a webhook of the application `shop`. */
export async function makeEvents(organization: Organization, receiver: Receiver): Promise<Events> {
  const path = `/${organization.id}`
  const expected = new Map<string, WebhookEvent>()
  await hook(organization, name, { url: receiver.url(path), payload })

  const add = (events: readonly WebhookEvent[]) => {
    for (const event of events) expected.set(event.id, event)
  }
  const events: Events = {
    path,
    calls: () => receiver.calls(path),
    expectConsistent() {
      receivedIn(events.calls())
    },
    async note() {
      for (const each of await organization.list<Environment>('environments')) add(eventsUntilEnd(each))
      for (const each of await organization.list<EnvironmentDeployment>('environmentdeployments'))
        add(deploymentEvents(each))
    },
    async expectAll() {
      await eventually('the calls of all events', deliveredWithinMs, async () => {
        const received = receivedIn(events.calls())
        const missing = [...expected.values()].filter(({ id }) => !received.has(id))
        expect(missing.map(({ variables }) => variables)).toEqual([])
        return true
      })
      const received = receivedIn(events.calls())
      for (const [id, { variables }] of expected) {
        const { event, deploy_id, env_id, status } = variables
        expect(received.get(id)).toMatchObject({ event, env_id, ...(deploy_id ? { deploy_id, status } : {}) })
      }
      const namesOf = (event: string, key: string) =>
        [...received.values()].filter((each) => each.event === event).map((each) => each[key] ?? '')
      const finished = namesOf('deployment.finished', 'deploy_id')
      expect(without(finished, namesOf('deployment.started', 'deploy_id'))).toEqual([])
      const deleted = namesOf('environment.deleted', 'env_id')
      expect(without(deleted, namesOf('environment.created', 'env_id'))).toEqual([])
    },
  }
  return events
}

/** The events of an environment that ends at some time. */
function eventsUntilEnd({ metadata, ...rest }: Environment): WebhookEvent[] {
  const deletionTimestamp = metadata.deletionTimestamp ?? metadata.creationTimestamp
  return environmentEvents({ ...rest, metadata: { ...metadata, deletionTimestamp } })
}

/** The bodies by the ids of the events; all calls of one have the same. */
function receivedIn(calls: readonly ReceivedCall[]): Map<string, Record<string, string>> {
  const received = new Map<string, Record<string, string>>()
  for (const { headers, body } of calls) {
    const id = headers['webhook-id'] ?? ''
    const parsed: Record<string, string> = JSON.parse(body)
    expect(received.get(id) ?? parsed).toEqual(parsed)
    received.set(id, parsed)
  }
  return received
}

/** The items that are left when each of the others has removed one. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return items.filter((each) => {
    const at = left.indexOf(each)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
