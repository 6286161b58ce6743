import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, test } from '@jest/globals'
import { AccessToken, Membership, User } from '../../../operator/api/access.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { tokenOf } from '../support/gateway.ts'
import { setUpGateway } from '../support/set-up.ts'

const gateway = await setUpGateway(() => {
  gateway.addUser('leaver')
  gateway.addMember('acme', 'leaver', { role: 'administrator' })
})

/** A request whose body arrives after authentication, and after some event. */
async function sendLate(meanwhile: () => void): Promise<number> {
  const body = JSON.stringify({ name: 'robot', role: 'administrator' })
  const sent = request(`${gateway.url}/orgs/acme/users`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('leaver')}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  const answer = once(sent, 'response')
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.write(body.slice(0, -1))
  await gateway.send('GET /orgs/acme') // authentication is complete by now
  meanwhile()
  sent.end(body.slice(-1))
  const [response] = (await answer) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

test('a body can arrive late', async () => {
  expect(await sendLate(() => {})).toBe(200)
})

test.each<[string, () => void, number]>([
  ['the token is revoked', () => gateway.cluster.drop(AccessToken, systemNamespace, 'leaver'), 403],
  ['the user is deleted', () => gateway.cluster.drop(User, systemNamespace, 'leaver'), 403],
  ['the role is taken', () => gateway.cluster.drop(Membership, 'acme', 'leaver'), 403],
  ['the role is lowered', () => gateway.addMember('acme', 'leaver', { role: 'manager' }), 403],
])('a request has no effect when, before its last byte, %s', async (_, meanwhile, status) => {
  const before = gateway.cluster.writes.length
  expect(await sendLate(meanwhile)).toBe(status)
  expect(gateway.cluster.writes).toHaveLength(before)
})
