import {
  anyValue,
  boolean,
  freeForm,
  list,
  map,
  object,
  type Static,
  string,
  time,
} from '../../../operator/api/schema.ts'
import { triggerSchema, Webhook } from '../../../operator/api/webhook.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { problemsOfWebhook } from '../../../operator/domain/deployment/webhook.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { Missing } from '../../request/missing.ts'
import { knownId, newId } from '../../request/parameters.ts'
import { named, nullable } from '../../response/shapes.ts'
import { createdAt, createdBy, find, findApplication } from '../common/find.ts'

type Spec = Webhook['spec']

/** Headers of webhooks may contain credentials, so reading them requires the same role. */
export const webhookAccess = { application: 'owner', orOrganization: 'manager' } as const

const urlShape = string(
  'Target URL without protocol, for example `hooks.example.com/path`. It is called over HTTPS.',
  {
    minLength: 1,
    maxLength: 2048,
  },
)
const headersShape = map(
  string('Value of the header.', { maxLength: 8192 }),
  'Additional headers of the call.',
  {
    maxProperties: 64,
  },
)
const payloadShape = freeForm(
  'Body of the call. `${variable}` in its texts is replaced by a variable of the event. When null, the body contains the common variables.',
)
const triggersShape = list(triggerSchema, 'Events that trigger the webhook. Empty means all events.', {
  maxItems: 64,
})
const disabledShape = boolean('Whether the webhook is disabled.')

const optionalFields = {
  headers: nullable(headersShape),
  payload: nullable(payloadShape),
  triggers: nullable(triggersShape),
  disabled: nullable(disabledShape),
}

/** Request body for a new webhook. */
export const newWebhookShape = object(
  { id: newId('Webhook ID, unique in the organization.'), url: urlShape },
  optionalFields,
  'A webhook.',
)

const changeableFields = { url: urlShape, ...optionalFields }

/** Request body for changes of a webhook. */
export const webhookChangesShape = object(
  {},
  {
    id: knownId('Webhook ID. It must be the ID in the path, and does not count as a change.'),
    ...changeableFields,
  },
  'Fields to change. Omitted fields keep their value; `null` removes every field except the URL.',
)

const answeredFields = {
  url: urlShape,
  headers: nullable(headersShape),
  payload: anyValue('Body of the call, as given.'),
  triggers: triggersShape,
  disabled: disabledShape,
  id: string('Unique identifier.', { maxLength: 253 }),
  created_at: time('Time when it was created.'),
  created_by: string(
    'ID of the user who created it through the REST API. Empty if it was created in another way.',
  ),
}
const signingSecret = string(
  'Secret that signs the calls, in the format of Standard Webhooks. It is not returned again.',
)

/** Webhook in responses. */
export const webhookShape = named('Webhook', object(answeredFields, {}, 'A webhook.'))

/** Webhook in the response to its creation. */
export const createdWebhookShape = named(
  'CreatedWebhook',
  object({ ...answeredFields, signing_secret: signingSecret }, {}, 'A new webhook.'),
)

/** Signing secret in the response to its rotation. */
export const signingSecretShape = named(
  'SigningSecret',
  object({ signing_secret: signingSecret }, {}, 'A new signing secret.'),
)

/** Throws Unprocessable for changes that have an ID and no field to change. */
export function refuseIdAlone({ id, ...changes }: Static<typeof webhookChangesShape>): void {
  const known = Object.keys(changeableFields)
  if (id === undefined || Object.keys(changes).some((name) => known.includes(name))) return
  throw new Problem('Unprocessable', `the body has no field to change: known fields are ${known.join(', ')}`)
}

/** Applies changes to a spec: null removes a field. Throws Invalid if the webhook cannot be called. */
export function changedSpec(spec: Spec, changes: Static<typeof webhookChangesShape>): Spec {
  const { url, headers, payload, triggers, disabled } = changes
  const given = Object.entries({ url, headers, payload, triggers, disabled })
  const merged = { ...spec, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
  const entries = Object.entries(merged).filter(([, value]) => value !== null)
  const wanted = Object.fromEntries(entries) as Spec // only optional fields can be null
  const problems = problemsOfWebhook(wanted)
  if (problems.length > 0) throw new Problem('Invalid', problems.join('; '))
  return wanted
}

/** Returns the webhook in the path; throws NotFound. */
export function findWebhook(
  store: Store,
  path: { readonly org_id: string; readonly app_id: string; readonly webhook_id: string },
): Webhook {
  findApplication(store, path)
  const webhook = find(store, Webhook, path.org_id, path.webhook_id)
  if (webhook?.spec.applicationName === path.app_id) return webhook
  throw new Missing(Webhook, path.org_id, path.webhook_id, `webhook '${path.webhook_id}' not found`)
}

/** Webhook in responses. */
export function toWebhook(webhook: Webhook) {
  const { spec } = webhook
  return {
    id: webhook.metadata.name,
    url: spec.url,
    headers: spec.headers ?? null,
    payload: spec.payload ?? null,
    triggers: spec.triggers ?? [],
    disabled: spec.disabled ?? false,
    created_at: createdAt(webhook),
    created_by: createdBy(webhook),
  }
}
