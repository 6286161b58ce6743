import { createHash, createHmac } from 'node:crypto'
import type { Webhook } from '../api/webhook.ts'
import { defaultPayload, eventDeclarations, type Occurrence } from './events.ts'
import { faultOfHeaders } from './headers.ts'
import { isObject, ownValue } from './json.ts'

type Spec = Webhook['spec']

const https = 'https://'
const maxPayloadBytes = 65_536
const maxDepth = 32

/** The address that is called. */
export function targetOf(url: string): string {
  return url.toLowerCase().startsWith(https) ? url : `${https}${url}`
}

/** Why a webhook cannot be used, each with the field that is wrong; never with a header's value. */
export function faultsOfWebhook({
  url,
  headers,
  payload,
  triggers,
}: Omit<Spec, 'applicationName'>): string[] {
  const headerFault = headers ? faultOfHeaders(headers) : undefined
  return [
    ...faultsOfUrl(url),
    ...(headerFault === undefined ? [] : [`headers: ${headerFault}`]),
    ...faultsOfPayload(payload),
    ...(triggers ?? []).flatMap(faultsOfTrigger),
  ]
}

function faultsOfUrl(url: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !url.toLowerCase().startsWith(https))
    return [`url: '${url}' has another protocol than HTTPS`]
  // A browser's reading of addresses takes these away; nobody writes them on purpose.
  if (/[\s\\\p{Cc}]/u.test(url)) return ['url: there is a character in it that no address holds']
  const parsed = URL.parse(targetOf(url))
  if (!parsed?.hostname)
    return [`url: '${url}' is not an address without protocol, such as 'hooks.example.com/path'`]
  if (parsed.username || parsed.password) return ['url: it must hold no user name and no password']
  if (parsed.hash) return ['url: it must hold no fragment']
  return []
}

function faultsOfPayload(payload: unknown): string[] {
  if (payload === undefined || payload === null) return []
  if (!isObject(payload)) return ['payload: it must be an object']
  if (depthOf(payload) > maxDepth) return [`payload: it is nested more than ${maxDepth} levels deep`]
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  return bytes > maxPayloadBytes ? [`payload: it is ${bytes} bytes, more than ${maxPayloadBytes}`] : []
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce<number>((most, each) => Math.max(most, depthOf(each)), 0)
}

function faultsOfTrigger({ scope, type }: { readonly scope: string; readonly type: string }): string[] {
  if (eventDeclarations.some((each) => each.scope === scope && each.type === type)) return []
  const known = eventDeclarations.map((each) => `${each.scope}.${each.type}`).join(', ')
  return [`triggers: there is no event '${scope}.${type}'; events: ${known}`]
}

/** Whether a webhook is told: it is of the application, not disabled, older than the event, and asks for it. */
export function isTold({ metadata, spec }: Webhook, occurrence: Occurrence): boolean {
  const { applicationName, triggers = [], disabled } = spec
  if (disabled || metadata.deletionTimestamp || applicationName !== occurrence.applicationName) return false
  // Objects know the second in which they were made, and no more.
  if (secondOf(metadata.creationTimestamp) > secondOf(occurrence.at)) return false
  return (
    triggers.length === 0 ||
    triggers.some(({ scope, type }) => scope === occurrence.scope && type === occurrence.type)
  )
}

function secondOf(time = ''): string {
  return time.slice(0, '2026-01-01T00:00:00'.length)
}

/** Name of the one call that tells a webhook of an event. */
export function callName({ metadata }: Webhook, { id }: Pick<Occurrence, 'id'>): string {
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
    return value.replaceAll(
      /\$\{([A-Za-z0-9_]+)\}/g,
      (text, name: string) => ownValue(variables, name) ?? text,
    )
  if (Array.isArray(value)) return value.map((each) => fill(each, variables))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, variables)]))
}

const secretPrefix = 'whsec_'

/** A signing secret as it is shown: 32 bytes. */
export function formatSigningSecret(bytes: Uint8Array): string {
  return `${secretPrefix}${Buffer.from(bytes).toString('base64')}`
}

/** Signature of a call as Standard Webhooks has it; `timestamp` in seconds since 1970. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(
    secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
    'base64',
  )
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return `v1,${digest}`
}
