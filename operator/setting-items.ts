import { kinds } from './api/kinds.ts'
import { group, labels } from './api/names.ts'
import { isLabelKey, isLabelValue } from './domain/module/formats.ts'
import { rangeOf } from './outbound/ranges.ts'
import { createTargetRules } from './outbound/target.ts'
import { readAccepted } from './setting-values.ts'

// Readers of the items of settings that are lists. Each throws an error that names the variable.

/** Reads a limit such as `webhooks=1000`. */
export function readLimit(text: string): [resource: string, limit: number] {
  const [, name, limit] = /^(\w+)=(\d{1,9})$/.exec(text) ?? []
  if (name === 'secrets') return [`count/${name}`, Number(limit)]
  if (kinds.some(({ plural }) => plural === name)) return [`count/${name}.${group}`, Number(limit)]
  throw new Error(
    `QUARTERMASTER_ORGANIZATION_QUOTA must list limits such as 'activeresources=20000,webhooks=1000', not '${text}'`,
  )
}

/** Reads a label such as `pod-security.kubernetes.io/enforce=baseline`. */
export function readLabel(text: string): [key: string, value: string] {
  const [key = '', value, ...rest] = text.split('=')
  const isOurs = key.startsWith(`${group}/`) || key === labels.managedBy
  if (value !== undefined && rest.length === 0 && isLabelKey(key) && isLabelValue(value) && !isOurs)
    return [key, value]
  throw new Error(
    `QUARTERMASTER_NAMESPACE_LABELS must list labels such as 'pod-security.kubernetes.io/enforce=baseline', not '${text}'`,
  )
}

/** Reads a target of outgoing calls. */
export function readOutbound(text: string): string {
  const what =
    "a range ('10.96.0.0/12'), a host name ('driver.drivers.svc') or the end of one ('*.svc.cluster.local')"
  return readAccepted('OUTBOUND_ALLOWED', text, `a list; each item is ${what}`, (each) =>
    createTargetRules([each]),
  )
}

/** Reads an origin such as `https://portal.example.com`. */
export function readOrigin(text: string): string {
  if (URL.parse(text)?.origin === text) return text
  throw new Error(
    `QUARTERMASTER_ALLOWED_ORIGINS must name origins such as 'https://portal.example.com', not '${text}'`,
  )
}

/** Reads the address or range of a proxy. A range of all addresses would let every client forge its own. */
export function readProxy(text: string): string {
  if (rangeOf(text) && !/\/0+$/.test(text)) return text
  throw new Error(
    `QUARTERMASTER_TRUSTED_PROXIES must name addresses or ranges such as '10.0.0.0/8', not '${text}'`,
  )
}
