import { createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createAuthority, selfSigned } from './support/certificates.ts'
import { closeAll, get, guard, listen, resolver, serve } from './support/servers.ts'

afterEach(closeAll)

const allowed = ['127.0.0.0/8']

describe('certificates', () => {
  const host = 'driver.test'

  test.each<
    [
      rule: string,
      isTrusted: boolean,
      settings: {
        trusts?: boolean
        certifies?: string
        from?: number
        to?: number
        self?: boolean
        tls?: object
      },
    ]
  >([
    ['one of an authority that is trusted', true, { trusts: true }],
    ['one of an authority that is not', false, {}],
    ['one that vouches for itself', false, { trusts: true, self: true }],
    ['one that is over', false, { trusts: true, from: -3, to: -1 }],
    ['one that is not yet', false, { trusts: true, from: 1, to: 3 }],
    ['one of another host', false, { trusts: true, certifies: 'other.test' }],
    ['one of all hosts below', false, { trusts: true, certifies: '*.driver.test' }],
    [
      'TLS 1.1',
      false,
      { trusts: true, tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } },
    ],
    ['TLS 1.2', true, { trusts: true, tls: { maxVersion: 'TLSv1.2' } }],
  ])('%s: trusted is %s', async (_, isTrusted, settings) => {
    const { trusts, certifies = host, from = -1, to = 1, self, tls } = settings
    const authority = await createAuthority()
    const identity = self ? await selfSigned(host) : await authority.issue(certifies, { from, to })
    let requests = 0
    const { port } = await serve(
      (_, response) => {
        requests += 1
        response.end('welcome')
      },
      { ...identity, ...tls },
    )
    const outbound = guard({
      allowed,
      lookup: resolver(['127.0.0.1']),
      ...(trusts ? { ca: authority.cert } : {}),
    })
    const call = outbound.request(get(`https://${host}:${port}/`, { headers: { authorization: 'secret' } }))
    if (isTrusted) expect((await call).text).toBe('welcome')
    else await expect(call).rejects.toMatchObject({ code: 'Certificate' })
    expect(requests).toBe(isTrusted ? 1 : 0)
  })

  test('the authorities of the system are trusted with the additional ones', async () => {
    const [system, additional] = [await createAuthority(), await createAuthority()]
    const { port } = await serve((_, response) => response.end('welcome'), await system.issue(host))
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, system.cert])
    try {
      const outbound = guard({ allowed, lookup: resolver(['127.0.0.1']), ca: additional.cert })
      expect((await outbound.request(get(`https://${host}:${port}/`))).text).toBe('welcome')
    } finally {
      setDefaultCACertificates(before)
    }
  })

  test.each(['garbage', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'nothing starts with authorities that cannot be read: %j',
    (ca) => {
      expect(() => guard({ ca })).toThrow()
    },
  )

  test('a plain server is not trusted over HTTPS', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
    const { port } = await listen(server)
    const call = guard({ allowed }).request(get(`https://127.0.0.1:${port}/`))
    await expect(call).rejects.toMatchObject({ name: 'OutboundError' })
  })
})
