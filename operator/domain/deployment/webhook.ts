import { createHmac, hash } from 'node:crypto'
import { annotations } from '../../api/names.ts'
import type { FreeForm } from '../../api/schema.ts'
import { longestRedelivery, Webhook, type WebhookCall } from '../../api/webhook.ts'
import { isDeeperThan, isObject, ownValue } from '../base/json.ts'
import { defaultPayload, eventTypes, type WebhookEvent } from './events.ts'
import { problemOfHeaders } from './headers.ts'

type Spec = Webhook['spec']

const https = 'https://'
const maxPayloadBytes = 65_536
const maxDepth = 32
const maxVariables = 256
const variable = /\$\{([A-Za-z0-9_]+)\}/g

/** The URL of a call. */
export function targetOf(url: string): string {
  return url.toLowerCase().startsWith(https) ? url : `${https}${url}`
}

/** The problems of a webhook, each with its field, without values of headers. */
export function problemsOfWebhook({
  url,
  headers,
  payload,
  triggers,
}: Omit<Spec, 'applicationName'>): string[] {
  const headerProblem = headers && (problemOfHeaders(headers) ?? problemOfSignature(headers))
  return [
    ...problemsOfUrl(url),
    ...(headerProblem === undefined ? [] : [`headers: ${headerProblem}`]),
    ...problemsOfPayload(payload),
    ...(triggers ?? []).flatMap(problemsOfTrigger),
  ]
}

/** The headers of the signature, which each call sets itself. */
const signatureHeaders: ReadonlySet<string> = new Set([
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
])

function problemOfSignature(headers: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(headers).find((each) => signatureHeaders.has(each.toLowerCase()))
  return name === undefined
    ? undefined
    : `header '${name.toLowerCase()}' cannot be set: it is part of the signature`
}

