import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import type { Webhook } from '../../api/types.ts'
import { changed } from '../../managing/changed.ts'

type Trigger = Webhook['triggers'][number]

const triggers: readonly Trigger[] = [
  { scope: 'environment', type: 'created' },
  { scope: 'environment', type: 'deleted' },
  { scope: 'deployment', type: 'started' },
  { scope: 'deployment', type: 'finished' },
]

/** A trigger as text, such as `deployment.finished`. */
export function triggerText({ scope, type }: Trigger): string {
  return `${scope}.${type}`
}

const id = {
  type: 'string',
  title: 'ID',
  description: 'Lowercase letters, digits and hyphens, unique in the organization.',
}

const properties = {
  url: {
    type: 'string',
    title: 'URL',
    description: 'Without the protocol. It is called over HTTPS.',
    examples: ['hooks.example.com/path'],
  },
  triggers: {
    type: 'array',
    title: 'Triggers',
    description: 'Events that cause a call. Without triggers, all events do.',
    items: { type: 'string', enum: triggers.map(triggerText) },
    maxItems: 64,
  },
  headers: {
    type: 'object',
    title: 'Headers',
    description: 'Sent with each call. Owners of the application can read them.',
    additionalProperties: { type: 'string' },
  },
  payload: {
    type: 'object',
    title: 'Payload',
    description:
      'Body of the call. Variables such as ${app_id}, ${env_id} and ${status} are replaced. Empty for the default.',
  },
  disabled: {
    type: 'boolean',
    title: 'State',
    oneOf: [
      { const: false, title: 'enabled' },
      { const: true, title: 'disabled' },
    ],
  },
}

/** The schema of the form for a new webhook. */
export const newWebhookSchema: FreeForm = {
  type: 'object',
  properties: { id, ...properties },
  required: ['id', 'url'],
  additionalProperties: false,
}

/** The schema of the form for changes of a webhook. */
export const webhookSchema: FreeForm = {
  type: 'object',
  properties,
  required: ['url'],
  additionalProperties: false,
}

/** The value of the form for a webhook. */
export function webhookValue({ url, headers, payload, triggers: given, disabled }: Webhook): FreeForm {
  return {
    url,
    triggers: given.map(triggerText),
    disabled,
    ...(headers && Object.keys(headers).length > 0 ? { headers } : {}),
    ...(isObject(payload) ? { payload } : {}),
  }
}

/** Body of a request that creates or changes a webhook. Null removes what the form leaves empty. */
export function webhookBody(value: unknown) {
  const { url, headers, payload, triggers: given, disabled } = isObject(value) ? value : ({} as FreeForm)
  return {
    url: String(url),
    headers: isObject(headers) ? texts(headers) : null,
    payload: isObject(payload) ? payload : null,
    triggers: triggers.filter((each) => Array.isArray(given) && given.includes(triggerText(each))),
    disabled: disabled === true,
  }
}

/** Body of a request that changes a webhook: only what differs from the value that the form began with. */
export function changedWebhookBody(value: unknown, before: unknown) {
  const [wanted, known] = [webhookBody(value), webhookBody(before)]
  return {
    url: changed(wanted.url, known.url),
    headers: changed(wanted.headers, known.headers),
    payload: changed(wanted.payload, known.payload),
    triggers: changed(wanted.triggers, known.triggers),
    disabled: changed(wanted.disabled, known.disabled),
  }
}

function texts(map: FreeForm): { readonly [key: string]: string } {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value)]))
}

/** The ID that the form for a new webhook has. */
export function newWebhookId(value: unknown): string {
  return isObject(value) ? String(value['id']) : ''
}
