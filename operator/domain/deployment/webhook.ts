import { createHash, createHmac } from 'node:crypto'
import type { FreeForm } from '../../api/schema.ts'
import type { Webhook } from '../../api/webhook.ts'
import { isObject, ownValue } from '../base/json.ts'
import { defaultPayload, eventTypes, type WebhookEvent } from './events.ts'
import { problemOfHeaders } from './headers.ts'

type Spec = Webhook['spec']

const https = 'https://'
const maxPayloadBytes = 65_536
const maxDepth = 32
const maxVariables = 256
const variable = /\$\{([A-Za-z0-9_]+)\}/g

/** The address that is called. */
export function targetOf(url: string): string {
  return url.toLowerCase().startsWith(https) ? url : `${https}${url}`
}

/** Why a webhook cannot be used, each with the field that is wrong; never with a header's value. */
export function problemsOfWebhook({
  url,
  headers,
  payload,
  triggers,
}: Omit<Spec, 'applicationName'>): string[] {
  const headerProblem = headers ? problemOfHeaders(headers) : undefined
  return [
    ...problemsOfUrl(url),
    ...(headerProblem === undefined ? [] : [`headers: ${headerProblem}`]),
    ...problemsOfPayload(payload),
    ...(triggers ?? []).flatMap(problemsOfTrigger),
  ]
}

function problemsOfUrl(url: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !url.toLowerCase().startsWith(https))
    return ['url: it has another protocol than HTTPS'] // not quoted: it may hold a password
  // The standard reading of addresses takes these away; nobody writes them on purpose.
  if (/[\s\\\p{Cc}\p{Cf}\p{Cs}]/u.test(url)) return ['url: there is a character in it that no address holds']
  const target = targetOf(url)
  // It makes something of more slashes than two and of a colon without a port, too: of https:/x the host https.
  const authority = target.slice(https.length).replace(/[/?#].*$/s, '')
  if (authority.includes('@')) return ['url: it must hold no user name and no password']
  if (target.includes('#')) return ['url: it must hold no fragment']
  if (authority === '' || authority.endsWith(':') || !URL.parse(target)?.hostname)
    return ["url: it is not an address without protocol, such as 'hooks.example.com/path'"]
  return []
}

function problemsOfPayload(payload: FreeForm | null | undefined): string[] {
  if (!payload) return []
  if (isDeeperThan(maxDepth, payload)) return [`payload: it is nested more than ${maxDepth} levels deep`]
  const text = JSON.stringify(payload)
  const bytes = Buffer.byteLength(text)
  if (bytes > maxPayloadBytes) return [`payload: it is ${bytes} bytes, more than ${maxPayloadBytes}`]
  // A comment is long: each place where it stands counts.
  const places = text.match(variable)?.length ?? 0
  return places > maxVariables
    ? [`payload: variables stand in it ${places} times, more than ${maxVariables}`]
    : []
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each))
}

function problemsOfTrigger({ scope, type }: { readonly scope: string; readonly type: string }): string[] {
  if (eventTypes.some((each) => each.scope === scope && each.type === type)) return []
  const known = eventTypes.map((each) => `${each.scope}.${each.type}`).join(', ')
  return [`triggers: there is no event '${scope}.${type}'; events: ${known}`]
}

/** Whether a webhook asks for an event: it is of the application, not disabled, and names it or all. */
export function isSubscribed({ metadata, spec }: Webhook, occurrence: WebhookEvent): boolean {
  const { applicationName, triggers = [], disabled } = spec
  if (disabled || metadata.deletionTimestamp || applicationName !== occurrence.applicationName) return false
  return (
    triggers.length === 0 ||
    triggers.some(({ scope, type }) => scope === occurrence.scope && type === occurrence.type)
  )
}

/** The clocks of two servers differ by less than this. */
const clockMarginMs = 60_000

/** Whether a webhook was made before something happened; undefined when the two are too close for clocks to tell. */
export function isOlderByTime({ metadata }: Webhook, { at }: WebhookEvent): boolean | undefined {
  const ageMs = Date.parse(at) - Date.parse(metadata.creationTimestamp ?? '')
  return Math.abs(ageMs) > clockMarginMs ? ageMs > 0 : undefined
}

/** The same by the second, which is all that an object knows of its creation: rather told than missed. */
export function isOlderBySecond({ metadata }: Webhook, { at }: WebhookEvent): boolean {
  return Date.parse(at) >= Date.parse(metadata.creationTimestamp ?? '')
}

/** Name of the one call that tells a webhook of an event. */
export function callName({ metadata }: Webhook, { id }: Pick<WebhookEvent, 'id'>): string {
  const hash = createHash('sha256')
    .update(`${metadata.uid ?? ''}\0${id}`)
    .digest('hex')
    .slice(0, 16)
  return `${metadata.name}.${hash}`
}

/**
 * The body of a call: variables in the texts of the payload, in one pass, so that what a variable holds is never read
 * again. Keys stay as they are; so does what is no variable of the event.
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

/** Key of the Secret under which the signing secret is. */
export const signingKey = 'secret'

const secretPrefix = 'whsec_'

/** A signing secret as it is shown: 32 bytes. */
export function formatSigningSecret(bytes: Uint8Array): string {
  return `${secretPrefix}${Buffer.from(bytes).toString('base64')}`
}

/** Why a text cannot sign calls; never with the text itself. */
export function problemOfSigningSecret(secret: unknown): string | undefined {
  if (typeof secret !== 'string') return `it has no key '${signingKey}'`
  const base64 = withoutPrefix(secret)
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)
  return isBase64 && base64 !== ''
    ? undefined
    : `its key '${signingKey}' must be '${secretPrefix}' and Base64`
}

/** Signature of a call as Standard Webhooks has it; `timestamp` in seconds since 1970. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(withoutPrefix(secret), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return `v1,${digest}`
}

/** A Secret that was made from a file often ends in a line break. */
function withoutPrefix(secret: string): string {
  const text = secret.trim()
  return text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : text
}
