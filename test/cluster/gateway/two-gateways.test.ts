import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { type HttpAnswer, makeRestOrganization, sendTo } from '../endpoints/twelve-endpoints.ts'
import { eventually, readyOf } from '../support/client.ts'
import { type SecondGateway, startSecondGateway } from '../support/second-gateway.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const { id: org, organization, users } = await makeRestOrganization(cluster, 'two-gateways')
const burst = 400
const echo = 'quartermaster/echo'
let gateway: SecondGateway
let second = ''

beforeAll(async () => {
  gateway = await startSecondGateway(cluster, 'second-gateway', {
    QUARTERMASTER_REQUESTS_PER_SECOND: '50',
    QUARTERMASTER_REQUEST_BURST: String(burst),
  })
  second = gateway.url
})
afterAll(() => gateway?.stop())

/** An object of a kind whose objects have a name for people. */
interface Named {
  readonly spec: { readonly displayName?: string }
}

/** Sends a request through one of the two; a path that begins with `~` is one of the organization. */
function through(number: number, operation: string, body?: unknown, token = cluster.adminToken) {
  const url = number % 2 === 0 ? cluster.gatewayUrl : second
  return sendTo(url, operation.replace(' ~', ` /orgs/${org}`), { body }, token)
}

const definition = (id: string, more: object = {}) => ({
  id,
  name: 'n',
  type: 'redis',
  driver_type: echo,
  ...more,
})
const statusesOf = (answers: readonly HttpAnswer[]) =>
  answers.map(({ status }) => status).sort((left, right) => left - right)
const range = (count: number) => Array.from({ length: count }, (_, each) => each)

test('of twenty definitions with equal criteria at once one holds them; whichever else was made says so', async () => {
  const answers = await Promise.all(
    range(20).map((each) =>
      through(each, 'POST ~/resources/defs', definition(`same-${each}`, { criteria: [{ env_id: 'same' }] })),
    ),
  )
  const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.id)
  expect(new Set(statusesOf(answers))).toEqual(new Set([200, 409]))
  expect([1, 2]).toContain(made.length) // one gateway never writes the same value twice
  const reasons = await eventually('every outcome', 30_000, async () => {
    const definitions = await Promise.all(
      made.map((name: string) => organization.get<ResourceDefinition>('resourcedefinitions', name)),
    )
    const all = definitions.map((each) => readyOf(each).reason)
    const losers = all.filter((each) => each === 'DuplicateCriterion')
    return all.every((each) => each !== '') && losers.length === all.length - 1 ? all : undefined
  })
  expect(reasons.filter((each) => each !== 'DuplicateCriterion')).toEqual(['Reconciled'])
})

/** Objects that are created by `POST folder`, and read and deleted at `folder/id`. */
const things: [what: string, folder: string, body: (id: string) => object][] = [
  ['application', '~/apps', (id) => ({ id, name: id })],
  ['environment', '~/apps/shop/envs', (id) => ({ id, name: id, type: 'development' })],
  ['environment type', '~/env-types', (id) => ({ id })],
  ['account', '~/resources/accounts', (id) => ({ id, name: id, type: 'local', credentials: {} })],
  ['definition', '~/resources/defs', (id) => definition(id, { criteria: [{ app_id: id }] })],
  [
    'driver',
    '~/resources/drivers',
    (id) => ({
      id,
      type: 'redis',
      target: 'https://driver.example.com',
      account_types: [],
      inputs_schema: {},
    }),
  ],
  ['webhook', '~/apps/shop/webhooks', (id) => ({ id, url: 'h.example.com', headers: {}, triggers: [] })],
]

describe.each(things)('the id of a new %s', (_, folder, body) => {
  test('that both are asked for at once is given once', async () => {
    for (const round of range(3)) {
      const id = `both-${round}`
      const answers = await Promise.all(
        range(6).map((each) => through(each, `POST ${folder}`, { ...body(id), name: `n${each}` })),
      )
      const [first = 0, ...others] = statusesOf(answers)
      expect([200, 201]).toContain(first)
      expect(others).toEqual(Array(5).fill(409))
    }
  })

  test('that one frees is free to the other as soon as the operator has let it go', async () => {
    const id = 'back-and-forth'
    const made = await through(0, `POST ${folder}`, body(id))
    const answers: number[] = []
    for (const each of range(10)) {
      // The one that deletes is the one that made it: to the other it may not be there yet.
      let wasGoing = false
      const gone = await eventually('its end', 30_000, async () => {
        const { status } = await through(each, `DELETE ${folder}/${id}`)
        if (status !== 202) return status === 404 && wasGoing ? 204 : status
        wasGoing = true
        return undefined
      })
      const again = await eventually('the id to be free', 30_000, async () => {
        const answer = await through(each + 1, `POST ${folder}`, body(id))
        return answer.status === 409 ? undefined : answer
      })
      answers.push(gone, again.status)
    }
    expect(answers).toEqual(range(10).flatMap(() => [204, made.status]))
  })
})