function problemsOfUrl(url: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !url.toLowerCase().startsWith(https))
    return ['url: the protocol must be HTTPS'] // the URL is not quoted: it may contain a password
  // The URL parser removes these characters silently.
  if (/[\s\\\p{Cc}\p{Cf}\p{Cs}]/u.test(url)) return ['url: it contains an invalid character']
  const target = targetOf(url)
  // The URL parser also accepts extra slashes and a colon without a port.
  const authority = target.slice(https.length).replace(/[/?#].*$/s, '')
  if (authority.includes('@')) return ['url: it must not contain a user name or password']
  if (target.includes('#')) return ['url: it must not contain a fragment']
  if (authority === '' || authority.endsWith(':') || !URL.parse(target)?.hostname)
    return ["url: it must be an address without protocol, such as 'hooks.example.com/path'"]
  return []
}

function problemsOfPayload(payload: FreeForm | null | undefined): string[] {
  if (!payload) return []
  if (isDeeperThan(maxDepth, payload)) return [`payload: it is nested more than ${maxDepth} levels deep`]
  const text = JSON.stringify(payload)
  const bytes = Buffer.byteLength(text)
  if (bytes > maxPayloadBytes) return [`payload: it is ${bytes} bytes, more than ${maxPayloadBytes}`]
  // Values of variables can be long, so each use counts.
  const places = text.match(variable)?.length ?? 0
  return places > maxVariables
    ? [`payload: it uses variables ${places} times, more than ${maxVariables}`]
    : []
}

function problemsOfTrigger({ scope, type }: { readonly scope: string; readonly type: string }): string[] {
  if (eventTypes.some((each) => each.scope === scope && each.type === type)) return []
  const known = eventTypes.map((each) => `${each.scope}.${each.type}`).join(', ')
  return [`triggers: event '${scope}.${type}' does not exist; events: ${known}`]
}

/**
 * The value that the status records of the annotation that requests a new delivery. A longer text is recorded as its hash,
 * so that another text with the same beginning still requests a delivery.
 */
export function redeliveryOf({ metadata }: Pick<WebhookCall, 'metadata'>): string | undefined {
  const text = metadata.annotations?.[annotations.redeliver]
  return text !== undefined && text.length > longestRedelivery ? `sha256:${hash('sha256', text)}` : text
}

/** Whether a webhook receives an event: it is enabled, of the same application, and its triggers include the event. */
export function isSubscribed({ metadata, spec }: Webhook, occurrence: WebhookEvent): boolean {
  const { applicationName, triggers = [], disabled } = spec
  if (disabled || metadata.deletionTimestamp || applicationName !== occurrence.applicationName) return false
  return (
    triggers.length === 0 ||
    triggers.some(({ scope, type }) => scope === occurrence.scope && type === occurrence.type)
  )
}

/** Maximum difference between the clocks of two API servers. */
const clockMarginMs = 60_000

/**
 * Whether a webhook is older than an event of an object, by times of API servers; undefined when these are too close. The
 * times of a deployment are of the operator, whose clock may differ by any time.
 */
export function isOlderByTime(
  { metadata }: Webhook,
  object: { readonly metadata: { readonly creationTimestamp: string } },
  { scope, at }: WebhookEvent,
): boolean | undefined {
  const msAfter = (time: string) => Date.parse(time) - Date.parse(metadata.creationTimestamp)
  if (msAfter(object.metadata.creationTimestamp) > clockMarginMs) return true
  if (scope === 'deployment') return undefined
  const ageMs = msAfter(at)
  return Math.abs(ageMs) > clockMarginMs ? ageMs > 0 : undefined
}

/** The same by the second, the precision of creation times, when nothing else shows the order. In doubt, the event is sent. */
export function isOlderBySecond({ metadata }: Webhook, { at }: WebhookEvent): boolean {
  return Date.parse(at) >= Date.parse(metadata.creationTimestamp)
}

/** The longest part of the name of a webhook that leaves room for a dot and a digest in an object name. */
const maxNamePrefix = 236

/** Object name of the call of a webhook for an event. The digest makes it unique. */
export function callName({ metadata }: Webhook, { id }: Pick<WebhookEvent, 'id'>): string {
  const digest = hash('sha256', `${metadata.uid}\0${id}`).slice(0, 16)
  const prefix = metadata.name.slice(0, maxNamePrefix).replace(/[-.]+$/, '')
  return `${prefix}.${digest}`
}

/** Whether a call that names a webhook is for this one, and not for an earlier one of its name. */
export function isCallOf(webhook: Webhook, { metadata }: WebhookCall): boolean {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === Webhook.kind)
  return owner === undefined || owner.uid === webhook.metadata.uid
}

/**
 * The body of a call, with variables in texts of the payload replaced in one pass: values are not expanded again. Keys and
 * unknown variables are kept.
 */
export function bodyOf(payload: unknown, variables: Readonly<Record<string, string>>): string {
  return JSON.stringify(fill(payload ?? defaultPayload, variables))
}

function fill(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string')
    return value.replaceAll(variable, (text, name: string) => ownValue(variables, name) ?? text)
  if (Array.isArray(value)) return value.map((each) => fill(each, variables))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, variables)]))
}

/** Key of the Secret that holds the signing secret. */
export const signingKey = 'secret'

const secretPrefix = 'whsec_'

/** The text of a signing secret. */
export function formatSigningSecret(bytes: Uint8Array): string {
  return `${secretPrefix}${Buffer.from(bytes).toString('base64')}`
}

/** Why a signing secret is invalid, without the secret itself. */
export function problemOfSigningSecret(secret: unknown): string | undefined {
  if (typeof secret !== 'string') return `it has no key '${signingKey}'`
  const base64 = withoutPrefix(secret)
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
  return isBase64 && base64 !== ''
    ? undefined
    : `its key '${signingKey}' must be '${secretPrefix}' and Base64`
}

/** Signature of a call per Standard Webhooks; `timestamp` is in seconds since 1970. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(withoutPrefix(secret), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return `v1,${digest}`
}

/** The Base64 part. Trimmed, because a Secret created from a file often ends with a line break. */
function withoutPrefix(secret: string): string {
  const text = secret.trim()
  return text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : text
}
