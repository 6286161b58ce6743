import type { StoredObject } from '../../../operator/api/kind.ts'
import { integer, list, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { eventResource, pathOf } from '../../../operator/kube/client/resource.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { named } from '../../response/shapes.ts'
import { findEnvironment } from '../common/find.ts'
import { findResource } from './active-resource-deletion.ts'

const maxEvents = 100

const eventShape = named(
  'ActiveResourceEvent',
  object(
    {
      at: time('Time when it last happened.'),
      type: oneOf(['Normal', 'Warning'], 'Whether a person should look at it.'),
      reason: string('Reason: one CamelCase word.'),
      message: string('Message.', { maxLength: 32_768 }),
      count: integer('How often it happened.'),
    },
    {},
    'A Kubernetes Event of an active resource.',
  ),
)

/** An Event as the API server has it: clients of the newer API set `eventTime` only. */
interface Event extends StoredObject {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
}

function toEvent({ metadata, type, reason = '', message = '', count, lastTimestamp, eventTime }: Event) {
  return {
    at: lastTimestamp ?? eventTime ?? metadata.creationTimestamp,
    type: type === 'Warning' ? ('Warning' as const) : ('Normal' as const),
    reason,
    message,
    count: count ?? 1,
  }
}

/** Kubernetes Events of active resources. The operator writes them without secrets. */
export const activeResourceEvents: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}/events',
    summary: 'List the newest 100 Kubernetes Events of an active resource, newest first',
    tag: 'Active resources',
    access: { application: 'viewer' },
    responses: { 200: list(eventShape, 'Events. The API server keeps them for an hour by default.') },
    async handle({ params }, { cluster: { store, client } }) {
      const { metadata } = findResource(store, findEnvironment(store, params), params)
      const query = { fieldSelector: `involvedObject.uid=${metadata.uid}` }
      const answer = await client.request('GET', pathOf(eventResource, metadata.namespace), { query })
      const { items } = answer as { items?: readonly Event[] | null } // a list
      const events = (items ?? [])
        .map(toEvent)
        .sort((left, right) => Date.parse(right.at) - Date.parse(left.at))
      return ok(events.slice(0, maxEvents))
    },
  }),
]