describe('writes alternate between the two: the last acknowledged one wins', () => {
  test.each<[string, string, string, object, string?]>([
    ['of a definition', 'resourcedefinitions', '~/resources/defs', definition('turns')],
    [
      'of a type',
      'resourcetypes',
      '~/resources/types',
      { type: `${org}/turns`, use: 'direct' },
      `${org}%2Fturns`,
    ],
    [
      'of an account',
      'resourceaccounts',
      '~/resources/accounts',
      { id: 'turns', name: 'n', type: 'local', credentials: {} },
    ],
    ['of an application', 'applications', '~/apps', { id: 'turns', name: 'n' }],
  ])('%s', async (_, plural, folder, body, id = 'turns') => {
    const path = `${folder}/${id}`
    await through(0, `POST ${folder}`, body)
    await eventually('both', 30_000, async () =>
      (await through(1, `GET ${path}`)).status === 200 ? true : undefined,
    )
    for (const each of range(20)) {
      const there = await through(each, `PATCH ${path}`, { name: 'there' })
      const back = await through(each + 1, `PATCH ${path}`, { name: 'back' })
      expect([there, back].map(({ status, body: { name } }) => [status, name])).toEqual([
        [200, 'there'],
        [200, 'back'],
      ])
      // An acknowledged write is stored, even one equal to the stale value in the gateway's cache.
      const kept = await organization.get<Named>(plural, 'turns')
      expect([each, kept?.spec.displayName]).toEqual([each, 'back'])
    }
    await eventually('one truth', 30_000, async () => {
      const names = await Promise.all([0, 1].map(async (each) => (await through(each, `GET ${path}`)).body))
      return names.every(({ name }) => name === 'back') || undefined
    })
  })
})

test('two trials of one account through both: each is answered, or gives way with 409', async () => {
  const body = { id: 'tried', name: 'n', type: 'aws', credentials: { key: 'a' } }
  await through(0, 'POST ~/resources/accounts', body)
  const path = '~/resources/accounts/tried'
  await eventually('both', 30_000, async () =>
    (await through(1, `GET ${path}`)).status === 200 ? true : undefined,
  )
  const answers = await Promise.all(
    range(8).map((each) =>
      each % 4 < 2
        ? through(each, `POST ${path}/actions/check`)
        : through(each, `PATCH ${path}?check_credential=true`, { credentials: { key: `b${each}` } }),
    ),
  )
  const statuses = statusesOf(answers)
  expect(statuses.filter((each) => each !== 200 && each !== 409)).toEqual([])
  expect(statuses).toContain(200)
})

describe('who is let in by one', () => {
  test('is let in by the other, with a session too', async () => {
    for (const [one, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const { body } = await through(one, 'POST /auth/session', { token: cluster.adminToken })
      expect((await through(other, 'GET ~/apps', undefined, body.token)).status).toBe(200)
    }
  })

  test('is refused by the other after a revocation', async () => {
    const path = `/users/${users.viewer}/tokens`
    const { body } = await through(0, `POST ${path}`, { id: 'revoked' })
    const get = async () => (await through(1, 'GET ~/apps/shop', undefined, body.token)).status
    await eventually('access', 30_000, async () => (await get()) === 200 || undefined)
    expect((await through(0, `DELETE ${path}/revoked`)).status).toBe(204)
    await eventually('403', 30_000, async () => (await get()) === 403 || undefined)
  })

  test('has a limit of requests at each: one that is used up at one does not count at the other', async () => {
    const { body } = await through(0, `POST /users/${users.viewer}/tokens`, { id: 'limited' })
    const get = (number: number) => through(number, 'GET ~/apps/shop', undefined, body.token)
    await eventually('access', 30_000, async () => ((await get(1)).status === 200 ? true : undefined))
    const statuses = statusesOf(await Promise.all(range(burst * 3).map(() => get(1))))
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter((each) => each === 200).length).toBeGreaterThanOrEqual(burst - 20)
    expect((await get(0)).status).toBe(200)
  })
})
