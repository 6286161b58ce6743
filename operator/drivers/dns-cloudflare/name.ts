import { domainToASCII } from 'node:url'
import type { ResourceContext } from '../../api/active-resource.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { hostLabel } from '../host-name.ts'

const longestName = 253
const labelPattern = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** The domain as the provider writes it: lower case, without the last dot. */
export function domainOf(text: string): string {
  const domain = asciiName(text)
  if (isName(domain) && !domain.includes('_')) return domain
  throw new Stalled('InvalidInputs', `'${text.slice(0, 100)}' in 'domain' is not a domain name`)
}

/** The full name of a resource's record. */
export function nameOf(context: ResourceContext, guResId: string, domain: string): string {
  const label = hostLabel(context.applicationId, context.environmentId, guResId).toLowerCase()
  const name = `${label}.${domainOf(domain)}`
  if (name.length <= longestName) return name
  throw new Stalled(
    'InvalidInputs',
    `the name '${name}' is longer than ${longestName} characters: the domain is too long`,
  )
}

/** Whether a name is the zone's or below it. */
export function isInZone(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`)
}

/** A host name in lower case and ASCII, without the last dot. */
export function asciiName(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '')
  return /^[\x20-\x7e]*$/.test(name) ? name : domainToASCII(name)
}

/** Whether a result of `asciiName` is a valid host name. */
export function isName(name: string): boolean {
  const labels = name.split('.')
  const isNumber = /^\d+$/.test(labels.at(-1) ?? '')
  return name.length <= longestName && !isNumber && labels.every((label) => labelPattern.test(label))
}
