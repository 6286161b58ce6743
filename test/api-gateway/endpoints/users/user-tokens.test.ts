import { describe, expect, test } from '@jest/globals'
import { AccessToken, User } from '../../../../operator/api/access.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { systemNamespace } from '../../../../operator/api/names.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  for (const [name, organization] of [
    ['robot', 'acme'],
    ['second', 'acme'],
    ['foreign', 'globex'],
  ] as const) {
    const spec = { type: 'service' as const, organizationName: organization }
    gateway.cluster.put(User, newObject(User, { namespace: systemNamespace, name }, spec))
    gateway.addMember(organization, name, { role: 'member' })
  }
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', { role: 'administrator' })
  gateway.addUser('mo')
  gateway.addMember('acme', 'mo', { role: 'member' })
  gateway.addUser('guest', { organizationName: 'acme' })
})

const tokens = '/users/robot/tokens'
const create = (body: object, user = 'robot') =>
  gateway.send(`POST /users/${user}/tokens`, { as: 'ana', body })
const statusWith = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  return (await gateway.send('GET /orgs/acme', { as: null, headers })).status
}

describe('a new token', () => {
  test('is answered once, and lets its user in', async () => {
    const { status, body } = await create({ id: 'ci', type: 'static', description: 'pipeline' })
    expect(status).toBe(200)
    expect(body).toEqual({ token: expect.stringMatching(/^qm_robot\.ci_[\w-]{43}$/), type: 'static' })
    expect(await statusWith(body.token)).toBe(200)
  })

  test('is known by everything but itself', async () => {
    const { token } = (await create({ id: 'ci', description: 'pipeline' })).body
    const one = await gateway.send(`GET ${tokens}/ci`, { as: 'ana' })
    const all = await gateway.send(`GET ${tokens}`, { as: 'ana' })
    expect(one.body).toEqual({
      id: 'ci',
      type: 'static',
      description: 'pipeline',
      created_by: 'ana',
      created_at: expect.any(String),
    })
    expect(all.body).toEqual([one.body])
    const { spec } = gateway.cluster.store.get(AccessToken, systemNamespace, 'robot.ci') ?? {}
    const kept = JSON.stringify([one.body, all.body, spec, gateway.logged])
    expect(kept).not.toContain(token.split('_').slice(2).join('_'))
    expect(JSON.stringify([one.body, all.body])).not.toContain(spec?.sha256)
  })

  test('is deleted with its user, through every interface', async () => {
    await create({ id: 'ci' })
    const user = gateway.cluster.store.get(User, systemNamespace, 'robot')
    const token = gateway.cluster.store.get(AccessToken, systemNamespace, 'robot.ci')
    expect(token?.metadata.ownerReferences).toEqual([
      { apiVersion: 'quartermaster.dev/v1alpha1', kind: 'User', name: 'robot', uid: user?.metadata.uid },
    ])
  })

  test('has an id that is unique for the user: 409; another user can have the same', async () => {
    expect((await create({ id: 'ci' })).status).toBe(200)
    expect((await create({ id: 'ci' })).status).toBe(409)
    expect((await create({ id: 'ci' }, 'second')).status).toBe(200)
  })

  test.each(['2999-12-31T23:59:59Z', '2999-12-31T23:59:59.120Z', '2999-12-31T23:59:59+02:00'])(
    'its expiry is returned as sent: %s',
    async (expires_at) => {
      const { token } = (await create({ id: 'ci', expires_at })).body
      expect((await gateway.send(`GET ${tokens}/ci`, { as: 'ana' })).body.expires_at).toBe(expires_at)
      expect(await statusWith(token)).toBe(200)
    },
  )

  test.each([
    ['without an id', {}, 422],
    ['with an invalid id', { id: 'My Token' }, 400],
    ['with an id of a path', { id: '../x' }, 400],
    ['of another type', { id: 'ci', type: 'dynamic' }, 400],
    ['whose end has passed', { id: 'ci', expires_at: '2020-01-01T00:00:00Z' }, 400],
    ['whose end is no time', { id: 'ci', expires_at: 'tomorrow' }, 400],
    ['with a description that is no text', { id: 'ci', description: {} }, 422],
  ])('%s is refused', async (_, body, status) => {
    expect((await create(body)).status).toBe(status)
    expect(gateway.cluster.writes).toEqual([])
  })
})

test.each([
  ['2020-01-01T00:00:00Z', /must be in the future/],
  ['2999-12-31T23:59:60Z', /not a time that can be compared/],
  ['2999-12-31T23:59:59+02', /not a time that can be compared/],
])('the refusal of the end %s says why', async (expires_at, expected) => {
  expect((await create({ id: 'ci', expires_at })).body.message).toMatch(expected)
})

