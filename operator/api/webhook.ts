import { defineKind, type ObjectOf } from './kind.ts'
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

export const triggerSchema = object(
  {
    scope: oneOf(['environment', 'deployment'], 'What the event is about.'),
    type: oneOf(
      ['created', 'deleted', 'started', 'finished'],
      'What happened: an environment was created or deleted, a deployment started or finished.',
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
    'An HTTPS address that is called when something happens in an application. It hears what happens after it was created.',
  spec: object(
    {
      applicationName: id('Application whose events are told.'),
      url: string('Address without protocol, such as `hooks.example.com/path`; it is called over HTTPS.', {
        minLength: 1,
        maxLength: 2048,
      }),
    },
    {
      headers: map(
        string('Value of the header.', { maxLength: 8192 }),
        'Headers of the call besides those of ours.',
        { maxProperties: 64 },
      ),
      payload: nullableFreeForm(
        'Body of the call: an object in whose texts `${variable}` stands for a variable of the event. The common variables when absent.',
      ),
      triggers: list(triggerSchema, 'Events that are told; all when empty or absent.', { maxItems: 64 }),
      disabled: boolean('Whether nothing is told for now. False when absent.'),
      signingSecretName: string(
        'Secret in this namespace whose key `secret` signs the calls, as `whsec_` and Base64. One is made when absent.',
        { maxLength: 253 },
      ),
    },
    'Who is told of what.',
  ),
  status: object(
    {},
    {
      createdVersion: string('Resource version of its creation: it hears of what happens after that.', {
        maxLength: 63,
      }),
      signingSecretName: string('Secret whose key `secret` signs the calls.', { maxLength: 253 }),
      secretNames: ownedSecretNames,
    },
    'What the operator saw.',
  ),
  columns: [
    { name: 'Application', jsonPath: '.spec.applicationName' },
    { name: 'URL', jsonPath: '.spec.url' },
    { name: 'Disabled', jsonPath: '.spec.disabled', type: 'boolean', priority: 1 },
  ],
})
export type Webhook = ObjectOf<typeof Webhook>

export const WebhookCall = defineKind({
  kind: 'WebhookCall',
  plural: 'webhookcalls',
  shortName: 'qmcall',
  inCategory: false,
  description:
    'One event on its way to one webhook, a run: `Ready` when it was taken, `Stalled` when it was given up. To send it again, set the annotation `quartermaster.dev/redeliver` to a new text.',
  spec: object(
    {
      webhookName: string('Webhook that is told.', { maxLength: 253 }),
      eventId: string('Id of the event, the same in every call for it.', { maxLength: 64 }),
      event: string('The event, as `<scope>.<type>`.', { maxLength: 63 }),
      variables: map(string('Value of the variable.', { maxLength: 8192 }), 'Variables of the event.', {
        maxProperties: 32,
      }),
    },
    {},
    'What is told to whom.',
  ),
  status: object(
    {},
    {
      attempts: integer('How many times in a row it failed.'),
      nextAttemptTime: time('When it is tried again.'),
      responseStatus: integer('HTTP status of the last answer.'),
      finishTime: time('When it was taken or given up.'),
      redelivery: string('Value of the annotation that last had it sent again.'),
    },
    'What the operator saw.',
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
