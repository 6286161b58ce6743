import { list, object, string } from '../../../operator/api/schema.ts'
import { eventTypes } from '../../../operator/domain/deployment/events.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { named } from '../../response/shapes.ts'

const eventShape = named(
  'Event',
  object(
    {
      scope: string('Scope of the event.', { maxLength: 63 }),
      type: string('Type of the event.', { maxLength: 63 }),
      properties: list(string('Name of a variable.'), 'Variables that a payload can contain.'),
    },
    {},
    'An event that triggers webhooks.',
  ),
)

/** Events that trigger webhooks. */
export const events: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/events',
    summary: 'List the events that trigger webhooks, with their variables',
    tag: 'Webhooks',
    access: { organization: 'member' },
    responses: { 200: list(eventShape, 'Events.') },
    handle: () => ok(eventTypes),
  }),
]