describe('a token that is revoked', () => {
  test('stops working at once, and others go on', async () => {
    const { token } = (await create({ id: 'ci' })).body
    const { token: other } = (await create({ id: 'cd' })).body
    expect((await gateway.send(`DELETE ${tokens}/ci`, { as: 'ana' })).status).toBe(204)
    expect([await statusWith(token), await statusWith(other)]).toEqual([403, 200])
    expect((await gateway.send(`GET ${tokens}/ci`, { as: 'ana' })).status).toBe(404)
    expect((await gateway.send(`DELETE ${tokens}/ci`, { as: 'ana' })).status).toBe(404)
  })

  test('may have been made with kubectl, under any name', async () => {
    const metadata = { namespace: systemNamespace, name: 'by-hand' }
    const spec = { userName: 'robot', sha256: '0'.repeat(64) }
    gateway.cluster.put(AccessToken, newObject(AccessToken, metadata, spec))
    expect((await gateway.send(`GET ${tokens}/by-hand`, { as: 'ana' })).body).toMatchObject({
      id: 'by-hand',
      description: '',
      created_by: '',
    })
    expect((await gateway.send(`DELETE ${tokens}/by-hand`, { as: 'ana' })).status).toBe(204)
    expect(gateway.cluster.store.get(AccessToken, systemNamespace, 'by-hand')).toBeUndefined()
  })

  test('is a token of this user: those of others are not found', async () => {
    await create({ id: 'ci' }, 'second')
    expect((await gateway.send(`DELETE ${tokens}/ci`, { as: 'ana' })).status).toBe(404)
    expect((await gateway.send(`DELETE ${tokens}/second.ci`, { as: 'ana' })).status).toBe(404)
  })
})

describe('tokens of other users', () => {
  test.each(['missing', 'foreign', 'mo', 'admin', 'guest'])(
    'of %s: 404, with the same body',
    async (user) => {
      const answers = [
        await gateway.send(`GET /users/${user}/tokens`, { as: 'ana' }),
        await create({ id: 'ci' }, user),
        await gateway.send(`GET /users/${user}/tokens/${user}`, { as: 'ana' }),
        await gateway.send(`DELETE /users/${user}/tokens/${user}`, { as: 'ana' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
      expect(new Set(answers.map(({ body }) => body.message))).toEqual(new Set([`user '${user}' not found`]))
    },
  )

  /** Status and body to the user `mo`, without the ID of the other user. */
  async function answerTo(user: string, method: string, rest: string, body: object | undefined) {
    const answer = await gateway.send(`${method} /users/${user}/tokens${rest}`, { as: 'mo', body })
    return [answer.status, JSON.stringify(answer.body).replaceAll(`'${user}'`, '')]
  }
  const others = ['robot', 'missing', 'foreign', 'ana']
  const requests: [string, string, object | undefined][] = [
    ['GET', '', undefined],
    ['POST', '', { id: 'ci' }],
    ['GET', '/x', undefined],
    ['DELETE', '/x', undefined],
  ]

  test.each(requests)(
    'a member who is no administrator may not: 403, also of a user that does not exist: %s',
    async (method, rest, body) => {
      const answers = await Promise.all(others.map((user) => answerTo(user, method, rest, body)))
      expect(answers).toEqual(others.map(() => [403, answers[0]?.[1]]))
    },
  )

  test.each(requests)(
    'the administrator of another organization finds none, as of a user that does not exist: %s',
    async (method, rest, body) => {
      gateway.addMember('globex', 'mo', { role: 'administrator' })
      gateway.addMember('globex', 'robot', { role: 'member' })
      const users = ['robot', 'missing']
      const answers = await Promise.all(users.map((user) => answerTo(user, method, rest, body)))
      expect(answers).toEqual(users.map(() => [404, answers[0]?.[1]]))
    },
  )
})

describe('a human', () => {
  test('sees and revokes the own tokens', async () => {
    const { body } = await gateway.send('GET /users/mo/tokens', { as: 'mo' })
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['mo'])
    expect((await gateway.send('DELETE /users/mo/tokens/mo', { as: 'mo' })).status).toBe(204)
    expect((await gateway.send('GET /users/mo/tokens', { as: 'mo' })).status).toBe(403)
  })

  test('makes none: API tokens are for service users', async () => {
    expect((await gateway.send('POST /users/mo/tokens', { as: 'mo', body: { id: 'ci' } })).status).toBe(403)
  })
})
