import { list, object, string } from '../../../operator/api/schema.ts'
import { eventTypes } from '../../../operator/domain/deployment/events.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { named } from '../../response/shapes.ts'

const eventShape = named(
  'Event',
  object(
    {
      scope: string('What the event is about.', { maxLength: 63 }),
      type: string('What happened.', { maxLength: 63 }),
      properties: list(string('Name of a variable.'), 'Variables that a payload may hold.'),
    },
    {},
    'An event that webhooks are told of.',
  ),
)

/** The events that webhooks can be told of. */
export const events: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/events',
    summary: 'List the events that webhooks are told of, with their variables',
    tag: 'Webhooks',
    access: { organization: 'member' },
    responses: { 200: list(eventShape, 'Events.') },
    handle: () => ok(eventTypes),
  }),
]
