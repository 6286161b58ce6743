/** All the ways to write an IPv4 address as the host of a URL that parsers take for the same address. */
export function spellingsOf(address: string): string[] {
  const parts = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number, digits = 0) => value.toString(16).padStart(digits, '0')
  const high = hex(a * 256 + b)
  const low = hex(c * 256 + d)
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0X${hex(number).toUpperCase()}`,
    `0${number.toString(8)}`,
    `00000${number.toString(8)}`,
    parts.map((part) => `0x${hex(part)}`).join('.'),
    parts.map((part) => `0${part.toString(8)}`).join('.'),
    `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replace(/\d/g, (digit) =>
      digit === '0' ? '⓪' : String.fromCodePoint(0x2460 + Number(digit) - 1),
    ),
    address.replace(/\d/g, (digit) => `%3${digit}`),
    address.replaceAll('.', '%2e'),
    `[::ffff:${address}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::]`,
  ]
}

/** Addresses that are not of the public internet, of every range. */
export const refusedAddresses = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
]

export const refusedAddresses6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '100::1',
  '2001::1',
  '2001:10::1',
  '2001:db8::1',
  '2002::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  '64:ff9b::1',
  '64:ff9b:1::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
]

export const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  // The bytes of an IPv4 address, outside of the ranges that embed one.
  '2a00::a9fe:a9fe',
]

/** URLs by which nothing may be reached; `port` is that of a listener on this host. */
export function hostileUrls(port: number): string[] {
  const at = (host: string) => [`https://${host}:${port}/`, `http://${host}:${port}/x?y#z`]
  const names = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ⓛocalhost',
    'lo%63alhost',
    'a.localhost',
    'innocent.test',
  ]
  const users = ['user@', 'user:secret@', ':secret@', 'example.com%40', 'example.com@', '%00@']
  const schemes = [
    'ftp:',
    'ws:',
    'wss:',
    'file:',
    'gopher:',
    'data:',
    'javascript:',
    'unix:',
    'blob:http:',
    'jar:',
  ]
  return [
    ...refusedAddresses.flatMap(spellingsOf).flatMap(at),
    ...refusedAddresses6.flatMap((address) => at(`[${address}]`)),
    ...names.flatMap(at),
    ...users.flatMap((user) => at(`${user}127.0.0.1`)),
    ...users.flatMap((user) => at(`${user}innocent.test`)),
    ...schemes.map((scheme) => `${scheme}//127.0.0.1:${port}/`),
    ...[
      'https:127.0.0.1',
      'https:/127.0.0.1',
      'https:///127.0.0.1',
      'https:\\\\127.0.0.1',
      'https://\\127.0.0.1',
    ].map((start) => `${start}:${port}/`),
    `https://example.com\\@127.0.0.1:${port}/`,
    `https://127.0.0.1\t:${port}/`,
    `ht\ntps://127.0.0.1:${port}/`,
    `  https://127.0.0.1:${port}/`,
    `https://127.0.0.1:0${port}/`,
    `https://[fe80::1%25lo]:${port}/`,
    `https://[::1%lo]:${port}/`,
    '//127.0.0.1/',
    '127.0.0.1',
    'https://',
    'https://:80/',
    'https://[/',
    'https://127.0.0.1:99999/',
    '',
    'https://1.2.3.4.5/',
    'https://256.256.256.256/',
    'https://exa mple.com/',
  ]
}
