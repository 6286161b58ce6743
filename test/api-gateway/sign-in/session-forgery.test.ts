import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AccessToken, User } from '../../../operator/api/access.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { newSessionKey, startGateway, type TestGateway } from '../support/gateway.ts'

const now = Date.UTC(2026, 5, 1)
const key = newSessionKey()
let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({ now: () => now, sessionKey: async () => key })
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', { role: 'member' })
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'robot', { role: 'member' })
})
afterAll(() => gateway.close())

async function statusOf(authorization: string): Promise<number> {
  return (await gateway.send('GET /orgs/acme', { as: null, headers: { authorization } })).status
}

describe('a token that is not a session token of this gateway', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  function userClaims(name: string) {
    return { sub: name, user_uid: gateway.cluster.store.get(User, systemNamespace, name)?.metadata.uid }
  }
  function tokenClaims(name: string) {
    const { metadata, spec } = gateway.cluster.store.get(AccessToken, systemNamespace, name) ?? {}
    return { token_name: name, token_uid: metadata?.uid, token_digest: spec?.sha256.slice(0, 16) }
  }
  const claims = () => ({
    ...userClaims('ana'),
    ...tokenClaims('ana'),
    iss: 'quartermaster',
    aud: 'quartermaster-gateway',
    iat: now / 1000,
    exp: now / 1000 + 60,
  })
  const header = { alg: 'EdDSA', typ: 'JWT' }
  function signed(payload: object, head: object = header, pem = key): string {
    const content = `${encode(head)}.${encode(payload)}`
    return `${content}.${sign(null, Buffer.from(content), createPrivateKey(pem)).toString('base64url')}`
  }

  test('made by this test is accepted when nothing is wrong with it', async () => {
    expect(await statusOf(`Bearer ${signed(claims())}`)).toBe(200)
    expect(await statusOf(`Bearer ${signed({ ...claims(), token_name: null })}`)).toBe(200)
  })

  test.each<[string, () => string]>([
    ['alg none', () => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims())}.`],
    ['alg none, with a signature', () => signed(claims(), { alg: 'none', typ: 'JWT' })],
    [
      'HS256 with the public key as its secret',
      () => {
        const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims())}`
        const secret = createPublicKey(key).export({ type: 'spki', format: 'pem' })
        return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
      },
    ],
    ['another key', () => signed(claims(), header, newSessionKey())],
    [
      'a key from its own header',
      () => {
        const pem = newSessionKey()
        return signed(claims(), { ...header, jwk: createPublicKey(pem).export({ format: 'jwk' }) }, pem)
      },
    ],
    ['another audience', () => signed({ ...claims(), aud: 'other' })],
    ['no audience', () => signed({ ...claims(), aud: undefined })],
    ['another issuer', () => signed({ ...claims(), iss: 'other' })],
    ['past', () => signed({ ...claims(), exp: now / 1000 })],
    ['without an end', () => signed({ ...claims(), exp: undefined })],
    ['not yet valid', () => signed({ ...claims(), nbf: now / 1000 + 60 })],
    ['another user', () => signed({ ...claims(), sub: 'admin' })],
    ['without a user', () => signed({ ...claims(), sub: undefined })],
    ['a sign-in under way', () => signed({ ...claims(), aud: 'quartermaster-sign-in' })],
    ['of another type', () => signed(claims(), { ...header, typ: 'sign-in+jwt' })],
    ['without a type', () => signed(claims(), { alg: 'EdDSA' })],
    ['another user of the same name', () => signed({ ...claims(), token_name: null, user_uid: 'another' })],
    ['without the token that began it', () => signed({ ...claims(), token_name: undefined })],
    ['with a token of another person', () => signed({ ...claims(), ...tokenClaims('admin') })],
    ['with another token of the same name', () => signed({ ...claims(), token_uid: 'another' })],
    ['without the uid of its token', () => signed({ ...claims(), token_uid: undefined })],
    ['with an earlier value of its token', () => signed({ ...claims(), token_digest: '0123456789abcdef' })],
    ['without the digest of its token', () => signed({ ...claims(), token_digest: undefined })],
    ['a service user', () => signed({ ...claims(), ...userClaims('robot'), ...tokenClaims('robot') })],
    [
      'a service user, without a token',
      () => signed({ ...claims(), ...userClaims('robot'), token_name: null }),
    ],
    [
      'changed after signing',
      () => {
        const [head, , signature] = signed(claims()).split('.')
        return `${head}.${encode({ ...claims(), exp: now / 1000 + 9e9 })}.${signature}`
      },
    ],
    ['two parts', () => signed(claims()).split('.').slice(0, 2).join('.')],
    ['four parts', () => `${signed(claims())}.x`],
    ['no JSON', () => 'a.b.c'],
  ])('%s: 403', async (_, make) => {
    for (const scheme of ['Bearer', 'JWT']) expect(await statusOf(`${scheme} ${make()}`)).toBe(403)
  })
})
