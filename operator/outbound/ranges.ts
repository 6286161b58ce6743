import { BlockList, isIP } from 'node:net'

/** A range of addresses that is not the public internet. */
export interface Range {
  /** The name of the range and the range. */
  readonly title: string
  /** Whether only a range in the settings allows it, never a host name, because it may serve credentials. */
  readonly byRangeOnly: boolean
  includes(address: string): boolean
}

/** Ranges by name; the first match names the error. */
const nonPublic: Readonly<Record<string, readonly string[]>> = {
  'the metadata service of a cloud': [
    '169.254.169.254/32',
    '168.63.129.16/32',
    '100.100.100.200/32',
    '192.0.0.192/32',
    'fd00:ec2::/32',
    'fd20:ce::254/128',
  ],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  'this host': ['0.0.0.0/8', '::/128'],
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  'shared (carrier-grade NAT)': ['100.64.0.0/10'],
  'of protocols': ['192.0.0.0/24', '192.88.99.0/24', '2001::/23'],
  'for documentation': ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  'for benchmarks': ['198.18.0.0/15'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  'reserved or broadcast': ['240.0.0.0/4'],
  'an IPv4 address within IPv6': [
    '::ffff:0:0/96',
    '::ffff:0:0:0/96',
    '::/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '2002::/16',
  ],
}

/** Which bytes of an IPv6 address in a range are an IPv4 address: those of RFC 6052 skip the byte 8, after a prefix of any length. */
const embeddings: readonly (readonly [range: string, bytes: readonly number[]])[] = [
  ['::ffff:0:0/96', [12, 13, 14, 15]],
  ['::ffff:0:0:0/96', [12, 13, 14, 15]],
  ['::/96', [12, 13, 14, 15]],
  ['64:ff9b::/96', [12, 13, 14, 15]],
  ['64:ff9b:1::/48', [12, 13, 14, 15]],
  ['64:ff9b:1::/48', [6, 7, 9, 10]],
  ['64:ff9b:1::/48', [7, 9, 10, 11]],
  ['64:ff9b:1::/48', [9, 10, 11, 12]],
  ['2002::/16', [2, 3, 4, 5]],
]

const byRangeOnly = new Set(['the metadata service of a cloud', 'link-local'])

const ranges: readonly Range[] = Object.entries(nonPublic).flatMap(([title, members]) =>
  members.map((text) => ({
    title: `${title} (${text})`,
    byRangeOnly: byRangeOnly.has(title),
    includes: rangeOf(text) ?? throwUnreadable(text),
  })),
)

const embedded = embeddings.map(([text, bytes]) => ({
  includes: rangeOf(text) ?? throwUnreadable(text),
  bytes,
}))

/** The public addresses of IPv6. */
const globalUnicast = rangeOf('2000::/3') ?? throwUnreadable('2000::/3')
const unassigned: Range = { title: 'not of the public internet', byRangeOnly: false, includes: () => true }

/** Whether an address is in a range such as `10.0.0.0/8` or equals an address; undefined for any other text. */
export function rangeOf(text: string): ((address: string) => boolean) | undefined {
  const [, base = '', digits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const family = isIP(base)
  const bits = family === 4 ? 32 : 128
  const prefix = digits === undefined ? bits : Number(digits)
  if (family === 0 || prefix > bits) return undefined
  const list = new BlockList()
  const type = family === 4 ? 'ipv4' : 'ipv6'
  list.addSubnet(base, prefix, type)
  // A list of IPv6 ranges treats IPv4 addresses as mapped ones, so the family is checked first.
  return (address) => isIP(address) === family && list.check(address, type)
}

/**
 * The range that makes an address non-public; a text that is no address is never public. For an IPv6 address that leads to an
 * IPv4 address that only a range allows, the range of that one.
 */
export function rangeAround(text: string): Range | undefined {
  const [address = '', zone] = text.split('%', 2)
  const inner = embeddedIn(address).map(rangeAround)
  const found = inner.find((range) => range?.byRangeOnly) ?? ranges.find((range) => range.includes(address))
  if (found) return found
  const isPublic = isIP(address) === 4 || (globalUnicast(address) && zone === undefined)
  return isPublic ? undefined : unassigned
}

/** The IPv4 addresses that translators and tunnels may connect an IPv6 address to. */
function embeddedIn(address: string): string[] {
  if (isIP(address) !== 6) return []
  const all = bytesOf(address)
  return embedded
    .filter(({ includes }) => includes(address))
    .map(({ bytes }) => bytes.map((index) => all[index]).join('.'))
}

/** The 16 bytes of an IPv6 address. */
function bytesOf(address: string): readonly number[] {
  // Without a dotted part.
  const normal = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = [], tail = []] = normal
    .split('::')
    .map((part) => part.split(':').filter((word) => word !== ''))
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...gap, ...tail].flatMap((word) => {
    const value = Number.parseInt(word, 16)
    return [value >> 8, value & 0xff]
  })
}

function throwUnreadable(text: string): never {
  throw new Error(`'${text}' is not a range of addresses`)
}
