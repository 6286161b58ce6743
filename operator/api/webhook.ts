import { defineKind, fixedFields, type ObjectOf } from './kind.ts'
import {
  boolean,
  id,
  integer,
  list,
  map,
  nullableFreeForm,
  object,
  oneOf,
  ownedSecretNames,
  type Static,
  string,
  time,
} from './schema.ts'

/** Longer values of the annotation that requests a new delivery are recorded as their hash. */
export const longestRedelivery = 1024

export const triggerSchema = object(
  {
    scope: oneOf(['environment', 'deployment'], 'Subject of the event.'),
    type: oneOf(
      ['created', 'deleted', 'started', 'finished'],
      'Type of the event: `created` or `deleted` for an environment, `started` or `finished` for a deployment.',
    ),
  },
  {},
  'An event.',
)
export type Trigger = Static<typeof triggerSchema>

export const Webhook = defineKind({
  kind: 'Webhook',
  plural: 'webhooks',
  shortName: 'qmhook',
  description:
    'An HTTPS endpoint that receives the events of an application, from the creation of the webhook on.',
  spec: object(
    {
      applicationName: id('Application whose events are sent. Immutable.'),
      url: string('Address without protocol, such as `hooks.example.com/path`. Calls always use HTTPS.', {
        minLength: 1,
        maxLength: 2048,
      }),
    },
    {
      headers: map(string('Value of the header.', { maxLength: 8192 }), 'Additional headers of the call.', {
        maxProperties: 64,
      }),
      payload: nullableFreeForm(
        'Body of the call. `${variable}` in texts is replaced by the variable of the event. Defaults to an object with the common variables.',
      ),
      triggers: list(triggerSchema, 'Events that are sent. All events when empty or absent.', {
        maxItems: 64,
      }),
      disabled: boolean('Whether sending is suspended. Defaults to false.'),
      signingSecretName: string(
        'Secret in this namespace whose key `secret` holds the signing secret, in the form `whsec_<Base64>`. Generated when absent.',
        { maxLength: 253 },
      ),
    },
    'Endpoint and events of the webhook.',
  ),
  status: object(
    {},
    {
      createdVersion: string('Resource version at the creation of the webhook. Later events are sent.', {
        maxLength: 63,
      }),
      signingSecretName: string('Secret whose key `secret` holds the signing secret.', { maxLength: 253 }),
      secretNames: ownedSecretNames,
    },
    'Observed state.',
  ),
  selectableFields: ['.spec.applicationName'],
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'URL', jsonPath: '.spec.url' },
    { name: 'Disabled', jsonPath: '.spec.disabled', type: 'boolean', priority: 1 },
  ],
  rules: [fixedFields('applicationName')],
})
export type Webhook = ObjectOf<typeof Webhook>

export const WebhookCall = defineKind({
  kind: 'WebhookCall',
  plural: 'webhookcalls',
  shortName: 'qmcall',
  inCategory: false,
  description:
    'The delivery of one event to one webhook. `Ready` is true when the event is delivered, `Stalled` is true when delivery is given up. To send the event again, set the annotation `quartermaster.dev/redeliver` to a new text.',
  spec: object(
    {
      webhookName: string('Webhook that receives the event.', { maxLength: 253 }),
      eventId: string('Id of the event, equal in all calls for the event.', { maxLength: 64 }),
      event: string('The event, in the form `<scope>.<type>`.', { maxLength: 63 }),
      variables: map(string('Value of the variable.', { maxLength: 8192 }), 'Variables of the event.', {
        maxProperties: 32,
      }),
    },
    {},
    'Webhook and event of the call. Immutable.',
  ),
  status: object(
    {},
    {
      attempts: integer('Number of consecutive failed attempts, also when delivery is given up.'),
      nextAttemptTime: time('Time of the next attempt.'),
      responseStatus: integer('HTTP status of the last response.'),
      finishTime: time('Time at which the event was delivered or delivery was given up.'),
      redelivery: string(
        'Value of the annotation that last requested a new delivery; of a longer value, `sha256:` and its hash.',
        { maxLength: longestRedelivery },
      ),
    },
    'Observed state.',
  ),
  columns: [
    { name: 'Webhook', jsonPath: '.spec.webhookName' },
    { name: 'Event', jsonPath: '.spec.event' },
    { name: 'Status', jsonPath: '.status.responseStatus', type: 'integer' },
    { name: 'Attempts', jsonPath: '.status.attempts', type: 'integer' },
  ],
  rules: [{ rule: 'self.spec == oldSelf.spec', message: 'a call cannot be changed' }],
})
export type WebhookCall = ObjectOf<typeof WebhookCall>
