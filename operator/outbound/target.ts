import { isIP } from 'node:net'
import { TargetRefused } from './errors.ts'
import { rangeAround, rangeOf } from './ranges.ts'

/** Allows public targets and the exceptions of the cluster administrator. */
export interface TargetRules {
  /** Parses the URL; throws TargetRefused unless its scheme and a literal address in it are allowed. */
  check(url: string, protocols: readonly string[]): URL
  /** Throws TargetRefused unless every address that a host resolves to is allowed. */
  checkAddresses(host: string, port: string, addresses: readonly string[]): void
}

interface NameException {
  /** A host name, or a suffix with a leading dot. */
  readonly name: string
  readonly port: string | undefined
}

/**
 * Rules with exceptions: ranges (`10.96.0.0/12`), addresses, and names of hosts (`driver.drivers.svc`,
 * `*.svc.cluster.local`), these with a port or without. A name allows every address that it resolves to except link-local
 * addresses and metadata services. Throws for a text that is none of these.
 */
export function createTargetRules(allowed: readonly string[]): TargetRules {
  const ranges = allowed.flatMap((each) => rangeOf(each) ?? [])
  const names = allowed.filter((each) => !rangeOf(each)).map(readName)

  function checkAddresses(host: string, port: string, addresses: readonly string[]): void {
    if (addresses.length === 0) throw new TargetRefused(`host '${host}' has no address`)
    for (const address of addresses) {
      const range = rangeAround(address)
      if (!range || ranges.some((includes) => includes(address))) continue
      if (!range.byRangeOnly && isIP(address) !== 0 && names.some((each) => fits(each, host, port))) continue
      throw new TargetRefused(`host '${host}' has an address that is refused: ${range.title}`, true)
    }
  }

  return {
    check(text, protocols) {
      const url = URL.parse(text)
      if (!url) throw new TargetRefused('the target is not a URL')
      const host = url.hostname
      if (!protocols.includes(url.protocol))
        throw new TargetRefused(
          `the scheme of the target is '${url.protocol}', and must be ${protocols.map((each) => `'${each}'`).join(' or ')}`,
        )
      if (url.username !== '' || url.password !== '')
        throw new TargetRefused(`the target at host '${host}' has a user name or a password in its URL`)
      const literal = host.replace(/^\[|\]$/g, '')
      if (isIP(literal) !== 0) checkAddresses(host, portOf(url), [literal])
      return url
    },
    checkAddresses,
  }
}

/** The port of a URL, or the default port of its scheme. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): string {
  if (port !== '') return port
  return protocol === 'http:' ? '80' : '443'
}

function readName(text: string): NameException {
  const [, star, name = '', port] = /^(\*)?([a-z0-9._-]+?)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const isName = star ? name.startsWith('.') : !name.startsWith('.')
  // Resolvers read a name that ends in a number as an address. A name without letters is probably a mistake.
  if (!isName || name === '.' || !/[a-z]/i.test(name) || /(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(name))
    throw new Error(
      `'${text}' is not a target: it must be a range ('10.96.0.0/12'), a host name ('driver.drivers.svc'), or the end of one ('*.svc.cluster.local'), a name with a port or without`,
    )
  return { name: normal(name), port }
}

function fits({ name, port }: NameException, host: string, hostPort: string): boolean {
  if (port !== undefined && port !== hostPort) return false
  return name.startsWith('.') ? normal(host).endsWith(name) : normal(host) === name
}

function normal(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
