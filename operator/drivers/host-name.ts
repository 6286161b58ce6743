const longestLabel = 63
const digits = 8

const longestName = 253
const dnsName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A host name below a domain, in lower case and without the last dot; undefined when it is not one. */
export function hostBelow(domain: string, label: string): string | undefined {
  const host = `${label}.${domain}`.toLowerCase().replace(/\.$/, '')
  return host.length <= longestName && dnsName.test(host) ? host : undefined
}

/** First label of a generated host name: `<app>-<env>-<8 hex digits of the GUResID>`, shortened before the digits. */
export function hostLabel(applicationId: string, environmentId: string, guResId: string): string {
  const front = `${applicationId}-${environmentId}`.slice(0, longestLabel - digits - 1).replace(/-+$/, '')
  return `${front}-${guResId.slice(0, digits)}`
}
